/** Credit that is sold by an invoice: its payment grants the credit. */
import * as z from 'zod';
import { multiplyDecimals, readDecimal } from '../../lib/decimal.ts';
import { decimalFromMinor, decimalText, roundToMinor } from '../../lib/money.ts';
import { parseInput } from '../../lib/validation.ts';
import type { TaxTerms } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { computeDueAt } from '../payments/paymentTerms.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import { computeItemInvoice } from '../pricing/nextInvoice.ts';
import { chargesTax, readTaxBook, resolveTax } from '../tax/taxBook.ts';
import { checkVatIds } from '../tax/vatIdChecks.ts';
import { parseGrant } from './creditGrants.ts';
import { findInvoice, issueInvoice, markInvoicePaid, type InvoiceRow } from './invoices.ts';
import { chargeInvoice, startCharge } from './oneOffPayments.ts';

const newTopUp = z.looseObject({
  customerId: z.string(),
  collect: z.enum(['automatic', 'send_invoice']).nullish(),
});

/**
 * Sells a customer credit by an invoice over its amount times its cost basis, which the default payment method or a transfer pays;
 * no balance does. The payment grants the credit. A declined charge leaves the invoice open, and nothing is granted. Errors: those
 * of `createCreditGrant`.
 */
export async function topUpCredit(tenant: SteppedTenant, input: unknown): Promise<InvoiceRow> {
  const { collect, ...grant } = parseInput(newTopUp, input);
  await checkVatIds(tenant, [grant.customerId]);
  const { value: invoice, isRepeated } = await tenant.checkpoint('credit billed', (unit) =>
    billTopUp(unit, grant, collect ?? 'automatic'),
  );
  if (invoice.chargeStartedAt !== null) await chargeInvoice(tenant, invoice, isRepeated);
  return findInvoice(tenant.read, invoice.id);
}

async function billTopUp(
  unit: UnitOfWork,
  input: object,
  collect: 'automatic' | 'send_invoice',
): Promise<InvoiceRow> {
  const grant = await parseGrant(unit, { ...input, category: 'paid' });
  const { customerId, currency, amountMinor, reason, priority, expiresAt, rollover } = grant;
  const [costBasis, beforeTax] = [grant.costBasis!, grant.beforeTax!];
  const line = buildLine(unit, { currency, amountMinor, name: reason!, costBasis, beforeTax });
  const book = await readTaxBook(unit, unit.tenant, [customerId], []);
  const tax = resolveTax(book, customerId, [], unit.now);
  const { unpaid: lines } = computeItemInvoice([line], { balanceMinor: 0n, tax });
  const invoice = await issueInvoice(
    unit,
    {
      customerId,
      billingReason: 'one_off',
      productName: 'Credit',
      currency,
      period: { start: unit.now, end: unit.now },
      lines,
      dueAt: collect === 'send_invoice' ? computeDueAt(unit) : null,
      metadata: null,
      topUp: {
        name: reason!,
        amountMinor: String(amountMinor),
        costBasis,
        beforeTax,
        priority: priority!,
        expiresAt: expiresAt ?? null,
        rollover: rollover ?? null,
      },
    },
    customerId,
  );
  if (invoice.totalMinor === 0n) return markInvoicePaid(unit, invoice, invoice.id);
  return collect === 'automatic' ? startCharge(unit, invoice) : invoice;
}

/** Credit that pays totals is a multi-purpose voucher, whose sale is no supply (article 30b of Directive 2006/112/EC). */
const outsideScope: TaxTerms = { category: 'O', percent: '0', reason: 'outside_scope' };

function buildLine(
  { now, tenant }: UnitOfWork,
  {
    currency,
    amountMinor,
    name,
    costBasis,
    beforeTax,
  }: Pick<Row<'balanceEntries'>, 'currency' | 'amountMinor'> & {
    name: string;
    costBasis: string;
    beforeTax: boolean;
  },
): Line {
  const exact = multiplyDecimals(decimalFromMinor(amountMinor, currency), readDecimal(costBasis));
  const priceMinor = roundToMinor(exact, currency);
  return {
    kind: 'ITEM',
    description: name,
    amountMinor: priceMinor,
    currency,
    periodStart: now,
    periodEnd: now,
    explanation: { quantity: 1, unitAmount: decimalText(priceMinor, currency) },
    ...(!beforeTax && { taxTerms: chargesTax(tenant) ? outsideScope : null }),
  };
}

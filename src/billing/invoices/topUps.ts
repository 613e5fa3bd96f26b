/** Credit that is sold by an invoice: its payment grants the credit. */
import * as z from 'zod';
import { decimalText } from '../../lib/money.ts';
import { parseInput } from '../../lib/validation.ts';
import type { TaxTerms } from '../../storage/model/common.ts';
import type { CreditTopUp } from '../../storage/model/creditTerms.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { computeDueAt } from '../payments/paymentTerms.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import { computeItemInvoice } from '../pricing/nextInvoice.ts';
import { chargesTax, readTaxBook, resolveTax } from '../tax/taxBook.ts';
import { checkVatIds } from '../tax/vatIdChecks.ts';
import { computeCreditPrice } from '../pricing/creditAmounts.ts';
import { parseGrant, type GrantTerms } from './grantTerms.ts';
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
  return sellCredit(unit, await parseGrant(unit, { ...input, category: 'paid' }), collect);
}

/**
 * Issues the invoice that sells a grant, and starts its charge. `autoTopUpId` is the automatic top-up that sells it.
 */
export async function sellCredit(
  unit: UnitOfWork,
  grant: GrantTerms,
  collect: 'automatic' | 'send_invoice',
  autoTopUpId?: string,
): Promise<InvoiceRow> {
  const { customerId, currency } = grant;
  const book = await readTaxBook(unit, unit.tenant, [customerId], []);
  const tax = resolveTax(book, { customerId, productIds: [], currency, at: unit.now });
  const { unpaid: lines } = computeItemInvoice([buildLine(unit, grant)], { balanceMinor: 0n, tax });
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
      topUp: buildTopUp(grant, autoTopUpId),
    },
    customerId,
  );
  if (invoice.totalMinor === 0n) return markInvoicePaid(unit, invoice, invoice.id);
  return collect === 'automatic' ? startCharge(unit, invoice) : invoice;
}

/** Builds what the payment of an invoice grants. */
const buildTopUp = (grant: GrantTerms, autoTopUpId: string | undefined): CreditTopUp => ({
  name: grant.reason!,
  amountMinor: String(grant.amountMinor),
  ...(grant.creditTypeId && { creditTypeId: grant.creditTypeId }),
  costBasis: grant.costBasis!,
  beforeTax: grant.beforeTax!,
  priority: grant.priority!,
  expiresAt: grant.expiresAt ?? null,
  rollover: grant.rollover ?? null,
  ...(autoTopUpId !== undefined && { autoTopUpId }),
});

/** Credit that pays totals is a multi-purpose voucher, whose sale is no supply (article 30b of Directive 2006/112/EC). */
const outsideScope: TaxTerms = { category: 'O', percent: '0', reason: 'outside_scope' };

function buildLine({ now, tenant }: UnitOfWork, grant: GrantTerms): Line {
  const { currency, amountMinor, creditTypeId = null, reason, beforeTax } = grant;
  const priceMinor = computeCreditPrice({ amountMinor, currency, creditTypeId }, grant.costBasis!);
  return {
    kind: 'ITEM',
    description: reason!,
    amountMinor: priceMinor,
    currency,
    periodStart: now,
    periodEnd: now,
    explanation: { quantity: 1, unitAmount: decimalText(priceMinor, currency) },
    ...(!beforeTax && { taxTerms: chargesTax(tenant) ? outsideScope : null }),
  };
}

/** What an e-invoice of a customer would lack, told before one is numbered. */
import type { MissingField } from '../../documents/fieldRows.ts';
import { listMissingFields } from '../../documents/missingFields.ts';
import { profileOfFormat } from '../../documents/profiles.ts';
import type { DocumentRecord } from '../../documents/record.ts';
import { refuse } from '../../lib/errors.ts';
import { countDecimals } from '../../lib/money.ts';
import type { TaxTerms } from '../../storage/model/common.ts';
import type { MailedFormat } from '../../storage/model/parties.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { previewNextNumber } from '../../tenants/numberSeries.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { readTaxBook, resolveTax } from '../tax/taxBook.ts';
import { describeMissing } from './documentFiles.ts';
import { describeParties, nameReferences } from './documentRecords.ts';
import { previewConversion } from './taxConversions.ts';

type CustomerRow = Row<'customers'>;

interface Sale {
  customer: CustomerRow;
  /** The number of the customer's order; null for none. */
  purchaseOrder: string | null;
  /** Of the bill; euros if there is none yet. */
  currency?: string;
  /** The tax of each of its lines; that of the customer's bills if there is none yet. */
  taxes?: (TaxTerms | null)[];
}

/**
 * Lists the fields that an e-invoice of this format would lack now, under the next number. Without a bill the tax is that of the
 * customer's bills, without rates of a product or a charge.
 */
export async function listMissingNow(
  reads: Reads,
  { tenant, now }: Pick<UnitOfWork, 'tenant' | 'now'>,
  { customer, purchaseOrder, currency = 'eur', taxes }: Sale,
  format: MailedFormat,
): Promise<MissingField[]> {
  const home = await previewConversion(reads, { tenant, now }, { currency, taxMinor: 0n, isForced: true });
  const record = {
    ...buildSample(taxes ?? [await findUsualTax(reads, tenant, customer, now)], currency),
    number: await previewNextNumber(reads, tenant, 'invoice', now),
    ...(await describeParties(reads, tenant, customer)),
    ...nameReferences(customer, { purchaseOrder }),
    ...(home?.conversion && { taxInHomeCurrency: home.conversion }),
  };
  return listMissingFields(record, profileOfFormat[format]);
}

/**
 * Refuses to bill a customer who receives e-invoices if theirs would lack something. Error: `validation_failed` with the field
 * and the rule of each.
 */
export async function checkEInvoice(unit: UnitOfWork, sale: Sale): Promise<void> {
  const format = sale.customer.documentFormat;
  if (format === null) return;
  const missing = await listMissingNow(unit, unit, sale, format);
  if (missing.length > 0)
    refuse('validation_failed', ...missing.map((field) => describeMissing(field, format)));
}

/** Returns the tax of the customer's bills, without rates of a product or a charge; null if none is charged. */
async function findUsualTax(
  reads: Reads,
  tenant: UnitOfWork['tenant'],
  { id }: CustomerRow,
  now: string,
): Promise<TaxTerms | null> {
  const book = await readTaxBook(reads, tenant, [id], []);
  return resolveTax(book, { customerId: id, productIds: [], currency: 'eur', at: now })?.terms ?? null;
}

/** A document with a line of 1.00 for each tax; its number and its parties are added. */
function buildSample(
  taxes: (TaxTerms | null)[],
  currency: string,
): Omit<DocumentRecord, 'number' | 'seller' | 'buyer'> {
  const lines = taxes.map((terms) => ({
    description: 'Sample',
    details: [],
    period: null,
    quantity: '1',
    unitPrice: '1.00',
    listMinor: '100',
    discounts: [],
    netMinor: '100',
    taxMinor: '0',
    tax: terms && { category: terms.category, percent: terms.percent },
  }));
  const total = String(100 * lines.length);
  return {
    kind: 'invoice',
    issueDate: '2026-01-01',
    issuedAt: '2026-01-01T00:00:00.000Z',
    dueDate: null,
    currency,
    currencyDecimals: countDecimals(currency),
    locale: 'en',
    credits: null,
    period: null,
    lines,
    taxes: taxes
      .filter((terms) => terms !== null)
      .map(({ category, percent, reason }) => ({
        category,
        percent,
        taxableMinor: '100',
        taxMinor: '0',
        ...(reason && { reason }),
      })),
    pricesIncludeTax: false,
    totals: {
      subtotalMinor: total,
      discountMinor: '0',
      netMinor: total,
      taxMinor: '0',
      totalMinor: total,
      balanceMinor: '0',
      payableMinor: total,
    },
    payment: { kind: 'charged', bankAccount: null, reference: null, termsDays: null },
    note: null,
  };
}

/** What an e-invoice of a customer would lack, told before one is numbered. */
import { listMissingFields, type MissingField } from '../../documents/missingFields.ts';
import { profileOfFormat } from '../../documents/profiles.ts';
import type { DocumentRecord } from '../../documents/record.ts';
import { refuse } from '../../lib/errors.ts';
import type { TaxTerms } from '../../storage/model/common.ts';
import type { MailedFormat } from '../../storage/model/parties.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { readTaxBook, resolveTax } from '../tax/taxBook.ts';
import { describeMissing } from './documentFiles.ts';
import { describeParties, nameReferences } from './documentRecords.ts';

type CustomerRow = Row<'customers'>;

interface Sale {
  customer: CustomerRow;
  /** The number of the customer's order; null for none. */
  purchaseOrder: string | null;
}

/**
 * Lists the fields that an e-invoice of this format would lack now: the tax is that of the customer's bills, without rates of a
 * product or a charge.
 */
export async function listMissingNow(
  reads: Reads,
  { tenant, now }: Pick<UnitOfWork, 'tenant' | 'now'>,
  { customer, purchaseOrder }: Sale,
  format: MailedFormat,
): Promise<MissingField[]> {
  const book = await readTaxBook(reads, tenant, [customer.id], []);
  const terms = resolveTax(book, customer.id, [], now)?.terms;
  const parties = await describeParties(reads, tenant, customer);
  const record = { ...buildSample(terms), ...parties, ...nameReferences(customer, { purchaseOrder }) };
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

/** A document of one line, in euros; its parties are added. */
const buildSample = (terms: TaxTerms | undefined): Omit<DocumentRecord, 'seller' | 'buyer'> => {
  const tax = terms ? { category: terms.category, percent: terms.percent } : null;
  const line = {
    description: 'Sample',
    details: [],
    period: null,
    quantity: '1',
    unitPrice: '1.00',
    listMinor: '100',
    discounts: [],
    netMinor: '100',
    taxMinor: '0',
    tax,
  };
  return {
    kind: 'invoice',
    number: 'SAMPLE',
    issueDate: '2026-01-01',
    issuedAt: '2026-01-01T00:00:00.000Z',
    dueDate: null,
    currency: 'eur',
    currencyDecimals: 2,
    locale: 'en',
    credits: null,
    period: null,
    lines: [line],
    taxes: tax
      ? [{ ...tax, taxableMinor: '100', taxMinor: '0', ...(terms?.reason && { reason: terms.reason }) }]
      : [],
    pricesIncludeTax: false,
    totals: {
      subtotalMinor: '100',
      discountMinor: '0',
      netMinor: '100',
      taxMinor: '0',
      totalMinor: '100',
      balanceMinor: '0',
      payableMinor: '100',
    },
    payment: { kind: 'charged', bankAccount: null, reference: null, termsDays: null },
    note: null,
  };
};

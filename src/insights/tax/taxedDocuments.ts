/** The taxed documents of a period: its invoices and credit notes, as a tax return counts them. */
import { joinTotals } from '../../billing/pricing/tax.ts';
import { locate } from '../../billing/tax/vatPlaces.ts';
import type { DocumentRecord } from '../../documents/record.ts';
import type { TaxTotal } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import type { Scan } from '../../storage/scan.ts';
import type { Reads } from '../../storage/store.ts';

/** The instants of a period; its end is exclusive. */
export interface Period {
  from: string;
  before: string;
}

/** A document with its tax. */
export interface TaxedDocument {
  /** By what it does: an invoice whose credits exceed its charges credits, too. */
  kind: 'invoice' | 'credit_note';
  id: string;
  documentNumber: string;
  customerId: string;
  issuedAt: string;
  /** When the invoice was issued that a credit note credits; null for others. */
  creditedIssuedAt: string | null;
  /** The country whose tax applies; null if it is not known any more. */
  country: string | null;
  currency: string;
  /** Null if no tax was computed. Amounts of credit notes are positive here, but below 0 on invoices that credit. */
  taxes: TaxTotal[] | null;
  /** −1 for a credit note, whose amounts are to be taken off. */
  sign: 1n | -1n;
}

/** A tax of a document by country and rate. Amounts are below 0 where they reduce the tax. */
export interface SignedTax extends Omit<TaxTotal, 'taxableMinor' | 'taxMinor'> {
  taxableMinor: bigint;
  taxMinor: bigint;
}

/** Lists the taxes of a document; none if no tax was computed. */
export const listSignedTaxes = ({ taxes, sign }: Pick<TaxedDocument, 'taxes' | 'sign'>): SignedTax[] =>
  joinTotals(taxes ?? [], { byCountry: true }).map((tax) => ({
    ...tax,
    taxableMinor: sign * BigInt(tax.taxableMinor),
    taxMinor: sign * BigInt(tax.taxMinor),
  }));

type InvoiceRow = Row<'invoices'>;

const readColumns = [
  'id',
  'number',
  'documentNumber',
  'documentKind',
  'customerId',
  'status',
  'currency',
  'taxes',
  'taxCountry',
  'issuedAt',
  'finalizeAt',
  'createdAt',
] as const satisfies (keyof InvoiceRow)[];

const unreadColumns = allColumnsBut('invoices', ...readColumns);

/** Drafts are no documents yet, and a voided invoice asks for nothing. */
const countedStatuses = ['open', 'paid', 'uncollectible'] as const;

/** Few enough to be bound to one statement. */
const idsAtOnce = 500;

/** How the documents of a period are read: all of them from its start, unless told otherwise. */
export interface Reading {
  direction?: 'asc' | 'desc';
  /** The time of issue and the id beyond which they are read. */
  past?: string[];
  /** How many rows the first step reads. */
  firstRows?: number;
  currency?: string;
}

/** Iterates over the invoices that were issued in a period and are not void, of all currencies or one. */
export async function* readTaxedInvoices(
  scan: Scan,
  period: Period,
  reading: Pick<Reading, 'currency'> = {},
): AsyncGenerator<TaxedDocument[]> {
  yield* readInvoicesIssuedAtOnce(scan, period, reading);
  yield* readInvoicesIssuedLater(scan, period, reading);
}

/** Iterates over the invoices that were issued when they were created, as most are, in the order of issue. */
export async function* readInvoicesIssuedAtOnce(
  scan: Scan,
  period: Period,
  { currency, ...steps }: Reading = {},
): AsyncGenerator<TaxedDocument[]> {
  for await (const rows of scan.slices('invoices', {
    ...steps,
    where: { createdAt: period },
    filter: { status: countedStatuses, currency },
    orderBy: ['createdAt', 'id'],
    leaveOut: unreadColumns,
  })) {
    const issued = rows.filter((row) => isIssued(row) && findIssue(row) === row.createdAt);
    yield await describeInvoices({ many: scan.select }, issued);
  }
}

/** Iterates over the invoices that were drafts before, in the order of issue. */
export async function* readInvoicesIssuedLater(
  scan: Scan,
  period: Period,
  { currency, ...steps }: Reading = {},
): AsyncGenerator<TaxedDocument[]> {
  for await (const rows of scan.slices('invoices', {
    ...steps,
    where: { issuedAt: { ...period, inIndex: 'invoices_issued_later' } },
    filter: { status: countedStatuses, currency },
    orderBy: ['issuedAt', 'id'],
    leaveOut: unreadColumns,
  }))
    yield await describeInvoices({ many: scan.select }, rows);
}

/**
 * Iterates over the credit notes of a period that are not void, in the order of issue. Those of voided invoices count as
 * little as these.
 */
export async function* readTaxedNotes(
  scan: Scan,
  period: Period,
  { currency, ...steps }: Reading = {},
): AsyncGenerator<TaxedDocument[]> {
  for await (const rows of scan.slices('creditNotes', {
    ...steps,
    where: { createdAt: period },
    filter: { status: 'issued', currency },
    orderBy: ['createdAt', 'id'],
    leaveOut: ['lines', 'memo', 'reason'],
  }))
    yield await describeNotes({ many: scan.select }, rows);
}

/** Whether an invoice counts: it was issued, and is not void. Those of earlier releases were never finalized. */
export const isTaxed = (invoice: Row<'invoices'>): boolean =>
  (countedStatuses as readonly string[]).includes(invoice.status) && isIssued(invoice);

const isIssued = ({ issuedAt, finalizeAt }: InvoiceRow): boolean => issuedAt !== null || finalizeAt === null;

/** Returns the date of an invoice's document. */
export const findIssue = ({ issuedAt, createdAt }: InvoiceRow): string => issuedAt ?? createdAt;

/** Returns the documents of invoices that count. */
export async function describeInvoices(
  reads: Pick<Reads, 'many'>,
  rows: Row<'invoices'>[],
): Promise<TaxedDocument[]> {
  const countries = await readCountries(reads, rows);
  return rows.map((invoice) => ({
    kind: invoice.documentKind ?? 'invoice',
    id: invoice.id,
    documentNumber: invoice.documentNumber ?? String(invoice.number),
    customerId: invoice.customerId,
    issuedAt: findIssue(invoice),
    creditedIssuedAt: null,
    country: countries(invoice),
    currency: invoice.currency,
    taxes: invoice.taxes,
    sign: 1n,
  }));
}

/** Returns the documents of credit notes whose invoices are not void. */
export async function describeNotes(
  reads: Pick<Reads, 'many'>,
  notes: Row<'creditNotes'>[],
): Promise<TaxedDocument[]> {
  const ids = [...new Set(notes.map(({ invoiceId }) => invoiceId))];
  const invoices = new Map<string, InvoiceRow>();
  for (const id of divide(ids))
    for (const row of await reads.many('invoices', { where: { id }, leaveOut: unreadColumns }))
      invoices.set(row.id, row);
  const countries = await readCountries(reads, [...invoices.values()]);
  return notes.flatMap((note) => {
    const invoice = invoices.get(note.invoiceId)!;
    if (invoice.status === 'void') return [];
    return {
      kind: 'credit_note',
      id: note.id,
      documentNumber: note.documentNumber,
      customerId: note.customerId,
      issuedAt: note.createdAt,
      creditedIssuedAt: findIssue(invoice),
      country: countries(invoice),
      currency: note.currency,
      taxes: note.taxes,
      sign: -1n,
    };
  });
}

/**
 * Returns a function that finds the country of an invoice. Earlier releases kept none: then the document has the address of
 * the customer, or of the seller by which a customer without one was taxed.
 */
async function readCountries(
  reads: Pick<Reads, 'many'>,
  invoices: InvoiceRow[],
): Promise<(invoice: InvoiceRow) => string | null> {
  const unknown = invoices.filter(({ taxCountry, taxes }) => taxCountry === null && taxes !== null);
  const found = new Map<string, string>();
  for (const id of divide(unknown.map((invoice) => invoice.id))) {
    for (const document of await reads.many('documents', { where: { id } })) {
      const { buyer, seller } = document.record as unknown as DocumentRecord;
      const address = buyer.address ?? seller.address;
      if (address) found.set(document.id, locate(address).country);
    }
  }
  return ({ id, taxCountry }) => taxCountry ?? found.get(id) ?? null;
}

const divide = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / idsAtOnce) }, (_, nth) =>
    ids.slice(nth * idsAtOnce, (nth + 1) * idsAtOnce),
  );

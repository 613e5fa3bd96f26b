/** What a document or a payment books, whatever program reads it. */
import type { DocumentLine, DocumentRecord } from '../../documents/record.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Scan } from '../../storage/scan.ts';
import { listSignedTaxes, type TaxedDocument } from '../tax/taxedDocuments.ts';
import { describeTerms, type FindTreatment, type TaxTermsOfPlace } from '../tax/taxTerms.ts';
import { findVatId } from '../tax/vatIds.ts';

/** A part of a document with the same tax. Amounts are in minor units, below 0 where they are credited. */
export interface BookedTax {
  /** Null for a document of a seller who had no address, and therefore charged no tax. */
  terms: TaxTermsOfPlace | null;
  netMinor: bigint;
  taxMinor: bigint;
}

/** A line of a document. */
export interface BookedLine extends BookedTax {
  description: string;
}

/** An invoice or a credit note as it is booked. */
export interface BookedDocument {
  id: string;
  kind: TaxedDocument['kind'];
  number: string;
  /** Calendar dates. */
  issueDate: string;
  dueDate: string | null;
  currency: string;
  customerId: string;
  customerName: string;
  vatId: string | undefined;
  /** Null for documents of releases that kept none. */
  record: DocumentRecord | null;
  taxes: BookedTax[];
  lines: BookedLine[];
}

/** Few enough to be bound to one statement. */
const idsAtOnce = 500;

/** Returns rows by their ids. Error: `query_timeout`. */
export async function readByIds<Name extends 'documents' | 'customers' | 'invoices'>(
  scan: Scan,
  name: Name,
  ids: readonly string[],
): Promise<Map<string, Row<Name>>> {
  const found = new Map<string, Row<Name>>();
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const where = { id: ids.slice(at, at + idsAtOnce) };
    for (const row of (await scan.select(name, { where } as never)) as (Row<Name> & { id: string })[])
      found.set(row.id, row);
  }
  return found;
}

/** Returns documents as they are booked. Error: `query_timeout`. */
export async function bookDocuments(
  scan: Scan,
  documents: readonly TaxedDocument[],
  findTreatment: FindTreatment,
  toDate: (instant: string) => string,
): Promise<BookedDocument[]> {
  const frozen = await readByIds(
    scan,
    'documents',
    documents.map(({ id }) => id),
  );
  const unfrozen = documents.filter(({ id }) => !frozen.has(id)).map(({ customerId }) => customerId);
  const customers = await readByIds(scan, 'customers', [...new Set(unfrozen)]);
  return documents.map((document) => {
    const record = (frozen.get(document.id)?.record ?? null) as unknown as DocumentRecord | null;
    const { id, kind, customerId, currency, issuedAt } = document;
    return {
      id,
      kind,
      customerId,
      currency,
      number: document.documentNumber,
      issueDate: record?.issueDate ?? toDate(issuedAt),
      dueDate: record?.dueDate ?? null,
      customerName: record ? nameBuyer(record) : nameCustomer(customers.get(customerId)),
      vatId: record ? findVatId(record) : undefined,
      record,
      ...bookTaxes(document, record, findTreatment),
    };
  });
}

const nameBuyer = ({ buyer }: DocumentRecord): string => buyer.companyName || buyer.name || buyer.email;

const nameCustomer = (customer: Row<'customers'> | undefined): string =>
  customer?.companyName || [customer?.firstName, customer?.lastName].filter(Boolean).join(' ');

function bookTaxes(
  document: TaxedDocument,
  record: DocumentRecord | null,
  findTreatment: FindTreatment,
): Pick<BookedDocument, 'taxes' | 'lines'> {
  const { taxes, documentNumber } = document;
  const booked = listSignedTaxes(document).map((tax) => ({
    terms: describeTerms(document, tax, findTreatment),
    netMinor: tax.taxableMinor,
    taxMinor: tax.taxMinor,
  }));
  // The record of an invoice that credits has amounts above 0, as a credit note has them.
  const direction = record?.kind === 'credit_note' ? -1n : 1n;
  const untaxed = { terms: null, netMinor: direction * BigInt(record?.totals.netMinor ?? 0), taxMinor: 0n };
  const all = taxes ? booked : [untaxed];
  const lines = record?.lines.map((line) => ({
    description: line.description,
    terms: findTerms(line, all),
    netMinor: direction * BigInt(line.netMinor),
    taxMinor: direction * BigInt(line.taxMinor),
  }));
  return { taxes: all, lines: lines ?? all.map((tax) => ({ ...tax, description: documentNumber })) };
}

const findTerms = ({ tax }: DocumentLine, taxes: BookedTax[]): TaxTermsOfPlace | null =>
  taxes.find(
    ({ terms }) => terms?.category === tax?.category && Number(terms?.percent) === Number(tax?.percent),
  )?.terms ??
  taxes[0]?.terms ??
  null;

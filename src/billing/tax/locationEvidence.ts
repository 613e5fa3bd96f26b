/**
 * The pieces of evidence of where a customer is (Implementing Regulation (EU) 282/2011, articles 24b and 24f): electronic services
 * for private customers are taxed there, which two pieces that agree have to show. They never hold up a sale.
 *
 * Of the IP address and the card only the country is kept: article 24f asks for no more, and the rest would be personal data without
 * a purpose. The customer has the latest piece of each kind, which their erasure removes. A document keeps those of its time beside
 * its record, as long as the record itself: the seller has to show the evidence for ten years (article 63c), so it outlasts
 * the erasure of the customer as invoices do (GDPR, article 17(3)(b)), and ends with them.
 */
import type { DocumentRecord } from '../../documents/record.ts';
import type { TaxTotal } from '../../storage/model/common.ts';
import type { EvidenceGap, LocationPiece } from '../../storage/model/locationEvidence.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { isCountry } from '../../lib/countries.ts';
import { locate } from './vatPlaces.ts';

type CustomerRow = Row<'customers'>;

/** How many invoices of a customer that are not paid a new piece of evidence is added to, the newest first. */
const mostCompleted = 50;

/** A piece of evidence as it is shown, the billing address among them. */
export interface ShownPiece {
  kind: LocationPiece['kind'] | 'billing_address';
  country: string;
  /** Null for an address, which is that of the document. */
  at: string | null;
}

/** Reads the code of a country that a provider or a proxy has reported; undefined for anything else. */
export function readCountry(text: unknown): string | undefined {
  const code = typeof text === 'string' ? text.toUpperCase() : '';
  return isCountry(code) ? code : undefined;
}

/**
 * Keeps a piece of evidence of a customer in place of the one before of its kind, and adds it to their newest invoices that are not
 * paid yet. Does nothing for a customer that was deleted, or if the same was seen on the same day.
 */
export async function noteLocation(
  unit: UnitOfWork,
  customerId: string,
  { kind, country }: Pick<LocationPiece, 'kind' | 'country'>,
  causedBy?: string,
): Promise<void> {
  const customer = await unit.one('customers', { id: customerId });
  if (!customer) return;
  const known = customer.locationEvidence ?? [];
  const day = unit.now.slice(0, 10);
  if (known.some((piece) => piece.kind === kind && piece.country === country && piece.at.startsWith(day)))
    return;
  const others = known.filter((piece) => piece.kind !== kind);
  const locationEvidence = [...others, { kind, country, at: unit.now }];
  const changed = await unit.change('customers', customer, { locationEvidence }, { causedBy });
  await completeOpenInvoices(unit, changed);
}

/** Keeps the evidence of a customer beside the documents of their newest open invoices, and judges these again. */
async function completeOpenInvoices(unit: UnitOfWork, customer: CustomerRow): Promise<void> {
  const { id: customerId, locationEvidence: evidence } = customer;
  const open = await unit.many('invoices', {
    where: { customerId, status: 'open' },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
    limit: mostCompleted,
  });
  if (open.length === 0) return;
  const documents = await unit.many('documents', { where: { id: open.map(({ id }) => id) } });
  const addresses = new Map(documents.map(({ id, record }) => [id, readAddress(record)]));
  for (const invoice of open) {
    const address = addresses.get(invoice.id);
    // Invoices of earlier releases have no document until it is asked for, and it then has the evidence of that day.
    if (address === undefined) continue;
    await unit.addEvidence(invoice.id, evidence);
    const evidenceGap = findEvidenceGap(unit.tenant, { ...customer, address }, invoice);
    if (evidenceGap !== invoice.evidenceGap)
      await unit.change('invoices', invoice, { evidenceGap }, { causedBy: customerId });
  }
}

/** The address of the customer on a document, which stays when they move. */
const readAddress = (record: Row<'documents'>['record']): CustomerRow['address'] =>
  (record as unknown as DocumentRecord).buyer.address;

/** Lists the evidence of a customer: their address, and what was seen. */
export const listPieces = (
  { address }: Pick<CustomerRow, 'address'>,
  seen: readonly LocationPiece[] | null,
): ShownPiece[] => [
  ...(address ? [{ kind: 'billing_address' as const, country: address.country, at: null }] : []),
  ...(seen ?? []),
];

/** Lists the pieces that show the country whose tax applies. */
export const listAgreeing = (
  pieces: readonly ShownPiece[],
  address: CustomerRow['address'],
  country: string,
): ShownPiece[] => pieces.filter((piece) => findVatCountry(piece, address) === country);

/** Whether two pieces show that a customer is in the country whose tax applies; if not, what is wrong. */
export function judgePieces(
  pieces: readonly ShownPiece[],
  address: CustomerRow['address'],
  country: string,
): EvidenceGap | 'sufficient' {
  if (listAgreeing(pieces, address, country).length >= 2) return 'sufficient';
  return pieces.length < 2 ? 'insufficient' : 'contradictory';
}

/** The country to whose VAT a piece belongs: a card of Monaco shows France. */
const findVatCountry = ({ kind, country }: ShownPiece, address: CustomerRow['address']): string =>
  locate(kind === 'billing_address' && address ? address : { ...nowhere, country }).country;

const nowhere = { line1: null, line2: null, city: null, postalCode: null, region: null };

/**
 * Returns what is wrong with the evidence of a bill; null if nothing is, or if none is needed: it is for sellers in the Union who
 * sell to private customers. At home, and outside of the Union, only a contradiction counts.
 */
export function findEvidenceGap(
  { seller }: Pick<Row<'tenants'>, 'seller'>,
  customer: CustomerRow | undefined,
  { taxes, taxCountry }: { taxes: TaxTotal[] | null; taxCountry: string | null },
): EvidenceGap | null {
  if (!seller?.address || !customer || !taxes || taxCountry === null) return null;
  const home = locate(seller.address);
  if (!home.isInUnion || !taxes.some((tax) => isTaxedByPlace(tax, home.country, customer))) return null;
  const pieces = listPieces(customer, customer.locationEvidence);
  const found = judgePieces(pieces, customer.address, taxCountry);
  if (found === 'sufficient') return null;
  const isAbroad = taxCountry !== home.country && taxes.some(({ category }) => category === 'S');
  return found === 'contradictory' || isAbroad ? found : null;
}

/** Whether a tax depends on where a private customer is, as that of electronic services does. */
function isTaxedByPlace(
  { category, country, belowThreshold, reason }: TaxTotal,
  home: string,
  { companyName, taxIds }: CustomerRow,
): boolean {
  if (category === 'O') return reason === 'outside_scope' && !companyName && !taxIds?.length;
  return category === 'S' && (country !== home || belowThreshold === true);
}

import type Database from 'better-sqlite3';
import { judgePieces, listPieces } from '../../../src/billing/tax/locationEvidence.ts';
import type { DocumentRecord } from '../../../src/documents/record.ts';
import type { LocationPiece } from '../../../src/storage/model/locationEvidence.ts';
import { readRows } from './books.ts';

/** Open invoices have the evidence of their customer, and what is wrong with the evidence of an invoice can be read off it. */
export function findEvidenceFaults(disk: Database.Database): string[] {
  const documents = new Map(readRows(disk, 'documents').map((row) => [row.id, row]));
  const customers = new Map(readRows(disk, 'customers').map((row) => [row.id, row]));
  return readRows(disk, 'invoices').flatMap(({ id, customerId, status, taxCountry, evidenceGap }) => {
    const document = documents.get(id);
    if (!document) return [];
    const { address } = (document.record as unknown as DocumentRecord).buyer;
    const pieces = listPieces({ address }, document.evidence);
    const found: string[] = [];
    if (evidenceGap !== null && judgePieces(pieces, address, taxCountry!) !== evidenceGap)
      found.push(`${id}: its evidence is not ${evidenceGap}: ${describe(document.evidence)}`);
    const known = customers.get(customerId)?.locationEvidence;
    if (status === 'open' && known && describe(known) !== describe(document.evidence))
      found.push(`${id}: is open with the evidence ${describe(document.evidence)}, not ${describe(known)}`);
    return found;
  });
}

const describe = (pieces: LocationPiece[] | null): string =>
  (pieces ?? [])
    .map(({ kind, country }) => `${kind} ${country}`)
    .toSorted()
    .join(', ');

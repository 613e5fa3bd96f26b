/**
 * The retention of documents. The law demands to keep issued invoices and credit notes for years, so the erasure of a customer
 * leaves them (GDPR, article 17(3)(b)); their personal data is erased when the retention ends.
 */
import { erasedMark } from '../customers/erasedData.ts';
import type { DocumentRecord } from '../../documents/record.ts';
import { parseInstant, toLocalDate } from '../../lib/time.ts';
import type { JsonObject } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { findRetentionYears } from '../../tenants/settings.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

type RetainingTenant = Pick<Row<'tenants'>, 'documentRetentionYears' | 'timezone'>;

/**
 * Returns until when a document is kept: the end of the last year of its retention, in the tenant's time zone. Null if the
 * tenant keeps none.
 */
export function computeRetentionEnd(tenant: RetainingTenant, issuedAt: string): string | null {
  const years = findRetentionYears(tenant);
  if (years === 0) return null;
  const year = Number(toLocalDate(issuedAt, tenant.timezone).slice(0, 4)) + years + 1;
  return parseInstant(`${year}-01-01`, tenant.timezone, 'retainedUntil');
}

/** Returns the record of a document without the buyer and the texts that an operator wrote; amounts stay. */
function eraseRecord(record: JsonObject): JsonObject {
  const { buyer, lines, note, ...rest } = record as unknown as DocumentRecord;
  const erased = { name: erasedMark, companyName: null, email: erasedMark, address: null, taxIds: [] };
  return {
    ...rest,
    buyer: { ...buyer, ...erased },
    // One-off charges have no period.
    lines: lines.map((line) => (line.period === null ? { ...line, description: erasedMark } : line)),
    note: note === null ? null : erasedMark,
  };
}

/** Keeps the documents of an erased customer until their retention ends, and erases those whose retention has ended. */
export async function retainDocuments(unit: UnitOfWork, customerId: string): Promise<void> {
  for (const { id, record } of await unit.many('documents', { where: { customerId } })) {
    const { issuedAt } = record as unknown as DocumentRecord;
    const retainedUntil = computeRetentionEnd(unit.tenant, issuedAt);
    if (retainedUntil !== null && retainedUntil > unit.now) await unit.rewriteDocument(id, { retainedUntil });
    else await unit.rewriteDocument(id, { record: eraseRecord(record), retainedUntil: null, evidence: null });
  }
}

/** What is kept of an erased customer. */
export interface RetainedDocuments {
  documents: number;
  /** When the last of them is erased. */
  until: string;
}

/** Returns the documents that are kept of an erased customer; null if there are none. */
export async function findRetained(reads: Reads, customerId: string): Promise<RetainedDocuments | null> {
  const kept = await reads.many('documents', {
    where: { customerId, retainedUntil: { inIndex: 'documents_retained' } },
    leaveOut: ['record'],
  });
  const ends = kept.flatMap(({ retainedUntil }) => retainedUntil ?? []).toSorted();
  return ends.length === 0 ? null : { documents: ends.length, until: ends.at(-1)! };
}

/** Returns when the retention of a document ends next, up to an instant; undefined for none. */
export async function findRetentionEnd(reads: Reads, until: string): Promise<string | undefined> {
  const [document] = await reads.many('documents', { ...matchEnded(until, 1), leaveOut: ['record'] });
  return document?.retainedUntil ?? undefined;
}

const matchEnded = (until: string, limit: number) => ({
  where: { retainedUntil: { to: until } },
  orderBy: ['retainedUntil', 'id'] as ['retainedUntil', 'id'],
  limit,
});

/** Erases personal data of the documents whose retention has ended, at most `limit`. Returns their number. */
export async function eraseRetained(tenant: SteppedTenant, now: string, limit: number): Promise<number> {
  if ((await findRetentionEnd(tenant.read, now)) === undefined) return 0;
  const erased = await tenant.writeStep(async (unit) => {
    const ended = await unit.many('documents', matchEnded(now, limit));
    for (const { id, record } of ended)
      await unit.rewriteDocument(id, { record: eraseRecord(record), retainedUntil: null, evidence: null });
    const documents = ended.map(({ id }) => id);
    if (ended.length > 0) await unit.recordEvent('tenants', unit.tenant, 'documents_erased', { documents });
    return ended.length;
  });
  await tenant.purgeOldData();
  return erased;
}

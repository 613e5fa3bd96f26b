import { createHash } from 'node:crypto';
import type { Random } from '../../../src/lib/random.ts';
import type { Row } from '../../../src/storage/model/rowTypes.ts';
import type { Post, PostOutcome } from '../../../src/outgoing/webhooks/httpClient.ts';
import type { Fate } from './fate.ts';

/** A document that the access point has taken, by its key. */
interface Taken {
  alias: string;
  documentId: string;
  hash: string;
  decision: 'sent' | 'accepted' | 'rejected';
}

/** A report that the access point still has to make. */
export interface Report {
  id: string;
  alias: string;
  key: string;
  status: 'accepted' | 'rejected';
}

/** An access point that is down, slow, or crashes now and then, and keeps each document that it takes by its key. */
export interface RandomAccessPoint {
  post: Post;
  /** Whether it does everything at once and well. */
  isCalm: boolean;
  taken: Map<string, Taken>;
  reports: Report[];
  /** What the service must never send. */
  faults: string[];
  /** Calls by what became of them. */
  counts: Map<string, number>;
}

const answer = (statusCode: number, body = ''): PostOutcome => ({
  statusCode,
  error: statusCode < 300 ? null : `answered ${statusCode}`,
  retryAfter: undefined,
  text: body,
});
const silence = (error: string): PostOutcome => ({ statusCode: null, error, retryAfter: undefined });

/** What it does with a call, and how often. */
const moods = { well: 12, twice: 3, down: 2, away: 1, busy: 1, slow: 2, crashed: 2 };

/** Opens an access point; `fate` may end the service before or after it has taken a document. */
export function openRandomAccessPoint(random: Random, fate: Fate): RandomAccessPoint {
  const taken = new Map<string, Taken>();
  const reports: Report[] = [];
  const faults: string[] = [];
  const counts = new Map<string, number>();

  const take = (key: string, headers: Record<string, string>, body: string | Buffer): Taken => {
    const hash = createHash('sha256').update(body).digest('hex');
    const known = taken.get(key);
    if (known && known.hash !== hash) faults.push(`${key}: another document under the same key`);
    if (known) return known;
    const documentId = headers['perennial-document']!;
    const made: Taken = {
      alias: headers['perennial-tenant']!,
      documentId,
      hash,
      decision: random.weighted({ sent: 6, accepted: 3, rejected: 1 }),
    };
    if (key !== documentId && !key.startsWith(`${documentId}-`)) faults.push(`${key}: for ${documentId}`);
    taken.set(key, made);
    return made;
  };
  const report = (key: string, document: Taken) => {
    // A network that decides later than the response says so by a report.
    const status =
      document.decision === 'sent' ? random.weighted({ accepted: 4, rejected: 1 }) : document.decision;
    document.decision = status;
    reports.push({ id: `report-${reports.length}-${key}`, alias: document.alias, key, status });
  };

  const point: RandomAccessPoint = {
    isCalm: false,
    taken,
    reports,
    faults,
    counts,
    post: async ({ headers, body: bytes }) => {
      fate.tick();
      const mood = point.isCalm ? 'well' : random.weighted(moods);
      counts.set(mood, (counts.get(mood) ?? 0) + 1);
      if (mood === 'down') return answer(503);
      if (mood === 'away') return silence('ECONNREFUSED');
      if (mood === 'busy') return answer(429);
      // It crashes before the document is safe, or after.
      if (mood === 'crashed' && random.chance(0.5)) return silence('ECONNRESET');
      const key = headers['idempotency-key']!;
      const isKnown = taken.has(key);
      const document = take(key, headers, bytes);
      fate.tick();
      if (mood === 'slow') return silence('timeout');
      if (mood === 'crashed') return silence('ECONNRESET');
      if (mood === 'twice' && !isKnown) report(key, document);
      const { decision: status } = document;
      const body = JSON.stringify({ reference: `ap-${key}`, ...(status !== 'sent' && { status }) });
      return answer(isKnown && random.chance(0.5) ? 409 : 200, body);
    },
  };
  return point;
}

const buildKey = ({ id, edition }: Row<'eInvoiceDeliveries'>) => (edition === 1 ? id : `${id}-${edition}`);

/** Compares the e-invoices in the books with what the access point has; `settled` means that none may wait. */
export function findEInvoiceFaults(
  deliveries: Row<'eInvoiceDeliveries'>[],
  { taken, reports, faults }: RandomAccessPoint,
  settled: boolean,
): string[] {
  const found = [...faults];
  const byId = new Map(deliveries.map((row) => [row.id, row]));
  for (const [key, { documentId }] of taken) {
    const row = byId.get(documentId);
    if (!row) found.push(`${key}: was sent, and is not in the books`);
    else if (Number(key.split('-')[1] ?? 1) > row.edition) found.push(`${key}: was sent under a later key`);
  }
  for (const row of deliveries) {
    const key = buildKey(row);
    const document = taken.get(key);
    if ((row.status === 'sent' || row.status === 'accepted') && !document)
      found.push(`${row.id}: is ${row.status}, and the access point does not have it`);
    if (settled && row.status === 'queued') found.push(`${row.id}: is still queued`);
    if (!settled || !document || row.status === 'failed') continue;
    if (document.decision !== row.status)
      found.push(`${key}: ${document.decision} by the access point, ${row.status} in the books`);
  }
  if (settled && reports.length > 0) found.push(`${reports.length} reports were not made`);
  return found;
}

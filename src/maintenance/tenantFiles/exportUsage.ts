/** Writes usage events to a file: JSON lines, or a table as CSV. */
import { refuse } from '../../lib/errors.ts';
import { formatCsvLine } from '../../lib/csv.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Service } from '../../tenancy/service.ts';
import type { Sink } from './exportTenant.ts';
import { readPages } from './tableScan.ts';

export type UsageFormat = 'jsonl' | 'csv';

const columns = [
  'id',
  'eventId',
  'event',
  'customerId',
  'associatedId',
  'at',
  'receivedAt',
  'voidedAt',
  'backfilled',
  'properties',
] as const satisfies (keyof Row<'usageEvents'>)[];

/**
 * Writes the events of a tenant in the order of their receipt, as of one instant: those received before `before`, or all. Reports the
 * number of events written to `progress`. Error: `validation_failed` for an unknown tenant.
 */
export function exportUsage(
  { store }: Pick<Service, 'store'>,
  { alias, before, format }: { alias: string; before: string | undefined; format: UsageFormat },
  write: Sink,
  progress: (events: number) => void,
): Promise<number> {
  return store.snapshot(async (queries) => {
    const found = await queries.select('tenants', { where: { alias }, limit: 1 });
    if (found.length === 0)
      refuse('validation_failed', { path: 'tenant', message: `there is no tenant ${alias}` });
    if (format === 'csv') await write(formatCsvLine(columns));
    let events = 0;
    for await (const page of readPages(queries, 'usageEvents', alias)) {
      const due = before === undefined ? page : page.filter(({ receivedAt }) => receivedAt < before);
      if (due.length === 0) break;
      await write(due.map((event) => formatEvent(event, format)).join(''));
      events += due.length;
      progress(events);
    }
    return events;
  });
}

function formatEvent(event: Row<'usageEvents'>, format: UsageFormat): string {
  if (format === 'jsonl')
    return `${JSON.stringify(Object.fromEntries(columns.map((name) => [name, event[name] ?? null])))}\n`;
  return formatCsvLine(
    columns.map((name) => {
      const value = event[name];
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
    }),
  );
}

/** Shows what a meter would have counted, before it is created. */
import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantReads } from '../../storage/store.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { MeterRow } from './counting.ts';
import { readMeterDefinition } from './meters.ts';
import { usageAheadMs } from './quarters.ts';
import { readSpan, sliceEvent, sumSpan, type Slice, type Usage, type UsageRequest } from './usage.ts';

/** What a meter would have counted in a span of time. */
export interface MeterPreview extends Omit<Usage, 'meter'> {
  /** The number of events of its name in the span that it would not count. */
  uncounted: number;
}

/** The most events that a preview reads; more take seconds. */
const mostPreviewedEvents = 100_000;
const eventsAtOnce = 1000;

/**
 * Returns what a meter with this definition would have counted of the events from `from` until `until`, which is exclusive. Without
 * a customer it reads all events that were received since `from`. Errors: `validation_failed`, `customer_not_found`.
 */
export async function previewMeter(
  tenant: TenantScope,
  input: unknown,
  request: Omit<UsageRequest, 'meterId'>,
): Promise<MeterPreview> {
  const definition = readMeterDefinition(input);
  const { customerId, names, edges } = await readSpan(tenant, definition, request);
  const [from, until] = [edges[0]!, edges.at(-1)!];
  const now = tenant.now();
  const meter: MeterRow = {
    ...definition,
    tenantAlias: tenant.alias,
    id: 'preview',
    startsAt: from,
    archivedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  const slices: Slice[] = [];
  let uncounted = 0;
  for await (const event of readEvents(tenant.read, customerId, from, until)) {
    if (event.event !== meter.event || event.customerId === null || event.voidedAt !== null) continue;
    const slice = sliceEvent(meter, event);
    if (slice) slices.push(slice);
    else uncounted += 1;
  }
  slices.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return { ...sumSpan(meter, slices, edges, names), uncounted };
}

/** Reads the events of a span: those of a customer by their time, those of all by their receipt, the newest first. */
async function* readEvents(
  reads: TenantReads,
  customerId: string | undefined,
  from: string,
  until: string,
): AsyncGenerator<Row<'usageEvents'>> {
  const earliest = addMs(from, -usageAheadMs);
  let read = 0;
  for (let last: Row<'usageEvents'> | undefined; ;) {
    const events =
      customerId === undefined
        ? await reads.many('usageEvents', {
            where: {},
            orderBy: ['id'],
            direction: 'desc',
            past: last && [last.id],
            limit: eventsAtOnce,
          })
        : await reads.many('usageEvents', {
            where: { customerId, at: { from, before: until } },
            orderBy: ['at', 'id'],
            past: last && [last.at, last.id],
            limit: eventsAtOnce,
          });
    for (const event of events) {
      // What was received before the span, less how far events may be ahead, happened before it.
      if (event.receivedAt < earliest && customerId === undefined) return;
      read += 1;
      if (event.at >= from && event.at < until) yield event;
    }
    if (read > mostPreviewedEvents)
      refuse('validation_failed', {
        path: 'from',
        message: `must have at most ${mostPreviewedEvents.toLocaleString('en')} events after it; give customerId or a later time`,
      });
    last = events.at(-1);
    if (!last || events.length < eventsAtOnce) return;
  }
}

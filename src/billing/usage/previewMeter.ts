/** Shows what a meter would have counted, before it is created. */
import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { MeterRow } from './counting.ts';
import { findMeter, readMeterDefinition } from './meters.ts';
import { readStart, readVersion } from './meterVersions.ts';
import { usageAheadMs } from './quarters.ts';
import { readEventsOf, readReceived } from './eventPages.ts';
import { sliceEvent, type Slice } from './slices.ts';
import { readSpan, sumSpan, type Usage, type UsageRequest, type UsageSpan } from './usage.ts';

/** What a meter would have counted in a span of time. */
export interface MeterPreview extends Omit<Usage, 'meter'> {
  /** The number of events of its name in the span that it would not count. */
  uncounted: number;
}

/** The most events that a preview reads; more take seconds. */
const mostPreviewedEvents = 100_000;

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
  const now = tenant.now();
  const meter: MeterRow = {
    ...definition,
    tenantAlias: tenant.alias,
    id: 'preview',
    startsAt: edges[0]!,
    archivedAt: null,
    totalsSince: null,
    alertsSince: null,
    earlierVersions: null,
    createdAt: now,
    updatedAt: now,
  };
  return preview(tenant, meter, { customerId, names, edges });
}

/**
 * Returns what a meter would have counted with the terms of a new version. Errors: `meter_not_found`, `validation_failed`,
 * `customer_not_found`.
 */
export async function previewMeterVersion(
  tenant: TenantScope,
  id: string,
  input: unknown,
  request: Omit<UsageRequest, 'meterId'>,
): Promise<MeterPreview> {
  const meter = await findMeter(tenant.read, id);
  const now = tenant.now();
  const terms = readVersion(meter, input, now);
  readStart(meter, input, { now, timeZone: tenant.record.timezone });
  const span = await readSpan(tenant, terms, request);
  const changed = { ...meter, ...terms, earlierVersions: null, startsAt: span.edges[0]!, archivedAt: null };
  return preview(tenant, changed, span);
}

async function preview(
  tenant: TenantScope,
  meter: MeterRow,
  { customerId, names, edges }: UsageSpan,
): Promise<MeterPreview> {
  const [from, until] = [edges[0]!, edges.at(-1)!];
  const slices: Slice[] = [];
  let uncounted = 0;
  let read = 0;
  const pages =
    customerId === undefined
      ? readReceived(tenant.read, addMs(from, -usageAheadMs))
      : readEventsOf(tenant.read, { customerId, from, until });
  for await (const events of pages) {
    read += events.length;
    if (read > mostPreviewedEvents) refuseSpan();
    for (const event of events) {
      if (event.event !== meter.event || event.customerId === null || event.voidedAt !== null) continue;
      if (event.at < from || event.at >= until) continue;
      const slice = sliceEvent(meter, event);
      if (slice) slices.push(slice);
      else uncounted += 1;
    }
  }
  return { ...sumSpan(meter, slices, edges, names), uncounted };
}

const refuseSpan = (): never =>
  refuse('validation_failed', {
    path: 'from',
    message: `must have at most ${mostPreviewedEvents.toLocaleString('en')} events after it; give customerId or a later time`,
  });

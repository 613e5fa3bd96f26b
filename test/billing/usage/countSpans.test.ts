/** Many spans counted at once, partly by sums of the database: the same as counting their events one by one. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addToBuckets } from '../../../src/billing/usage/buckets.ts';
import type { MeterRow } from '../../../src/billing/usage/counting.ts';
import { quarterMs } from '../../../src/billing/usage/quarters.ts';
import { countSpans, type UsageSpan } from '../../../src/billing/usage/spans.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { addDecimals, formatDecimal, parseDecimal, wholeDecimal } from '../../../src/lib/decimal.ts';
import type { Row } from '../../../src/storage/model/rowTypes.ts';
import { openStore } from '../../../src/storage/open.ts';
import { completeRow } from '../../../src/storage/query/tableMeta.ts';
import { TenantReads, TenantWrites, type Store } from '../../../src/storage/store.ts';
import { addTenant } from '../../support/database.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';

const byGroup = ([a]: [string | null, string], [b]: [string | null, string]) =>
  (a ?? '') < (b ?? '') ? -1 : 1;

let store: Store;
let scratch: Scratch;
beforeAll(async () => {
  scratch = await scratchDatabase();
  store = await openStore({ database: scratch.url, databaseConnections: 2 }, 'drizzle', true, systemClock);
  await addTenant(store, 'acme');
  await addTenant(store, 'globex');
});
afterAll(async () => {
  await store.close();
  await scratch.drop();
});

const startMs = Date.parse('2026-03-01T00:00:00.000Z');
const lengthMs = 6 * quarterMs;
const toInstant = (offsetMs: number) => new Date(startMs + offsetMs).toISOString();
const customers = ['cus_1', 'cus_2'];
const groups = ['a', 'b c', null];

/** Two meters that the database sums, each once per period and once carried over. */
const meters = [false, true].flatMap((persistent) =>
  (['sum', 'count'] as const).map((aggregation): MeterRow =>
    completeRow(
      'meters',
      {
        id: `mtr_${aggregation}_${persistent}`,
        name: 'Units',
        event: 'use',
        aggregation,
        value: aggregation === 'sum' ? 'units' : null,
        groupBy: ['group'],
        filter: [],
        persistent,
        unitMultiplier: '1',
        startsAt: toInstant(0),
        createdAt: toInstant(0),
        updatedAt: toInstant(0),
      },
      'acme',
    ),
  ),
);

const value = fc
  .tuple(fc.bigInt(-(10n ** 18n - 1n), 10n ** 18n - 1n), fc.integer({ min: 0, max: 12 }))
  .map(([digits, scale]) => formatDecimal({ digits, scale }));
/** Often the edge of a quarter. */
const offset = (most: number) =>
  fc.oneof(
    fc
      .integer({ min: 0, max: Math.floor(most / quarterMs) })
      .map((quarter) => Math.min(quarter * quarterMs, most)),
    fc.integer({ min: 0, max: most }),
  );
const event = fc.record({
  offsetMs: offset(lengthMs - 1),
  customerId: fc.constantFrom(...customers),
  group: fc.constantFrom(...groups),
  units: value,
});
const span = fc.record({
  meter: fc.constantFrom(...meters),
  customerId: fc.constantFrom(...customers, 'cus_none'),
  edges: fc.tuple(offset(lengthMs), offset(lengthMs)).filter(([from, until]) => from !== until),
});

const buildEvent = (alias: string, { offsetMs, customerId, group, units }: any, index: number) =>
  completeRow(
    'usageEvents',
    {
      id: `use_${String(index).padStart(4, '0')}`,
      eventId: `${index}`,
      event: 'use',
      customerId,
      at: toInstant(offsetMs),
      properties: { units, group },
      receivedAt: toInstant(0),
    },
    alias,
  );

/** Replaces the usage of a tenant. */
const replaceUsage = (alias: string, events: Row<'usageEvents'>[]) =>
  store.transact(alias, async (queries) => {
    const rows = new TenantWrites(queries, alias);
    for (const table of ['usageBuckets', 'usageEvents', 'meters'] as const) await rows.remove(table, {});
    const own = meters.map((meter) => ({ ...meter, tenantAlias: alias }));
    await rows.insertAll('meters', own);
    await rows.insertAll('usageEvents', events);
    await addToBuckets(rows, own, events);
  });

/** Counts a span event by event. */
function countDirectly(
  events: readonly Row<'usageEvents'>[],
  meter: MeterRow,
  { customerId, from, until }: UsageSpan,
) {
  const own = events.filter((each) => each.customerId === customerId && each.at < until);
  const within = own.filter(({ at }) => at >= from);
  const valueOf = ({ properties }: Row<'usageEvents'>) =>
    meter.aggregation === 'sum' ? parseDecimal(properties['units'] as string)! : wholeDecimal(1);
  const total = (list: readonly Row<'usageEvents'>[]) =>
    formatDecimal(list.map(valueOf).reduce(addDecimals, wholeDecimal(0)));
  const counted = meter.persistent ? own : within;
  const names = new Set(counted.map(({ properties }) => properties['group'] as string | null));
  return {
    quantity: total(counted),
    events: within.length,
    groups: [...names]
      .map((group): [string | null, string] => [
        group,
        total(counted.filter(({ properties }) => properties['group'] === group)),
      ])
      .toSorted(byGroup),
  };
}

it('counts each span as its events, of its customer, meter and tenant alone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 25 }),
      fc.array(event, { maxLength: 5 }),
      fc.array(span, { minLength: 1, maxLength: 9 }),
      async (given, others, wanted) => {
        const events = given.map((each, index) => buildEvent('acme', each, index));
        await replaceUsage('acme', events);
        await replaceUsage(
          'globex',
          others.map((each, index) => buildEvent('globex', each, index)),
        );
        const spans = wanted.map(({ meter, customerId, edges }): UsageSpan => {
          const [from, until] = edges.toSorted((a, b) => a - b).map(toInstant) as [string, string];
          return { meterId: meter.id, customerId, from, until };
        });
        const counts = await countSpans(new TenantReads(store.fresh, 'acme'), spans);
        const shown = counts.map(({ quantity, events: count, groups: parts }) => ({
          quantity: formatDecimal(quantity),
          events: count,
          groups: parts
            .map(({ properties, quantity: part }): [string | null, string] => [
              properties['group']!,
              formatDecimal(part),
            ])
            .toSorted(byGroup),
        }));
        expect(shown).toEqual(wanted.map(({ meter }, index) => countDirectly(events, meter, spans[index]!)));
      },
    ),
    { numRuns: 60 },
  );
});

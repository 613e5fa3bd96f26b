import { execFileSync } from 'node:child_process';
import { buildSync } from 'esbuild';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it, test } from 'vitest';
import * as schedule from '../../../src/billing/pricing/schedule.ts';
import * as instants from '../../../src/lib/time.ts';
import type { Interval } from '../../../src/billing/pricing/schedule.ts';
import type { Frequency } from '../../../src/storage/model/common.ts';
import { sampledRunsInCore } from '../../support/sample.ts';

const { checkInterval, findCycle, computeCycleStart, computeFirstPeriod } = schedule;
const { parseInstant: instantOf, parseLastInstant: lastInstantOf } = instants;

const every = (period: number, frequency: Frequency): Interval => ({ frequency, period });
const daily = every(1, 'Daily');
const weekly = every(1, 'Weekly');
const monthly = every(1, 'Monthly');
const yearly = every(1, 'Yearly');

/** Half an hour of daylight saving (Lord Howe), a skipped day (Apia), days without a midnight (Sao Paulo). */
const zones = 'UTC America/New_York America/Sao_Paulo Asia/Kabul Australia/Lord_Howe Pacific/Apia'.split(' ');
const anyZone = fc.constantFrom(...zones);
const anyInstant = fc
  .integer({ min: Date.parse('1971-01-01T00:00:00Z'), max: Date.parse('2120-01-01T00:00:00Z') })
  .map((instantMs) => new Date(instantMs).toISOString());
const longestPeriods: [Frequency, number][] = [
  ['Daily', 1096],
  ['Weekly', 156],
  ['Monthly', 36],
  ['Yearly', 3],
];
const anyInterval = fc
  .constantFrom(...longestPeriods)
  .chain(([frequency, max]) => fc.integer({ min: 1, max }).map((period) => every(period, frequency)));

/** `2026-01-31` for midnight UTC, the full text for any other instant. */
const short = (instant: string) => instant.replace('T00:00:00.000Z', '');
const midnight = (date: string) => `${date}T00:00:00.000Z`;

const invalid = (path: string) =>
  expect.objectContaining({ reason: 'validation_failed', issues: [expect.objectContaining({ path })] });

describe('computeCycleStart', () => {
  test.each([
    ['2026-01-31', monthly, ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
    ['2028-01-31', monthly, ['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30']],
    ['2024-01-30', monthly, ['2024-01-30', '2024-02-29', '2024-03-30', '2024-04-30']],
    ['2024-02-29', yearly, ['2024-02-29', '2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29']],
    ['2025-11-30', every(3, 'Monthly'), ['2025-11-30', '2026-02-28', '2026-05-30']],
    ['2026-12-31', monthly, ['2026-12-31', '2027-01-31', '2027-02-28']],
    ['2024-02-28', daily, ['2024-02-28', '2024-02-29', '2024-03-01']],
    ['2026-12-25', weekly, ['2026-12-25', '2027-01-01', '2027-01-08']],
    ['2024-02-29', every(3, 'Yearly'), ['2024-02-29', '2027-02-28', '2030-02-28']],
  ])('from %s, %o: %s', (anchor, interval, dates) => {
    const starts = dates.map((_, n) => short(computeCycleStart(midnight(anchor), interval, 'UTC', n)));
    expect(starts).toEqual(dates);
  });

  it('counts backwards too', () => {
    const starts = [-1, -2, -3].map((n) =>
      short(computeCycleStart(midnight('2026-03-31'), monthly, 'UTC', n)),
    );
    expect(starts).toEqual(['2026-02-28', '2026-01-31', '2025-12-31']);
  });

  test.each([
    [daily, '2026-03-07T14:00:00.000Z', '2026-03-08T13:00:00.000Z', '2026-03-09T13:00:00.000Z'],
    [daily, '2026-10-31T13:00:00.000Z', '2026-11-01T14:00:00.000Z', '2026-11-02T14:00:00.000Z'],
    [weekly, '2026-10-25T13:00:00.000Z', '2026-11-01T14:00:00.000Z', '2026-11-08T14:00:00.000Z'],
    [monthly, '2026-02-15T14:00:00.000Z', '2026-03-15T13:00:00.000Z', '2026-04-15T13:00:00.000Z'],
  ])('keeps the wall-clock hour of New York through daylight saving, %o', (interval, ...starts) => {
    const [anchor] = starts;
    expect(starts.map((_, n) => computeCycleStart(anchor, interval, 'America/New_York', n))).toEqual(starts);
  });

  it('clamps by the calendar of the zone: 31 January 20:00 in New York is already February in UTC', () => {
    const starts = [1, 2].map((n) =>
      computeCycleStart('2026-02-01T01:00:00.000Z', monthly, 'America/New_York', n),
    );
    expect(starts).toEqual(['2026-03-01T01:00:00.000Z', '2026-04-01T00:00:00.000Z']);
  });

  it('moves a skipped time forward, uses the first of a repeated one, and keeps the anchor', () => {
    const at = (anchor: string, n: number) => computeCycleStart(anchor, daily, 'America/New_York', n);
    expect(at('2026-03-07T07:30:00.000Z', 1)).toBe('2026-03-08T07:30:00.000Z');
    expect(at('2026-03-07T07:30:00.000Z', 2)).toBe('2026-03-09T06:30:00.000Z');
    expect(at('2026-10-31T05:30:00.000Z', 1)).toBe('2026-11-01T05:30:00.000Z');
    expect(at('2026-11-01T06:30:00.000Z', 0)).toBe('2026-11-01T06:30:00.000Z');
  });

  test.each(['UTC', 'Europe/London'])('refuses to leave the years 1 to 9999 in %s', (zone) => {
    const next = (anchor: string, n: number) => () => computeCycleStart(midnight(anchor), monthly, zone, n);
    expect(next('9999-12-31', 1)).toThrow(invalid('executionDate'));
    expect(next('0001-01-01', -1)).toThrow(invalid('executionDate'));
  });

  it('returns the same as Temporal in UTC', () => {
    const units = { Daily: 'days', Weekly: 'weeks', Monthly: 'months', Yearly: 'years' } as const;
    fc.assert(
      fc.property(anyInstant, anyInterval, fc.integer({ min: -400, max: 400 }), (anchor, interval, n) => {
        const expected = Temporal.Instant.from(anchor)
          .toZonedDateTimeISO('UTC')
          .add({ [units[interval.frequency]]: n * interval.period }, { overflow: 'constrain' });
        expect(Date.parse(computeCycleStart(anchor, interval, 'UTC', n))).toBe(expected.epochMilliseconds);
      }),
      { numRuns: sampledRunsInCore(2000, 5) },
    );
  });
});

describe('findCycle', () => {
  test.each([
    ['2026-01-31', '2026-02-27T23:59:59.999Z', [0, '2026-01-31', '2026-02-28']],
    ['2026-01-31', '2026-02-28T00:00:00.000Z', [1, '2026-02-28', '2026-03-31']],
    ['2026-01-31', '2025-12-31T00:00:00.000Z', [-1, '2025-12-31', '2026-01-31']],
    ['2026-01-31', '2026-01-31T00:00:00.000Z', [0, '2026-01-31', '2026-02-28']],
  ])('monthly from %s, %s lies in %j', (anchor, instant, [n, start, end]) => {
    const cycle = findCycle(midnight(anchor), monthly, 'UTC', instant);
    expect([cycle.n, short(cycle.start), short(cycle.end)]).toEqual([n, start, end]);
  });

  it('finds the cycle that contains the instant, and its neighbours touch it', () => {
    fc.assert(
      fc.property(anyInstant, anyInterval, anyZone, anyInstant, (anchor, interval, zone, instant) => {
        const { n, start, end } = findCycle(anchor, interval, zone, instant);
        expect(start <= instant && instant < end).toBe(true);
        expect(start).toBe(computeCycleStart(anchor, interval, zone, n));
        expect(end).toBe(computeCycleStart(anchor, interval, zone, n + 1));
        expect(findCycle(anchor, interval, zone, end).start).toBe(end);
        expect(findCycle(anchor, interval, zone, start)).toEqual({ n, start, end });
      }),
      { numRuns: sampledRunsInCore(1000, 5) },
    );
  });

  it('has no gaps or overlaps: every cycle starts at the end of the previous one', () => {
    fc.assert(
      fc.property(anyInstant, anyInterval, anyZone, (anchor, interval, zone) => {
        let cycle = findCycle(anchor, interval, zone, anchor);
        expect(cycle).toMatchObject({ n: 0, start: anchor });
        for (let step = 0; step < 12; step += 1) {
          const next = findCycle(anchor, interval, zone, cycle.end);
          expect(next.start).toBe(cycle.end);
          expect(next.end > next.start && next.n > cycle.n).toBe(true);
          cycle = next;
        }
      }),
    );
  });

  it('skips the day that Samoa skipped', () => {
    const at = (instant: string) => findCycle('2011-12-28T20:00:00.000Z', daily, 'Pacific/Apia', instant);
    const [start, skipped, end] = [29, 30, 31].map((day) => `2011-12-${day}T20:00:00.000Z`);
    expect(at('2011-12-30T05:00:00.000Z')).toEqual({ n: 1, start, end: skipped });
    expect(at(skipped!)).toEqual({ n: 3, start: skipped, end });
  });
});

test.each([
  ['2026-01-10', null, 'cycle 0, 2026-01-10/2026-02-10 of 2026-01-10/2026-02-10'],
  ['2026-01-10', '2026-01-10', 'cycle 0, 2026-01-10/2026-02-10 of 2026-01-10/2026-02-10'],
  ['2026-01-10', '2026-01-31', 'cycle -1, stub 2026-01-10/2026-01-31 of 2025-12-31/2026-01-31'],
  ['2026-01-10', '2026-03-31', 'cycle -3, stub 2026-01-10/2026-01-31 of 2025-12-31/2026-01-31'],
  ['2026-03-10', '2026-01-31', 'cycle 1, stub 2026-03-10/2026-03-31 of 2026-02-28/2026-03-31'],
  ['2026-02-28', '2026-01-31', 'cycle 1, 2026-02-28/2026-03-31 of 2026-02-28/2026-03-31'],
])('a subscription from %s with the anchor %s first pays %s', (start, executionDate, expected) => {
  const first = computeFirstPeriod(midnight(start), executionDate && midnight(executionDate), monthly, 'UTC');
  const period = `${short(first.periodStart)}/${short(first.periodEnd)}`;
  const full = `${short(first.fullStart)}/${short(first.fullEnd)}`;
  expect(first.anchor).toBe(midnight(executionDate ?? start));
  expect(`cycle ${first.cycle}, ${first.isStub ? 'stub ' : ''}${period} of ${full}`).toBe(expected);
});

test.each(longestPeriods)('%s goes up to %d', (frequency, longest) => {
  const check = (period: number) => () => checkInterval({ frequency, period }, 'recurring');
  for (const period of [1, 2, longest]) check(period)();
  for (const period of [0, -1, 1.5, longest + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(check(period), String(period)).toThrow(invalid('recurring.period'));
  }
});

describe('instantOf', () => {
  test.each([
    ['2026-01-31T00:00:00Z', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T00:00:00.000Z', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T09:30:00+04:30', '2026-01-31T05:00:00.000Z'],
    ['2026-01-31T23:00:00-0500', '2026-02-01T04:00:00.000Z'],
    ['2026-01-31T23:00:00+02', '2026-01-31T21:00:00.000Z'],
    ['2026-01-31T23:59Z', '2026-01-31T23:59:00.000Z'],
    ['2026-01-31T00:00:00.1Z', '2026-01-31T00:00:00.100Z'],
    ['2026-01-31T23:59:59.999999999Z', '2026-01-31T23:59:59.999Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
    ['2026-01-31', '2026-01-31T05:00:00.000Z'],
    ['2026-07-31', '2026-07-31T04:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (input, instant) => expect(instantOf(input, 'America/New_York', 'startDate')).toBe(instant));

  it('starts a day that has no midnight when it begins', () => {
    expect(instantOf('2018-11-04', 'America/Sao_Paulo', 'startDate')).toBe('2018-11-04T03:00:00.000Z');
  });

  const refused = [
    '|now|2026|2026-01|20260131|2026-1-31|2026-W05-6|1769817600000| 2026-01-31|2026-01-31\n|２０２６-01-01',
    '2026-01-31T00:00:00|2026-01-31 00:00:00Z|2026-01-31t00:00:00z|2026-01-31T00Z|2026-01-31Z',
    '2026-02-30|2026-02-29T00:00:00Z|2026-13-01|2026-00-10|2026-01-32T00:00:00Z',
    '2026-01-31T24:00:00Z|2026-01-31T23:60:00Z|2016-12-31T23:59:60Z',
    '2026-01-31T00:00:00.Z|2026-01-31T00:00:00,5Z|2026-01-31T00:00:00.1234567890Z',
    '2026-01-31T00:00:00+24:00|2026-01-31T00:00:00+02:00:00|2026-01-31T00:00:00−02:00',
    '2026-01-31T00:00:00+02:00[Europe/Paris]|2026-01-31T00:00:00Z[u-ca=hebrew]|2026-01-31[u-ca=iso8601]',
    '0000-01-01|10000-01-01|+002026-01-31|-000001-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00|9999-12-31T23:59:59-01:00',
  ];
  test.each(refused.flatMap((line) => line.split('|')))('refuses %j', (input) => {
    expect(() => instantOf(input, 'UTC', 'startDate')).toThrow(invalid('startDate'));
    expect(() => lastInstantOf(input, 'UTC', 'endDate')).toThrow(invalid('endDate'));
  });

  it('returns every instant that was formatted', () => {
    fc.assert(
      fc.property(anyInstant, anyZone, (instant, zone) => {
        expect(instantOf(instant, zone, 'at')).toBe(instant);
      }),
    );
  });
});

test.each([
  ['2026-03-08', 'UTC', '2026-03-08T23:59:59.999Z'],
  ['2026-03-08', 'America/New_York', '2026-03-09T03:59:59.999Z'],
  ['2026-03-08T12:00:00Z', 'America/New_York', '2026-03-08T12:00:00.000Z'],
  ['9999-12-31', 'America/New_York', '9999-12-31T23:59:59.999Z'],
])('the last instant of %s in %s is %s', (input, zone, instant) =>
  expect(lastInstantOf(input, zone, 'endDate')).toBe(instant),
);

test('a time zone is an IANA name', () => {
  for (const zone of [...zones, 'Etc/GMT+2', 'America/Argentina/Buenos_Aires', 'europe/paris']) {
    expect(instants.isTimeZone(zone), zone).toBe(true);
  }
  for (const text of ['', '+02:00', '-05', 'UTC+2', 'Z', 'Mars/Olympus', 'UTC ', '2020-01-01T00:00[UTC]']) {
    expect(instants.isTimeZone(text), text).toBe(false);
  }
});

describe('intervals', () => {
  it('have readable names', () => {
    const words = [daily, weekly, monthly, every(3, 'Monthly'), every(2, 'Yearly')].map(
      schedule.describeInterval,
    );
    expect(words).toEqual(['every day', 'every week', 'every month', 'every 3 months', 'every 2 years']);
  });

  test.each([
    [1000n, monthly, 12000n, yearly, 0],
    [1000n, monthly, 12001n, yearly, -1],
    [100n, daily, 700n, weekly, 0],
    [100n, daily, 36500n, yearly, 0],
    [301n, monthly, 900n, every(3, 'Monthly'), 1],
    [230n, weekly, 1000n, monthly, -1],
    [231n, weekly, 1000n, monthly, 1],
  ])('%d %o against %d %o by the year: %d', (amountA, intervalA, amountB, intervalB, order) => {
    const [a, b] = [
      schedule.computeYearlyAmount(amountA, intervalA),
      schedule.computeYearlyAmount(amountB, intervalB),
    ];
    expect(schedule.compareYearly(a, b)).toBe(order);
    expect(schedule.compareYearly(b, a) + order).toBe(0);
  });

  it('are equal if they cover the same calendar time', () => {
    expect(schedule.isSameInterval(yearly, every(12, 'Monthly'))).toBe(true);
    expect(schedule.isSameInterval(weekly, every(7, 'Daily'))).toBe(true);
    expect(schedule.isSameInterval(monthly, daily)).toBe(false);
    expect(schedule.isSameInterval(monthly, every(2, 'Monthly'))).toBe(false);
  });
});

/** Runs in a process of its own for each TZ: within a worker thread a change of TZ does not take. */
const timeZoneProbe = `
  import { findCycle, computeCycleStart, computeFirstPeriod } from './src/billing/pricing/schedule.ts';
  import { parseInstant, parseLastInstant } from './src/lib/time.ts';
  import { prorate } from './src/billing/pricing/proration.ts';
  const results = [];
  for (const zone of ${JSON.stringify(zones)}) {
    for (const frequency of ['Daily', 'Weekly', 'Monthly', 'Yearly']) {
      const interval = { frequency, period: 2 };
      const anchor = parseInstant('2024-01-31', zone, 'startDate');
      for (let n = -12; n < 12; n += 1) results.push(computeCycleStart(anchor, interval, zone, n));
      for (let month = 0; month < 12; month += 1) {
        const instant = new Date(Date.UTC(2026, month, 2 * month + 1, 2 * month, 30)).toISOString();
        const cycle = findCycle(anchor, interval, zone, instant);
        const { amountMinor } = prorate(1999n, { start: instant, end: cycle.end }, cycle);
        const lastInstant = parseLastInstant(instant.slice(0, 10), zone, 'endDate');
        results.push(cycle, String(amountMinor), computeFirstPeriod(instant, anchor, interval, zone), lastInstant);
      }
    }
  }
  console.log(JSON.stringify({ utcOffset: -new Date(2026, 0, 1).getTimezoneOffset(), results }));
`;

it('returns the same result with every TZ of the process', () => {
  const stdin = { contents: timeZoneProbe, resolveDir: process.cwd() };
  const { outputFiles } = buildSync({ stdin, bundle: true, write: false, platform: 'node', format: 'cjs' });
  const probes = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia'].map((TZ) => {
    const child = { input: outputFiles[0]!.contents, env: { ...process.env, TZ } };
    return JSON.parse(execFileSync(process.execPath, ['-'], child).toString());
  });
  expect(probes.map(({ utcOffset }) => utcOffset)).toEqual([0, -300, 345, 780]);
  expect(probes[0].results.length).toBe(zones.length * 4 * (24 + 12 * 4));
  for (const { results } of probes) expect(results).toEqual(probes[0].results);
});

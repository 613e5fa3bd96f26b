/**
 * Published examples of proration and trials: the same inputs, and what they cost here. Where another system decides
 * differently, the row says what it would charge.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { findBookFaults } from '../../../support/faults.ts';
import { openItems, type ChangeOf, type PriceOf } from '../../../support/items.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const fromFirst = (month: string) => ({ recurring: { executionDate: `2026-${month}-01` } });
const yearly = { recurring: { frequency: 'Yearly', period: 1 } };
const quarterly = { recurring: { frequency: 'Monthly', period: 3 } };

test.each<[name: string, start: string, main: PriceOf, billedOn: string, lines: string[]]>([
  [
    'a start on 10 August in calendar months: 22/31 of 50',
    '2026-08-10',
    { amount: '50', ...fromFirst('08') },
    '2026-08-10',
    ['stub 35.48'],
  ],
  [
    'a trial of 5 days from 1 April in calendar months: 25/30 of 50',
    '2026-04-01',
    { amount: '50', trialDays: 5, ...fromFirst('04') },
    '2026-04-06',
    ['stub 41.67'],
  ],
  [
    'a trial of 10 days from the 5th of a month of 31 days: 17/31 of 50,000',
    '2026-01-05',
    { amount: '50000', trialDays: 10, ...fromFirst('01') },
    '2026-01-15',
    ['stub 27419.35'],
  ],
])('%s', async (_name, start, main, billedOn, lines) => {
  const items = await openItems(app, main, { start });
  if (billedOn !== start) {
    expect(await items.lines()).toEqual([]);
    await items.renew(billedOn);
  }
  expect(await items.lines()).toEqual(lines);
  expect(await findBookFaults(app, items.alias)).toEqual([]);
});

test.each<[name: string, start: string, main: PriceOf, at: string, price: PriceOf, lines: string[]]>([
  [
    'half of the period: −5 + 10',
    '2026-06-01',
    { amount: '10' },
    '2026-06-16',
    { amount: '20' },
    ['proration_credit -5', 'proration_charge 10'],
  ],
  [
    'half of thirty days: −10 + 25',
    '2026-06-01',
    { amount: '20' },
    '2026-06-16',
    { amount: '50' },
    ['proration_credit -10', 'proration_charge 25'],
  ],
  [
    '21 of 31 days, 20 to 40: both halves of the change count (crediting the whole 20 would charge 7.10)',
    '2026-05-01',
    { amount: '20' },
    '2026-05-11',
    { amount: '40' },
    ['proration_credit -13.55', 'proration_charge 27.1'],
  ],
  [
    'month to year, a day before the end of a month of 31 days: 10/31 is credited',
    '2026-01-01',
    { amount: '10' },
    '2026-01-31',
    { amount: '120', ...yearly },
    ['proration_credit -0.32', 'cycle 120'],
  ],
  [
    'a quarter of 91 days that ran for 32: 320 of 910 stays paid',
    '2026-04-01',
    { amount: '910', ...quarterly },
    '2026-05-03',
    { amount: '1820', ...quarterly },
    ['proration_credit -590', 'proration_charge 1180'],
  ],
])('%s', async (_name, start, main, at, price, lines) => {
  const items = await openItems(app, main, { start });
  await items.advance(at);
  const change: ChangeOf = { price, billing: 'charge_now' };
  expect((await items.preview(change)).lines).toEqual(lines);
  expect(await items.change(change)).toEqual(lines);
  expect(await findBookFaults(app, items.alias)).toEqual([]);
});

// A longer interval takes effect at once, too; systems that compare the monthly value alone call 180 a year a downgrade.
test.each<[name: string, main: PriceOf, price: PriceOf, isAtOnce: boolean]>([
  ['20 a month to 300 a year, 25 a month', { amount: '20' }, { amount: '300', ...yearly }, true],
  ['20 a month to 180 a year, 15 a month', { amount: '20' }, { amount: '180', ...yearly }, true],
  ['300 a year to 20 a month', { amount: '300', ...yearly }, { amount: '20' }, false],
  ['180 a year to 20 a month', { amount: '180', ...yearly }, { amount: '20' }, true],
])('%s takes effect at once or not', async (_name, main, price, isAtOnce) => {
  const items = await openItems(app, main);
  await items.advance('2026-06-16');
  const { effectiveAt } = await items.preview({ price });
  expect(effectiveAt === '2026-06-16T00:00:00.000Z').toBe(isAtOnce);
});

/** Changes of quantities, add-ons and prices by the server: what is previewed is what is billed. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { findBookFaults } from '../../../support/faults.ts';
import { openItems, type ChangeOf, type Items, type Options, type PriceOf } from '../../../support/items.ts';
import { engine } from '../../../support/engines.ts';
import { sampledRunsInCore } from '../../../support/sample.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const open = (main: PriceOf, options: Options = {}) => openItems(app, main, options);

const seat = { amount: '5', model: 'per_unit' };
const tiers = (model: string, ...steps: [upTo: number | null, unitAmount: string][]) => ({
  amount: '0',
  model,
  tiers: steps.map(([upTo, unitAmount]) => ({ upTo, unitAmount })),
});

type Row = [
  name: string,
  main: PriceOf,
  begin: Options,
  date: string,
  change: ChangeOf,
  billed: string[],
  renewed: string[],
];

const flat = (amount: string) => ({ amount });

/** From published examples; a cycle is June, of thirty days. Lines are `KIND amount`. */
const rows: Row[] = [
  [
    '10 to 20 at half period',
    flat('10'),
    {},
    '2026-06-16',
    { price: flat('20') },
    ['proration_credit -5', 'proration_charge 10'],
    ['cycle 20'],
  ],
  [
    '20 to 50 on day 15 of 30',
    flat('20'),
    {},
    '2026-06-16',
    { price: flat('50') },
    ['proration_credit -10', 'proration_charge 25'],
    ['cycle 50'],
  ],
  [
    '1 to 2 seats after 6 of 30 days',
    seat,
    { quantity: 1 },
    '2026-06-07',
    { quantity: 2 },
    ['proration_credit -4', 'proration_charge 8'],
    ['cycle 10'],
  ],
  [
    '1 to 2 seats, billed with the next invoice',
    seat,
    { quantity: 1 },
    '2026-06-07',
    { quantity: 2, billing: 'next_invoice' },
    [],
    ['cycle 10', 'proration_credit -4', 'proration_charge 8'],
  ],
  [
    'an add-on joins at half period',
    flat('10'),
    {},
    '2026-06-16',
    { addOns: { extra: flat('4') } },
    ['proration_charge 2'],
    ['cycle 10', 'cycle 4'],
  ],
  [
    'an add-on ends with the period',
    flat('10'),
    { addOns: { extra: flat('4') } },
    '2026-06-16',
    { addOns: {} },
    [],
    ['cycle 10'],
  ],
  [
    'an add-on ends now',
    flat('10'),
    { addOns: { extra: flat('4') } },
    '2026-06-16',
    { addOns: {}, billing: 'charge_now' },
    ['proration_credit -2', 'balance 2'],
    ['cycle 10', 'balance -2'],
  ],
  [
    'only the changed item is billed',
    flat('10'),
    { addOns: { extra: { ...seat, quantity: 2 } } },
    '2026-06-16',
    { addOns: { extra: { quantity: 4 } } },
    ['proration_credit -5', 'proration_charge 10'],
    ['cycle 10', 'cycle 20'],
  ],
  [
    'a reset credits all items and starts a cycle',
    flat('10'),
    { addOns: { extra: flat('4') } },
    '2026-06-16',
    { price: flat('20'), billing: 'reset' },
    ['proration_credit -5', 'proration_credit -2', 'cycle 20', 'cycle 4'],
    ['cycle 20', 'cycle 4'],
  ],
  [
    'a new quantity without billing',
    seat,
    { quantity: 1 },
    '2026-06-16',
    { quantity: 3, billing: 'none' },
    [],
    ['cycle 15'],
  ],
  ['a cheaper price waits', flat('20'), {}, '2026-06-16', { price: flat('10') }, [], ['cycle 10']],
  [
    'a cheaper price now leaves a balance',
    flat('20'),
    {},
    '2026-06-16',
    { price: flat('10'), billing: 'charge_now' },
    ['proration_credit -10', 'proration_charge 5', 'balance 5'],
    ['cycle 10', 'balance -5'],
  ],
  [
    'flat tiers: 25 to 26 seats',
    {
      amount: '0',
      model: 'volume',
      tiers: [
        { upTo: 25, unitAmount: '0', flatAmount: '200' },
        { upTo: null, unitAmount: '0', flatAmount: '500' },
      ],
    },
    { quantity: 25 },
    '2026-06-16',
    { quantity: 26 },
    ['proration_credit -100', 'proration_charge 250'],
    ['cycle 500'],
  ],
];

describe('a change is billed as previewed, and the renewal as well', () => {
  test.each(rows)('%s', async (_name, main, begin, date, change, billed, renewed) => {
    const items = await open(main, begin);
    await items.advance(date);
    const shown = await items.preview(change);
    const bills = await items.change(change);
    expect(bills).toEqual(billed);
    expect(shown.lines).toEqual(billed);
    expect(shown.total).toBe(shown.lines.length === 0 ? 0 : items.sum(shown.lines));
    const date2 = shown.nextInvoice.date;
    const renewal = await items.renew(date2);
    expect(renewal).toEqual(renewed);
    expect(shown.nextInvoice.lines).toEqual(renewed);
    expect(await findBookFaults(app, items.alias)).toEqual([]);
  });
});

describe('credits are for what was billed', () => {
  it('after a change without billing, the way back costs nothing', async () => {
    const items = await open(flat('10'), { start: '2026-04-01' });
    await items.advance('2026-04-11');
    expect(await items.change({ price: flat('20'), billing: 'none' })).toEqual([]);
    await items.advance('2026-04-21');
    const lines = await items.change({ price: 'main', billing: 'charge_now' });
    expect(lines).toEqual(['proration_credit -3.33', 'proration_charge 3.33']);
  });

  it('an add-on that was added without billing gives nothing back, also one that was credited before', async () => {
    const items = await open(flat('10'), { addOns: { extra: flat('30') } });
    await items.advance('2026-06-11');
    expect(await items.change({ addOns: {}, billing: 'charge_now' })).toEqual([
      'proration_credit -20',
      'balance 20',
    ]);
    await items.advance('2026-06-16');
    expect(await items.change({ addOns: { extra: {} }, billing: 'none' })).toEqual([]);
    await items.advance('2026-06-21');
    expect(await items.change({ addOns: {}, billing: 'charge_now' })).toEqual([]);
    expect(await findBookFaults(app, items.alias)).toEqual([]);
  });

  it('a charge that waits for the next invoice ends with a later change', async () => {
    const items = await open(seat, { quantity: 2 });
    await items.advance('2026-06-11');
    await items.change({ quantity: 4, billing: 'next_invoice' });
    await items.advance('2026-06-21');
    expect(await items.change({ quantity: 8, billing: 'charge_now' })).toEqual(['proration_charge 13.33']);
    // 2 seats until the 11th were paid; 4 seats for ten days wait, and the rest is charged already.
    expect(await items.renew('2026-07-01')).toEqual([
      'cycle 40',
      'proration_credit -6.67',
      'proration_charge 6.67',
    ]);
    expect(await findBookFaults(app, items.alias)).toEqual([]);
  });

  it('a change and its reverse at the same instant cost nothing, in any way of billing', async () => {
    const step = fc.record({
      quantity: fc.integer({ min: 1, max: 50 }),
      later: fc.integer({ min: 1, max: 50 }),
      day: fc.integer({ min: 1, max: 30 }),
      billing: fc.constantFrom('charge_now', 'next_invoice'),
      model: fc.constantFrom('per_unit', 'graduated', 'volume'),
    });
    await fc.assert(
      fc.asyncProperty(step, async ({ quantity, later, day, billing, model }) => {
        const price =
          model === 'per_unit'
            ? { amount: '3.33', model }
            : tiers(model, [5, '7.01'], [20, '6.5'], [null, '0.375']);
        const items = await open(price, { quantity });
        await items.advance(`2026-06-${String(day).padStart(2, '0')}`);
        const before = await items.worth();
        await items.change({ quantity: later, billing });
        await items.change({ quantity, billing });
        expect(await items.worth()).toBe(before);
        expect(await items.renewTotal('2026-07-01')).toBe(await items.cycleTotal());
      }),
      { numRuns: engine === 'postgres' ? 4 : sampledRunsInCore(12, 3) },
    );
  });
});

describe('a scheduled change', () => {
  it('of the plan survives a change of the seats now, and takes them over', async () => {
    const items = await open({ amount: '8', model: 'per_unit' }, { quantity: 5 });
    await items.advance('2026-06-10');
    await items.change({ price: seat });
    expect(await items.read()).toMatchObject({ quantity: 5, scheduledChange: { quantity: 5 } });
    await items.advance('2026-06-16');
    expect(await items.change({ quantity: 8 })).toEqual(['proration_credit -20', 'proration_charge 32']);
    expect(await items.read()).toMatchObject({ quantity: 8, scheduledChange: { quantity: 8 } });
    expect(await items.renew('2026-07-01')).toEqual(['cycle 40']);
    expect(await items.read()).toMatchObject({ quantity: 8, scheduledChange: null });
  });

  it('shows its add-ons, is replaced by the next one, and ends with the present terms', async () => {
    const items = await open(seat, { quantity: 5, addOns: { extra: flat('4') } });
    await items.change({ addOns: {} });
    expect(await items.read()).toMatchObject({ scheduledChange: { quantity: 5, addOns: [] } });
    await items.change({ quantity: 3 });
    expect(await items.read()).toMatchObject({ quantity: 5, scheduledChange: { quantity: 3, addOns: [] } });
    await items.change({ quantity: 5, addOns: { extra: {} } });
    const { items: list, scheduledChange } = await items.read();
    expect([list.length, scheduledChange]).toEqual([2, null]);
    expect(await items.renew('2026-07-01')).toEqual(['cycle 25', 'cycle 4']);
  });
});

describe('adjustments', () => {
  it.each([
    ['charge_now', 3, 5, 5],
    ['next_invoice', 4, 6, 6],
    ['none', 2, 4, 4],
    ['period_end', 3, 2, 5],
  ])('%s: %i parallel +1 end at exactly that', async (increase, count, now, then) => {
    const items = await open(seat, { quantity: 2, policy: { increase } });
    const done = await Promise.all(Array.from({ length: count }, () => items.adjust(1)));
    expect(done.map(({ errors }: any) => errors)).toEqual(done.map(() => undefined));
    expect(await items.read()).toMatchObject({ quantity: now });
    expect(await items.renew('2026-07-01')).toContain(`cycle ${then * 5}`);
    expect(await findBookFaults(app, items.alias)).toEqual([]);
  });

  it('add up with a scheduled decrease, so that a seat that is paid is not paid again', async () => {
    const items = await open(seat, { quantity: 5 });
    await items.adjust(-1);
    await items.adjust(-2);
    expect(await items.read()).toMatchObject({ quantity: 5, scheduledChange: { quantity: 2 } });
    await items.adjust(3);
    expect(await items.read()).toMatchObject({ quantity: 5, scheduledChange: null });
    await items.adjust(1);
    expect(await items.read()).toMatchObject({ quantity: 6 });
    expect(await items.lines()).toEqual(['cycle 25', 'proration_credit -25', 'proration_charge 30']);
  });

  it('of an add-on leave the main price alone', async () => {
    const items = await open(flat('10'), { addOns: { extra: { ...seat, quantity: 2 } } });
    await items.adjust(1, 'extra');
    expect((await items.read()).items.map(({ quantity }: any) => quantity)).toEqual([1, 3]);
    expect((await items.lines()).slice(2)).toEqual(['proration_credit -10', 'proration_charge 15']);
  });

  it.each([
    [0, 'by'],
    [-2, 'by'],
    [-100, 'by'],
    [2 ** 31 - 1, 'by'],
  ])('by %i is refused at %s', async (by, path) => {
    const items = await open(seat, { quantity: 2 });
    const before = await app.backdoor.dump();
    const { errors } = await items.adjust(by);
    expect([errors[0].extensions.reason, errors[0].extensions.issues[0].path]).toEqual([
      'validation_failed',
      path,
    ]);
    expect(await app.backdoor.dump()).toBe(before);
  });
});

describe('the payment', () => {
  it('that is declined changes nothing, and leaves nothing behind that can be paid', async () => {
    const items = await open(seat, { quantity: 2, method: 'sandbox_ok_then_declined' });
    const { errors } = await items.ask({ quantity: 3 });
    expect([errors[0].extensions.reason, errors[0].extensions.issues]).toMatchObject([
      'payment_failed',
      [{ path: 'id', message: 'card_declined' }],
    ]);
    expect(await items.read()).toMatchObject({ quantity: 2, scheduledChange: null, status: 'active' });
    expect(await items.lines()).toEqual(['cycle 10']);
    expect((await items.intents()).map(({ status }) => status)).toEqual(['succeeded', 'cancelled']);
    expect(await findBookFaults(app, items.alias)).toEqual([]);
    // The credit was released, so that everything can be refunded.
    expect(await items.refundable()).toBe(10);
    expect((await items.ask({ quantity: 4, billing: 'none' })).errors).toBeUndefined();
  });

  it('by transfer is awaited: the change takes effect when it is recorded', async () => {
    const items = await open(seat, { quantity: 2, method: 'manual' });
    expect((await items.ask({ quantity: 4 })).errors).toBeUndefined();
    expect(await items.read()).toMatchObject({ quantity: 2 });
    const { errors } = await items.ask({ quantity: 6 });
    expect(errors[0].extensions.reason).toBe('subscription_not_active');
    await items.recordPayment();
    expect(await items.read()).toMatchObject({ quantity: 4 });
    expect(await findBookFaults(app, items.alias)).toEqual([]);
  });

  it('is made once for a repeated request', async () => {
    const items = await open(seat, { quantity: 2 });
    const answers = [
      await items.askKeyed({ quantity: 3 }, 'once'),
      await items.askKeyed({ quantity: 3 }, 'once'),
    ];
    expect(answers[1].data).toEqual(answers[0].data);
    expect(await items.lines()).toEqual(['cycle 10', 'proration_credit -10', 'proration_charge 15']);
  });
});

describe('what is refused names the field, and changes nothing', () => {
  const refused: [name: string, change: ChangeOf, reason: string, path: string][] = [
    ['a quantity of 0', { quantity: 0 }, 'validation_failed', 'quantity'],
    ['a quantity of −1', { quantity: -1 }, 'validation_failed', 'quantity'],
    ['a quantity above the most', { quantity: 10 }, 'validation_failed', 'quantity'],
    ['an unknown price', { priceId: 'price_none' }, 'price_not_found', ''],
    ['a price of 900 kB', { priceId: 'x'.repeat(900_000) }, 'validation_failed', 'input.priceId'],
    ['the price of another tenant', { price: 'foreign' }, 'price_not_found', ''],
    ['a price of another product', { price: 'other' }, 'validation_failed', 'priceId'],
    ['an unknown add-on', { addOnList: [{ priceId: 'price_none' }] }, 'price_not_found', 'addOns.0.priceId'],
    [
      'an add-on of another tenant',
      { addOnList: [{ priceId: 'foreign' }] },
      'price_not_found',
      'addOns.0.priceId',
    ],
    ['the main price as add-on', { addOnList: [{ priceId: 'main' }] }, 'validation_failed', 'addOns.0'],
    [
      'an add-on twice',
      { addOnList: [{ priceId: 'other' }, { priceId: 'other' }] },
      'validation_failed',
      'addOns.1.priceId',
    ],
    [
      'an add-on for 0',
      { addOnList: [{ priceId: 'other', quantity: 0 }] },
      'validation_failed',
      'addOns.0.quantity',
    ],
    [
      'an add-on in another currency',
      { addOnList: [{ priceId: 'euro' }] },
      'currency_mismatch',
      'addOns.0.priceId',
    ],
    ['a yearly add-on', { addOnList: [{ priceId: 'yearly' }] }, 'validation_failed', 'addOns.0.priceId'],
    [
      '21 add-ons',
      { addOnList: Array.from({ length: 21 }, () => ({ priceId: 'other' })) },
      'validation_failed',
      'addOns',
    ],
    ['a time in the future', { quantity: 3, at: '2026-06-20' }, 'validation_failed', 'at'],
    ['a time before the period', { quantity: 3, at: '2026-05-20' }, 'validation_failed', 'at'],
  ];
  let items: Items;
  beforeAll(async () => {
    items = await open({ ...seat, maxQuantity: 9 }, { quantity: 2 });
    await items.makeOthers();
  });
  test.each(refused)('%s', async (_name, change, reason, path) => {
    const before = await app.backdoor.dump();
    const { errors } = await items.ask(change);
    expect([errors?.[0].extensions.reason, errors?.[0].extensions.issues?.[0]?.path ?? '']).toEqual([
      reason,
      path,
    ]);
    expect(await app.backdoor.dump()).toBe(before);
    if (!('at' in change && change.at === '2026-06-20')) {
      const preview = await items.askPreview(change);
      expect(preview.errors[0].extensions.reason).toBe(reason);
    }
  });

  it('the subscription of another tenant', async () => {
    const others = await open(seat, { quantity: 1 });
    const { errors } = await others.ask({ quantity: 2 }, items.id);
    expect(errors[0].extensions.reason).toBe('subscription_not_found');
    const adjusted = await others.adjust(1, 'main', items.id);
    expect(adjusted.errors[0].extensions.reason).toBe('subscription_not_found');
  });
});

describe('a preview', () => {
  it('warns where a volume total falls while the quantity rises', async () => {
    const items = await open(tiers('volume', [15, '10'], [null, '5']), { quantity: 15 });
    const falls = [
      'total_falls',
      'The total of Pro falls from 150.00 USD to 80.00 USD while its quantity rises from 15 to 16.',
    ];
    const { warnings } = await items.preview({ quantity: 16 });
    expect(warnings.map(Object.values)).toEqual([falls]);
    expect((await items.preview({ quantity: 14 })).warnings).toEqual([]);
    const many = await open(tiers('volume', [15, '10'], [null, '5']), { quantity: 16 });
    expect((await many.preview({ quantity: 15 })).warnings.map(Object.values)).toEqual([
      [
        'total_rises',
        'The total of Pro rises from 80.00 USD to 150.00 USD while its quantity falls from 16 to 15.',
      ],
    ]);
    const safe = await open(tiers('volume', [5, '7'], [10, '6.5'], [null, '6']), { quantity: 5 });
    expect((await safe.preview({ quantity: 6 })).warnings).toEqual([]);
  });
});

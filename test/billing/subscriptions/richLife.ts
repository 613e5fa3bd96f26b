/** Random lives with every price model, add-ons, discounts, trials, fees, one-off charges and credits. */
import { expect } from 'vitest';
import { createCustomer } from '../../../src/billing/customers/customers.ts';
import { createGroup } from '../../../src/billing/catalog/groups.ts';
import { createProduct } from '../../../src/billing/catalog/products.ts';
import { createCoupon } from '../../../src/billing/discounts/coupons.ts';
import { applyDiscount, removeDiscount } from '../../../src/billing/discounts/discounts.ts';
import { grantCustomerCredit } from '../../../src/billing/invoices/grantedCredits.ts';
import { createInvoice, createInvoiceItem } from '../../../src/billing/invoices/oneOffInvoices.ts';
import { refundInvoice } from '../../../src/billing/invoices/refunds.ts';
import { BillingError } from '../../../src/lib/errors.ts';
import { addMs } from '../../../src/lib/time.ts';
import { sumDiscounts } from '../../../src/billing/pricing/discounts.ts';
import { forecastSubscription } from '../../../src/billing/renewals/forecast.ts';
import {
  previewSubscriptionChange,
  type ExpectedInvoice,
} from '../../../src/billing/subscriptions/changes/changePreview.ts';
import { confirmIntent } from '../../../src/billing/subscriptions/intents/confirmation.ts';
import { previewFirstBill } from '../../../src/billing/subscriptions/intents/firstBill.ts';
import { createSubscriptionIntent } from '../../../src/billing/subscriptions/intents/intents.ts';
import { changeSubscription } from '../../../src/billing/subscriptions/changes/subscriptionChange.ts';
import { recordPayment } from '../../../src/billing/collection/transfers.ts';
import { randomFrom, type Random } from '../../../src/lib/random.ts';
import type { TestApp } from '../../support/app.ts';
import { openBooks, openScope } from '../../support/books.ts';
import { dayMs } from '../../support/clock.ts';
import { findBookFaults } from '../../support/faults.ts';

const currency = 'usd';
const billings = ['charge_now', 'next_invoice', 'period_end', 'reset', 'none'] as const;

interface ShownLine {
  kind: string;
  amountMinor: bigint;
  periodStart: string;
  periodEnd: string;
}
const describe = (lines: ShownLine[]) =>
  lines.map(
    ({ kind, amountMinor, periodStart, periodEnd }) => `${kind} ${amountMinor} ${periodStart}/${periodEnd}`,
  );

type Life = Awaited<ReturnType<typeof begin>>;

/** Lives a life of `steps` steps from a seed: every preview and forecast is compared with what is then billed. */
export async function live(app: TestApp, seed: number, steps: number): Promise<Map<string, number>> {
  const life = await begin(app, randomFrom(seed));
  for (let step = 0; step < steps; step++) {
    const name = life.random.weighted(weights);
    const outcome = await attempt(() => actions[name]!(life));
    const entry = `${name}: ${outcome}`;
    life.counts.set(entry, (life.counts.get(entry) ?? 0) + 1);
    await recordTransfers(life);
    await expectSoundBooks(life, entry);
    if (name !== 'change') life.expected = null;
  }
  return life.counts;
}

/** Records the bank transfers that are awaited. */
async function recordTransfers({ open }: Life): Promise<void> {
  const tenant = await open();
  for (const { id } of await tenant.read.many('invoices', { where: { status: 'open' } }))
    await tenant.write((unit) => recordPayment(unit, id, { reference: 'transfer' }));
}

async function attempt(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (error instanceof BillingError) return error.reason;
    throw error;
  }
}

/** The price of any model, in any interval, with or without a trial and a fee. */
function buildPrice(random: Random, recurring: object) {
  const unit = () => `${random.whole(0, 40)}.${random.pick(['5', '07', '333', '0004'])}`;
  const model = random.pick(['flat', 'per_unit', 'package', 'graduated', 'volume']);
  const terms = {
    flat: () => ({ details: { amount: random.whole(0, 9000) / 100, currency } }),
    per_unit: () => ({ model, details: { decimal: unit(), currency } }),
    package: () => ({ model, details: { decimal: unit(), currency }, packageSize: random.whole(1, 5) }),
    tiers: () => ({
      model,
      details: { amount: 0, currency },
      tiers: [`${random.whole(1, 4)}`, null].map((upTo) => ({
        upTo,
        unitAmount: unit(),
        flatAmount: random.chance(0.3) ? unit() : null,
      })),
    }),
  };
  const build = terms[model as keyof typeof terms] ?? terms.tiers;
  return { ...build(), recurring };
}

/** A shop, a customer with some credit and discount, and a subscription. */
async function begin(app: TestApp, random: Random) {
  const [timezone, clock] = random.pick([
    ['UTC', '2026-06-01T00:00:00.000Z'],
    ['UTC', '2026-01-31T10:00:00.000Z'],
    ['Asia/Kathmandu', '2026-01-30T18:15:00.000Z'],
    ['America/New_York', '2026-03-01T05:00:00.000Z'],
  ]);
  const books = await openBooks(app, clock, timezone);
  const open = () => openScope(app, books);
  const tenant = await open();
  const group = await tenant.write((unit) =>
    createGroup(unit, { name: 'Plans', prorateUpgrades: random.chance(0.8) }),
  );
  const interval = random.pick([{ frequency: 'Monthly' }, { frequency: 'Weekly', period: 2 }]);
  const anchored = random.chance(0.3) ? { ...interval, executionDate: '2026-01-20' } : interval;
  const makeProduct = async (groupId: string | null, prices: object[]) => {
    const product = await tenant.write((unit) =>
      createProduct(unit, { groupId, name: 'Plan', description: '', prices }),
    );
    return tenant.read.many('prices', { where: { productId: product.id }, orderBy: ['id'] });
  };
  const start = {
    trialDays: random.chance(0.25) ? random.whole(1, 20) : null,
    setupFee: random.chance(0.3) ? { amount: random.whole(1, 30), currency } : null,
  };
  const plans = [
    ...(await makeProduct(group.id, [{ ...buildPrice(random, anchored), ...start }])),
    ...(await makeProduct(group.id, [
      buildPrice(random, interval),
      buildPrice(random, { frequency: 'Yearly' }),
    ])),
  ];
  const extras = await makeProduct(
    null,
    [1, 2, 3].map(() => buildPrice(random, interval)),
  );
  const names = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', associatedId: 'own' };
  const customer = await tenant.write((unit) => createCustomer(unit, names));
  const life = {
    app,
    random,
    books,
    open,
    plans,
    extras,
    customerId: customer.id,
    id: '',
    counts: new Map<string, number>(),
    expected: null as ExpectedInvoice | null,
  };
  if (random.chance(0.4)) await attempt(() => giveDiscount(life, { customerId: customer.id }));
  if (random.chance(0.4)) await grant(life);
  await join(life);
  if (random.chance(0.6)) await attempt(() => giveDiscount(life, { subscriptionId: life.id }));
  return life;
}

const someAddOns = ({ random, extras }: Pick<Life, 'random' | 'extras'>) =>
  extras
    .filter(() => random.chance(0.4))
    .map(({ id: priceId, pricing }) => ({
      priceId,
      quantity: pricing && random.chance(0.7) ? random.whole(1, 6) : undefined,
    }));

/** Subscribes, at once or by a transfer that arrives later; the bill is the one shown. */
async function join(life: Life): Promise<void> {
  const { random, customerId, books, open } = life;
  const tenant = await open();
  const [plan] = life.plans;
  const intent = await tenant.write((unit) =>
    createSubscriptionIntent(unit, {
      customerId,
      productId: plan!.productId,
      priceId: plan!.id,
      receiptUrl: 'https://example.com/thanks',
      quantity: plan!.pricing ? random.whole(1, 6) : undefined,
      addOns: random.chance(0.6) ? someAddOns(life) : undefined,
    }),
  );
  const shown = await previewFirstBill(tenant.read, intent, tenant.now(), tenant.record);
  const method = random.chance(0.25) ? 'manual' : 'sandbox_ok';
  await confirmIntent(tenant, intent.id, method);
  const [invoice] = await tenant.read.many('invoices', { where: { customerId } });
  const lines = invoice
    ? await tenant.read.many('invoiceLines', { where: { invoiceId: invoice.id }, orderBy: ['id'] })
    : [];
  expect(describe(lines)).toEqual(describe(shown.lines));
  if (invoice?.status === 'open') {
    await books.advance(addMs(tenant.now(), random.whole(0, 12) * dayMs + 3_600_000));
    const later = await open();
    await later.write((unit) => recordPayment(unit, invoice.id, { reference: 'transfer' }));
  }
  const [subscription] = await tenant.read.many('subscriptions', { where: { customerId } });
  life.id = subscription!.id;
  await expectSoundBooks(life, 'join');
}

/** Applies a coupon of any kind. */
async function giveDiscount({ random, open }: Pick<Life, 'random' | 'open'>, holder: object): Promise<void> {
  const duration = random.pick(['once', 'repeating', 'forever']);
  const coupon = {
    name: 'Sale',
    duration,
    ...(duration === 'repeating' && { durationInMonths: random.whole(1, 3) }),
    ...(random.chance(0.6)
      ? { percentOff: random.pick(['5', '12.5', '33.3333', '100']) }
      : { amountOff: { amount: random.whole(1, 60), currency } }),
  };
  const tenant = await open();
  await tenant.write(async (unit) => {
    const { id: couponId } = await createCoupon(unit, coupon);
    await applyDiscount(unit, { couponId, ...holder });
  });
}

async function grant({ random, open, customerId }: Pick<Life, 'random' | 'open' | 'customerId'>) {
  const tenant = await open();
  const expiresAt = random.chance(0.7) ? addMs(tenant.now(), random.whole(1, 40) * dayMs) : null;
  const credit = { amount: { amount: random.whole(1, 60), currency }, reason: 'Sorry', expiresAt };
  await tenant.write((unit) => grantCustomerCredit(unit, customerId, credit));
}

const readSubscription = async ({ open, id }: Life) =>
  (await (await open()).read.one('subscriptions', { id }))!;

/** Lists the lines of the subscription's invoices, oldest first, in the order in which they were written. */
async function listLines({ open, id }: Life) {
  const { read } = await open();
  const invoices = await read.many('invoices', { where: { subscriptionId: id }, orderBy: ['id'] });
  const lines = [];
  for (const { id: invoiceId } of invoices)
    lines.push(...(await read.many('invoiceLines', { where: { invoiceId }, orderBy: ['id'] })));
  return lines;
}

/** Runs work, and returns the lines that it billed to the subscription. */
async function collectBilled(life: Life, work: () => Promise<unknown>) {
  const before = new Set((await listLines(life)).map(({ id }) => id));
  await work();
  return (await listLines(life)).filter(({ id }) => !before.has(id));
}

function someChange(life: Life, { priceId: presentId }: { priceId: string }) {
  const { random, plans } = life;
  const priceId = random.chance(0.3) ? random.pick(plans).id : null;
  const main = plans.find(({ id }) => id === (priceId ?? presentId))!;
  return {
    priceId,
    quantity: main.pricing && random.chance(0.6) ? random.whole(1, 6) : undefined,
    addOns: random.chance(0.5) ? someAddOns(life) : undefined,
    billing: random.chance(0.8) ? random.pick([...billings]) : undefined,
  };
}

/** Changes the subscription; the lines are those of the preview. */
async function change(life: Life): Promise<void> {
  const input = someChange(life, await readSubscription(life));
  const tenant = await life.open();
  const shown = await previewSubscriptionChange(tenant, life.id, input);
  const billed = await collectBilled(life, () => changeSubscription(tenant, life.id, input));
  expect(describe(billed), JSON.stringify(input)).toEqual(describe(shown.lines));
  life.expected = shown.nextInvoice;
}

/** Two changes and their reverses at one instant: what is worth what it was after the first, is so after the third. */
async function reverse(life: Life): Promise<void> {
  const { quantity, pricing } = await readSubscription(life);
  const tenant = await life.open();
  const given = await tenant.read.many('discounts', { where: { customerId: life.customerId } });
  const coupons = await tenant.read.many('coupons', { where: { id: given.map(({ couponId }) => couponId) } });
  if (pricing === null || coupons.some(({ duration }) => duration === 'once')) return;
  const other = quantity! + 1;
  const turn = (to: number) => changeSubscription(tenant, life.id, { quantity: to, billing: 'charge_now' });
  await turn(other);
  const worth = await computeWorth(life);
  await turn(quantity!);
  await turn(other);
  expect(await computeWorth(life)).toBe(worth);
}

/** What was charged, less refunds and what is left as balance, in minor units. */
async function computeWorth({ open, customerId }: Life): Promise<bigint> {
  const { read } = await open();
  const payments = await read.many('payments', { where: { customerId, status: 'succeeded' } });
  const entries = await read.many('balanceEntries', { where: { customerId } });
  const moved = payments.reduce(
    (sum, { kind, amountMinor }) => (kind === 'charge' ? sum + amountMinor : sum - amountMinor),
    0n,
  );
  return entries.reduce((sum, { remainingMinor }) => sum - remainingMinor, moved);
}

/** Orders another plan as a payer does. */
async function order(life: Life): Promise<void> {
  const { random, plans, customerId } = life;
  const plan = random.pick(plans);
  const quantity = plan.pricing && random.chance(0.8) ? random.whole(1, 6) : undefined;
  const tenant = await life.open();
  const shown = await previewSubscriptionChange(tenant, life.id, { priceId: plan.id, quantity });
  const billed = await collectBilled(life, async () => {
    const { productId, id: priceId } = plan;
    const fields = { customerId, productId, priceId, quantity, receiptUrl: 'https://example.com/thanks' };
    const intent = await tenant.write((unit) => createSubscriptionIntent(unit, fields));
    await confirmIntent(tenant, intent.id, 'sandbox_ok');
  });
  expect(describe(billed)).toEqual(describe(shown.lines));
}

/** Waits, for a part of the period or until its end; what is billed is what was forecast. */
async function wait(life: Life): Promise<void> {
  const { nextBillingDate, cancelledAt } = await readSubscription(life);
  const tenant = await life.open();
  const now = tenant.now();
  if (cancelledAt !== null || nextBillingDate! <= now) return;
  const restMs = Date.parse(nextBillingDate!) - Date.parse(now);
  const isWhole = life.random.chance(0.6);
  const to = isWhole ? nextBillingDate! : addMs(now, Math.floor(restMs * life.random.fraction()));
  const forecast = await forecastSubscription(tenant, life.id, to);
  const { expected } = life;
  const billed = await collectBilled(life, () => life.books.advance(to));
  expect(describe(billed)).toEqual(describe(forecast.flatMap(({ lines }) => lines)));
  if (isWhole && expected) expect(describe(billed)).toEqual(describe(expected.lines));
}

const actions: Record<string, (life: Life) => Promise<unknown>> = {
  change,
  reverse,
  order,
  wait,
  grant,
  discount: (life) =>
    giveDiscount(
      life,
      life.random.chance(0.6) ? { subscriptionId: life.id } : { customerId: life.customerId },
    ),
  undiscount: async ({ open, customerId }) => {
    const tenant = await open();
    const [discount] = await tenant.read.many('discounts', { where: { customerId, removedAt: null } });
    if (discount) await tenant.write((unit) => removeDiscount(unit, discount.id));
  },
  item: async ({ open, random, customerId, id }) => {
    const amount = { amount: random.whole(1, 60), currency };
    const subscriptionId = random.chance(0.5) ? id : null;
    const charge = { amount, description: 'Work', quantity: random.whole(1, 3), subscriptionId };
    await (await open()).write((unit) => createInvoiceItem(unit, customerId, charge));
  },
  bill: async ({ open, random, customerId }) =>
    createInvoice(await open(), customerId, {
      items: [{ amount: { amount: random.whole(1, 60), currency }, description: 'Work' }],
    }),
  refund: async ({ open, random, customerId }) => {
    const tenant = await open();
    const paid = await tenant.read.many('invoices', {
      where: { customerId, status: 'paid' },
      orderBy: ['id'],
    });
    if (paid.length === 0) return;
    const invoice = random.pick(paid);
    const amount = random.chance(0.4)
      ? undefined
      : { amount: random.whole(1, 30), currency: invoice.currency };
    await refundInvoice(tenant, invoice.id, { amount });
  },
};

const weights = {
  change: 9,
  reverse: 2,
  order: 2,
  wait: 8,
  grant: 1,
  discount: 2,
  undiscount: 0.7,
  item: 2,
  bill: 1,
  refund: 2,
};

/** Every invoice adds up, no discount exceeds what it reduces, and the audit finds nothing. */
async function expectSoundBooks({ app, books, open, customerId }: Life, after: string): Promise<void> {
  const { read } = await open();
  for (const { id: invoiceId, totalMinor } of await read.many('invoices', { where: { customerId } })) {
    const lines = await read.many('invoiceLines', { where: { invoiceId } });
    const sumMinor = lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
    expect([totalMinor, totalMinor >= 0n], after).toEqual([sumMinor, true]);
    for (const line of lines.filter(({ discounts }) => discounts))
      expect(line.amountMinor + sumDiscounts([line]), after).toBeGreaterThanOrEqual(sumDiscounts([line]));
  }
  expect(await findBookFaults(app, books.alias), after).toEqual([]);
}

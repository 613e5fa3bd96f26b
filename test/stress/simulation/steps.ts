import { refundInvoice } from '../../../src/billing/invoices/refunds.ts';
import { createGroup, updateGroup } from '../../../src/billing/catalog/groups.ts';
import { updatePrice } from '../../../src/billing/catalog/prices.ts';
import { createProduct } from '../../../src/billing/catalog/products.ts';
import { createCustomer } from '../../../src/billing/customers/customers.ts';
import { BillingError } from '../../../src/lib/errors.ts';
import { addMs } from '../../../src/lib/time.ts';
import {
  uncancelSubscription,
  pauseSubscription,
  resumeSubscription,
} from '../../../src/billing/subscriptions/lifecycle.ts';
import {
  cancelIntent,
  confirmIntent,
  resumeIntent,
} from '../../../src/billing/subscriptions/intents/confirmation.ts';
import { deleteCustomer, deleteGroup } from '../../../src/erasure/deletion.ts';
import { eraseCustomer } from '../../../src/erasure/erasure.ts';
import { createSubscriptionIntent } from '../../../src/billing/subscriptions/intents/intents.ts';
import { cancelScheduledChange } from '../../../src/billing/subscriptions/changes/applyPlanChange.ts';
import { deleteProduct, updateProduct } from '../../../src/billing/subscriptions/productChanges.ts';
import { setPaymentMethod } from '../../../src/billing/collection/paymentMethodChange.ts';
import { recordPayment } from '../../../src/billing/collection/transfers.ts';
import { previewSubscriptionChange } from '../../../src/billing/subscriptions/changes/changePreview.ts';
import {
  adjustQuantity,
  changeSubscription,
} from '../../../src/billing/subscriptions/changes/subscriptionChange.ts';
import { startTrial } from '../../../src/billing/subscriptions/intents/startTrial.ts';
import { endTrial, extendTrial } from '../../../src/billing/subscriptions/trials.ts';
import type { TenantScope } from '../../../src/tenancy/tenantScope.ts';
import { findChangePolicy, updateTenant } from '../../../src/tenants/settings.ts';
import { dayMs } from '../../support/clock.ts';
import { addCoupon, applyCoupon, dropDiscount, someCode } from './discountSteps.ts';
import { cardNames } from './bank.ts';
import { cancel } from './cancelSteps.ts';
import {
  hearOfEInvoices,
  openEInvoices,
  resendEInvoice,
  sendEInvoices,
  wantEInvoices,
} from './eInvoiceSteps.ts';
import {
  addRate,
  checkVatId,
  moveCustomer,
  moveSeller,
  openSeller,
  publishRates,
  renewStandardRate,
  seeLocation,
  taxProduct,
} from './taxSteps.ts';
import { addItem, billNow, dropItem, finalize, finishOneOff, grant } from './oneOff.ts';
import { hearOfBank, noteCredit, takeBack } from './noteSteps.ts';
import {
  editMeters,
  readUsage,
  sellCredits,
  sendUsage,
  setThreshold,
  setAlerts,
  stockUsage,
  takeUsageBack,
  useLimit,
} from './usageSteps.ts';
import type { Place, World } from './world.ts';

/** The steps of customers and operators in a tenant. */
type Step = (world: World, place: Place, tenant: TenantScope) => Promise<unknown>;

const receiptUrl = 'https://example.com/thanks';

/** Each step and how often it is taken, among all the others. */
const steps: Record<string, [weight: number, step: Step]> = {
  join: [30, join],
  changePlan: [14, changePlan],
  changeItems: [14, changeItems],
  adjust: [6, adjust],
  editPolicy: [0.5, editPolicy],
  payLater: [4, payLater],
  abandonIntent: [2, abandonIntent],
  cancelNow: [3, (...step) => cancelSome(...step, false)],
  cancelAtPeriodEnd: [5, (...step) => cancelSome(...step, true)],
  keep: [3, onSubscription((unit, id) => uncancelSubscription(unit, id))],
  pause: [4, onSubscription((unit, id) => pauseSubscription(unit, id))],
  pauseUntil: [
    3,
    onSubscription((unit, id) => pauseSubscription(unit, id, { resumesAt: addMs(unit.now, 20 * dayMs) })),
  ],
  resume: [7, onSubscription((unit, id) => resumeSubscription(unit, id))],
  extendTrial: [2, onTrial(extend)],
  endTrial: [2, onTrial((_, tenant, id) => endTrial(tenant, id))],
  setPaymentMethod: [8, changeMethod],
  refund: [9, refund],
  noteCredit: [8, noteCredit],
  takeBack: [4, takeBack],
  hearOfBank: [6, hearOfBank],
  recordPayment: [5, record],
  addItem: [5, addItem],
  dropItem: [1, dropItem],
  billNow: [4, billNow],
  finishOneOff: [3, finishOneOff],
  finalize: [3, finalize],
  grant: [3, grant],
  sendUsage: [16, sendUsage],
  takeUsageBack: [2, takeUsageBack],
  readUsage: [3, readUsage],
  useLimit: [8, useLimit],
  setThreshold: [2, setThreshold],
  setAlerts: [3, setAlerts],
  sellCredits: [4, sellCredits],
  editMeters: [0.6, editMeters],
  editPrice: [2, editPrice],
  editProduct: [1, editProduct],
  moveProduct: [2, moveProduct],
  sellOrNot: [1, sellOrNot],
  dropProduct: [0.3, dropProduct],
  cancelScheduledChange: [3, onWaiting],
  addCoupon: [1.5, addCoupon],
  applyCoupon: [5, applyCoupon],
  dropDiscount: [1.5, dropDiscount],
  moveCustomer: [7, moveCustomer],
  checkVatId: [1.5, checkVatId],
  moveSeller: [0.4, moveSeller],
  addRate: [0.6, addRate],
  publishRates: [2, publishRates],
  renewStandardRate: [0.6, (world, _, tenant) => renewStandardRate(world, tenant)],
  seeLocation: [4, seeLocation],
  wantEInvoices: [5, (...step) => wantEInvoices(...step)],
  sendEInvoices: [6, sendEInvoices],
  resendEInvoice: [1.5, resendEInvoice],
  hearOfEInvoices: [4, (world, place) => hearOfEInvoices(world, place)],
  editGroup: [1, editGroup],
  editRetryDays: [0.5, editRetryDays],
  leave: [2, leave],
  dropGroup: [0.15, dropGroup],
};

const weights = Object.fromEntries(Object.entries(steps).map(([name, [weight]]) => [name, weight]));

/** Performs a random step; a refusal is a valid outcome. Returns the name of the step. */
export async function performStep(world: World, place: Place): Promise<string> {
  const name = world.random.weighted(weights);
  return perform(world, place, name, steps[name]![1]);
}

/** Lets one more customer join. */
export const performJoin = (world: World, place: Place) => perform(world, place, 'join', join);

async function perform(world: World, place: Place, name: string, step: Step): Promise<string> {
  let outcome = 'done';
  try {
    await step(world, place, await world.tenant(place));
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    outcome = error.reason;
  }
  const entry = `${name}: ${outcome}`;
  world.counts.set(entry, (world.counts.get(entry) ?? 0) + 1);
  return name;
}

/** Opens the shop of a tenant: groups with and without proration, products outside any, prices of all intervals. */
export async function stock(world: World, place: Place): Promise<void> {
  await openSeller(place, await world.tenant(place));
  await openEInvoices(place, await world.tenant(place));
  for (const prorateUpgrades of [true, false, true]) await addGroup(world, place, prorateUpgrades);
  for (let count = 0; count < 2; count++) await addProduct(world, place, null);
  await stockUsage(world, place, () => interval(world));
}

async function addGroup(world: World, place: Place, prorateUpgrades: boolean): Promise<void> {
  const tenant = await world.tenant(place);
  const group = await tenant.write((unit) => createGroup(unit, { name: 'Plans', prorateUpgrades }));
  place.groups.push(group.id);
  for (let count = 0; count < 3; count++) await addProduct(world, place, group.id);
}

async function addProduct(world: World, place: Place, groupId: string | null): Promise<void> {
  const tenant = await world.tenant(place);
  const prices = [0, 1].map(() => ({
    ...somePrice(world, place),
    ...someBeginning(world, place),
    recurring: interval(world),
  }));
  const product = await tenant.write((unit) =>
    createProduct(unit, { groupId, name: 'Plan', description: '', prices }),
  );
  await taxProduct(world, tenant, product.id);
  const ids = await tenant.read.many('prices', { where: { productId: product.id }, orderBy: ['id'] });
  place.products.push({ id: product.id, groupId, prices: ids.map(({ id }) => id) });
}

/** A price of any model; those of a unit are finer than the currency now and then. */
function somePrice({ random }: World, { currency }: Place) {
  const model = random.weighted({ flat: 6, per_unit: 3, package: 1, graduated: 2, volume: 2 });
  if (model === 'flat') return { details: { amount: random.whole(0, 400), currency } };
  const unitAmount = () => `${random.whole(0, 40)}${random.chance(0.3) ? `.00${random.whole(1, 9999)}` : ''}`;
  const details = { decimal: unitAmount(), currency };
  const bounds = random.chance(0.3) ? { minQuantity: random.whole(1, 3), maxQuantity: 9 } : {};
  if (model === 'per_unit') return { model, details, ...bounds };
  if (model === 'package') return { model, details, packageSize: random.whole(1, 6), ...bounds };
  const firstEnd = random.whole(1, 4);
  const ends = [`${firstEnd}`, `${firstEnd + random.whole(1, 5)}`, null];
  const tiers = ends.slice(random.whole(0, 2)).map((upTo) => ({
    upTo,
    unitAmount: unitAmount(),
    flatAmount: random.chance(0.3) ? unitAmount() : null,
  }));
  return { model, details: { amount: 0, currency }, tiers, ...bounds };
}

/** A trial, a set-up fee, both or neither. */
function someBeginning({ random }: World, { currency }: Place) {
  return {
    trialDays: random.chance(0.3) ? random.whole(1, 40) : null,
    setupFee: random.chance(0.2) ? { amount: random.whole(1, 30), currency } : null,
  };
}

/** A quantity for a price; a flat price has none, and others are sometimes asked for their least. */
async function someQuantity({ random }: World, tenant: TenantScope, priceId: string) {
  const price = await tenant.read.one('prices', { id: priceId });
  if (!price?.pricing || price.pricing.usage || random.chance(0.2)) return undefined;
  return random.whole(1, 12);
}

function interval({ random, clock }: World) {
  const frequency = random.weighted({ Daily: 1, Weekly: 2, Monthly: 14, Yearly: 3 });
  const period =
    frequency === 'Yearly' ? 1 : frequency === 'Daily' ? random.whole(3, 40) : random.whole(1, 4);
  const anchors = [
    '2024-01-31',
    '2024-02-29T23:30:00Z',
    '2023-12-30T02:30:00-05:00',
    addMs(clock.now(), 10 * dayMs),
  ];
  return { frequency, period, executionDate: random.chance(0.25) ? random.pick(anchors) : null };
}

async function join(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  if (place.customers.length === 0 || random.chance(0.8)) {
    const associatedId = `own-${random.whole(0, 2 ** 31)}`;
    const name = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
    const made = await tenant.write((unit) => createCustomer(unit, { ...name, associatedId }));
    place.customers.push(made.id);
    await wantEInvoices(world, place, tenant, made.id);
  }
  const customerId = random.chance(0.8) ? place.customers.at(-1)! : random.pick(place.customers);
  const product = random.pick(place.products);
  const startDate = random.chance(0.15) ? addMs(tenant.now(), random.whole(1, 60) * dayMs) : null;
  const priceId = random.pick(product.prices);
  const quantity = await someQuantity(world, tenant, priceId);
  const addOns = random.chance(0.3) ? await someAddOns(world, tenant, priceId) : undefined;
  const promotionCode = someCode(world, place);
  const order = { customerId, productId: product.id, priceId, startDate, quantity, addOns, promotionCode };
  await placeOrder(world, place, tenant, order);
}

/** Add-ons for a price; mostly ones that fit it. */
async function someAddOns({ random }: World, tenant: TenantScope, mainId: string) {
  const main = await tenant.read.one('prices', { id: mainId });
  const prices = await tenant.read.many('prices', { where: {}, orderBy: ['id'] });
  const fitting = prices.filter(
    ({ id, frequency, period }) => id !== mainId && frequency === main?.frequency && period === main.period,
  );
  const count = random.whole(0, Math.min(3, fitting.length));
  return Array.from({ length: count }, () => {
    const { id, pricing } = random.chance(0.95) ? random.pick(fitting) : random.pick(prices);
    return { priceId: id, quantity: pricing && !pricing.usage ? random.whole(1, 9) : undefined };
  });
}

interface Order {
  customerId: string;
  productId: string;
  priceId: string;
  startDate?: string | null;
  quantity?: number;
  addOns?: { priceId: string; quantity?: number }[];
  promotionCode?: string;
}

async function placeOrder(world: World, place: Place, tenant: TenantScope, order: Order): Promise<void> {
  const intent = await tenant.write((unit) => createSubscriptionIntent(unit, { ...order, receiptUrl }));
  place.intents.push(intent.id);
  if (world.random.chance(0.06)) return;
  if (intent.trialDays !== null && world.random.chance(0.5)) {
    const begun = await tenant.write((unit) => startTrial(unit, intent.id));
    noteSubscription(place, begun.subscriptionId!);
    return;
  }
  const method = world.random.chance(0.04) ? 'manual' : world.random.pick(cardNames);
  const confirmed = await confirmIntent(tenant, intent.id, method);
  if (confirmed.status === 'succeeded') noteSubscription(place, confirmed.subscriptionId!);
}

function noteSubscription(place: Place, id: string): void {
  if (!place.subscriptions.includes(id)) place.subscriptions.push(id);
}

const billings = ['charge_now', 'next_invoice', 'period_end', 'reset', 'none'] as const;

/** Changes quantity, add-ons and price in any way of billing; what is billed must equal the preview. */
async function changeItems(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  const subscription = await someSubscription(world, place, tenant);
  if (!subscription) return;
  const others = place.products.filter(
    ({ id, groupId }) =>
      id === subscription.productId || (groupId !== null && groupId === subscription.groupId),
  );
  const priceId = others.length > 0 && random.chance(0.3) ? random.pick(random.pick(others).prices) : null;
  const mainId = priceId ?? subscription.priceId;
  const input = {
    priceId,
    quantity: random.chance(0.6) ? await someQuantity(world, tenant, mainId) : undefined,
    addOns: random.chance(0.5) ? await someAddOns(world, tenant, mainId) : undefined,
    billing: random.chance(0.7) ? random.pick([...billings]) : undefined,
  };
  const shown = await previewSubscriptionChange(tenant, subscription.id, input);
  const known = await tenant.read.many('invoices', { where: { subscriptionId: subscription.id } });
  await changeSubscription(tenant, subscription.id, input);
  await observe(world, tenant, subscription.id, input.billing);
  if (world.rushing) return;
  const invoices = await tenant.read.many('invoices', { where: { subscriptionId: subscription.id } });
  const made = invoices.filter(({ id }) => !known.some((each) => each.id === id));
  const ids = made.map(({ id }) => id);
  const lines =
    ids.length === 0
      ? []
      : await tenant.read.many('invoiceLines', { where: { invoiceId: ids }, orderBy: ['id'] });
  const waits = (await tenant.read.one('subscriptions', { id: subscription.id }))?.changingIntentId !== null;
  const describe = (list: { kind: string; amountMinor: bigint }[]) =>
    list.map(({ kind, amountMinor }) => `${kind} ${amountMinor}`).join();
  if (!(waits && lines.length === 0) && describe(lines) !== describe(shown.lines))
    throw new Error(`${subscription.id}: previewed ${describe(shown.lines)}, billed ${describe(lines)}`);
}

/** Writes down what a subscription delivers after a change; `billing` as it was asked for, else by the policy. */
async function observe(
  { deliveries }: World,
  tenant: TenantScope,
  id: string,
  billing?: (typeof billings)[number],
): Promise<void> {
  const subscription = (await tenant.read.one('subscriptions', { id }))!;
  const latest = (await tenant.read.one('tenants', {}))!;
  const policies = billing === undefined ? Object.values(findChangePolicy(latest)) : [billing];
  deliveries.observe(subscription, tenant.now(), policies.includes('none'));
}

/** Adjusts the quantity of an item. */
async function adjust(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const subscription = await someSubscription(world, place, tenant);
  if (!subscription) return;
  const keys = ['main', ...(subscription.addOns ?? []).map(({ priceId }) => priceId)];
  await adjustQuantity(tenant, `${subscription.id}:${world.random.pick(keys)}`, world.random.whole(-3, 4));
  await observe(world, tenant, subscription.id);
}

async function editPolicy({ random }: World, _: Place, tenant: TenantScope): Promise<void> {
  const changePolicy = { increase: random.pick([...billings]), decrease: random.pick([...billings]) };
  await tenant.write((unit) => updateTenant(unit, { changePolicy }));
}

/** Changes to another price of the product or of its group; the result must equal the preview. */
async function changePlan(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const subscription = await someSubscription(world, place, tenant);
  const others = place.products.filter(
    ({ id, groupId }) =>
      id === subscription?.productId || (groupId !== null && groupId === subscription?.groupId),
  );
  if (!subscription || others.length === 0) return;
  const product = world.random.pick(others);
  const priceId = world.random.pick(product.prices);
  const quantity = await someQuantity(world, tenant, priceId);
  const shown = await previewSubscriptionChange(tenant, subscription.id, { priceId, quantity });
  const { customerId } = subscription;
  const buyer = await tenant.read.one('customers', { id: customerId });
  const earlier = await findLastChange(tenant, subscription.id);
  await placeOrder(world, place, tenant, { customerId, productId: product.id, priceId, quantity });
  await observe(world, tenant, subscription.id);
  const latest = await findLastChange(tenant, subscription.id);
  const invoice = latest?.id === earlier?.id ? undefined : latest;
  // With concurrent steps the preview may be out of date.
  if (world.rushing) return;
  if (invoice && shown.effectiveAt > invoice.createdAt)
    throw new Error(`Shown a change of ${shown.effectiveAt}, and billed ${invoice.id}`);
  const after = (await tenant.read.one('subscriptions', { id: subscription.id }))!;
  if (!after.cancelledAt && after.cancelAtPeriodEnd !== subscription.cancelAtPeriodEnd)
    throw new Error(`${after.id}: a change of plan has touched its cancellation`);
  if (!invoice) return;
  const lines = await tenant.read.many('invoiceLines', { where: { invoiceId: invoice.id }, orderBy: ['id'] });
  // An order takes the name of the product as it is now; a change that keeps its price keeps the agreed one.
  const isNamed = priceId !== subscription.priceId;
  const entry = (
    all: { description: string; amountMinor: bigint; periodStart: string; periodEnd: string }[],
  ) =>
    all
      .map(
        ({ description, amountMinor, periodStart, periodEnd }) =>
          `${isNamed ? description : ''} ${amountMinor} ${periodStart}/${periodEnd}`,
      )
      .join();
  // An answer of VIES since the preview may have changed the tax.
  const customer = await tenant.read.one('customers', { id: customerId });
  const isSameTax = customer?.vatIdCheck?.status === buyer?.vatIdCheck?.status;
  if (isSameTax && entry(lines) !== entry(shown.lines))
    throw new Error(`Shown ${entry(shown.lines)}, written ${entry(lines)}`);
}

/** The latest invoice of a plan change that was issued at this moment. */
async function findLastChange(tenant: TenantScope, subscriptionId: string) {
  const [invoice] = await tenant.read.many('invoices', {
    where: { subscriptionId, billingReason: 'plan_change', createdAt: tenant.now() },
    orderBy: ['id'],
    direction: 'desc',
    limit: 1,
  });
  return invoice;
}

async function payLater(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const id = removeRandom(world, place.intents);
  if (!id) return;
  const { status } = (await tenant.read.one('intents', { id }))!;
  if (status === 'requires_payment_method') await confirmIntent(tenant, id, world.random.pick(cardNames));
  else await resumeIntent(tenant, id);
  const intent = (await tenant.read.one('intents', { id }))!;
  if (intent.status === 'succeeded') noteSubscription(place, intent.subscriptionId!);
  else place.intents.push(id);
}

async function abandonIntent(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const id = removeRandom(world, place.intents);
  if (id) await tenant.write((unit) => cancelIntent(unit, id));
}

/** The latest are the likeliest to be still open. */
function removeRandom({ random }: World, ids: string[]): string | undefined {
  if (ids.length === 0) return undefined;
  const from = random.chance(0.7) ? Math.max(0, ids.length - 4) : 0;
  return ids.splice(random.whole(from, ids.length - 1), 1)[0];
}

async function someSubscription({ random }: World, place: Place, tenant: TenantScope) {
  if (place.subscriptions.length === 0) return undefined;
  // Subscriptions with a pending charge or change find the most faults.
  const [delicate] = await tenant.read.many('subscriptions', {
    where: {
      cancelledAt: null,
      ...random.pick([{ openInvoiceId: { isSet: true } }, { changingIntentId: { isSet: true } }]),
    },
    orderBy: ['id'],
    limit: 1,
  });
  if (delicate && random.chance(0.3)) return delicate;
  const index = random.whole(0, place.subscriptions.length - 1);
  const subscription = await tenant.read.one('subscriptions', { id: place.subscriptions[index]! });
  if (subscription?.cancelledAt) place.subscriptions.splice(index, 1);
  return subscription;
}

async function cancelSome(
  world: World,
  place: Place,
  tenant: TenantScope,
  atPeriodEnd: boolean,
): Promise<void> {
  const subscription = await someSubscription(world, place, tenant);
  if (subscription) await cancel(world, tenant, subscription, atPeriodEnd);
}

function onSubscription(
  change: (unit: Parameters<Parameters<TenantScope['write']>[0]>[0], id: string) => Promise<unknown>,
): Step {
  return async (world, place, tenant) => {
    const subscription = await someSubscription(world, place, tenant);
    if (subscription) await tenant.write((unit) => change(unit, subscription.id));
  };
}

/** Performs a step on a subscription in its trial; on any, if none is. */
function onTrial(change: (world: World, tenant: TenantScope, id: string) => Promise<unknown>): Step {
  return async (world, place, tenant) => {
    const trials = await tenant.read.many('subscriptions', {
      where: { cancelledAt: null, trialEndsAt: { after: tenant.now() } },
      orderBy: ['id'],
    });
    const trial =
      trials.length > 0 ? world.random.pick(trials) : await someSubscription(world, place, tenant);
    if (trial) await change(world, tenant, trial.id);
  };
}

function extend({ random }: World, tenant: TenantScope, id: string): Promise<unknown> {
  const to = addMs(tenant.now(), random.whole(1, 60) * dayMs);
  return tenant.write((unit) => extendTrial(unit, id, to));
}

async function changeMethod(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const [pastDue] = await tenant.read.many('subscriptions', {
    where: { pastDueSince: { isSet: true }, cancelledAt: null },
    orderBy: ['id'],
    limit: 1,
  });
  const subscription =
    pastDue && world.random.chance(0.7) ? pastDue : await someSubscription(world, place, tenant);
  if (subscription)
    await setPaymentMethod(tenant, subscription.id, world.random.pick([...cardNames, 'manual']));
}

async function refund(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const subscription = await someSubscription(world, place, tenant);
  if (!subscription) return;
  const invoices = await tenant.read.many('invoices', {
    where: { subscriptionId: subscription.id, status: 'paid' },
    orderBy: ['id'],
  });
  if (invoices.length === 0) return;
  const { id, currency } = world.random.pick(invoices);
  const amount = world.random.chance(0.5) ? undefined : { amount: world.random.whole(1, 60), currency };
  await refundInvoice(tenant, id, { amount });
}

async function record(world: World, _: Place, tenant: TenantScope): Promise<void> {
  const open = await tenant.read.many('invoices', {
    where: { status: 'open' },
    orderBy: ['createdAt', 'id'],
    limit: 5,
  });
  if (open.length === 0) return;
  const { id } = world.random.pick(open);
  // An operator often records later than the money came.
  const earlierMs = Date.parse(tenant.now()) - world.random.pick([0, 0, 3_600_000, 5 * 86_400_000]);
  const receivedAt = new Date(earlierMs).toISOString();
  const received = { reference: `transfer-${world.random.whole(0, 2 ** 31)}`, receivedAt };
  await tenant.write((unit) => recordPayment(unit, id, received));
}

async function editPrice({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  const product = random.pick(place.products);
  const amount = random.whole(1, 500);
  await tenant.write((unit) =>
    updatePrice(unit, product.id, random.pick(product.prices), { details: { amount } }),
  );
}

async function editProduct({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  const { id } = random.pick(place.products);
  await tenant.write((unit) => updateProduct(unit, id, { name: `Plan ${random.whole(1, 99)}` }));
}

/** To another group, or out of any. */
async function moveProduct({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  const product = random.pick(place.products);
  const groupId = random.chance(0.2) ? null : random.pick(place.groups);
  await tenant.write((unit) => updateProduct(unit, product.id, { groupId }));
  product.groupId = groupId;
}

async function sellOrNot({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  const { id } = random.pick(place.products);
  const active = random.chance(0.7);
  const expiresAt = random.chance(0.8) ? null : addMs(tenant.now(), random.whole(-2, 20) * dayMs);
  await tenant.write((unit) => updateProduct(unit, id, { active, expiresAt }));
}

async function dropProduct(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { id, groupId } = world.random.pick(place.products);
  await tenant.write((unit) => deleteProduct(unit, id));
  place.products = place.products.filter((other) => other.id !== id);
  await addProduct(world, place, groupId);
}

async function onWaiting({ random }: World, _: Place, tenant: TenantScope): Promise<void> {
  const waiting = await tenant.read.many('subscriptions', {
    where: { nextIntentId: { isSet: true } },
    orderBy: ['id'],
  });
  if (waiting.length === 0) return;
  const { id, paymentIntentId } = random.pick(waiting);
  const after = await tenant.write((unit) => cancelScheduledChange(unit, id));
  if (after.nextIntentId !== null || after.paymentIntentId !== paymentIntentId)
    throw new Error(`${id}: its change of plan was not taken back`);
}

async function editGroup({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  const id = random.pick(place.groups);
  await tenant.write((unit) => updateGroup(unit, id, { prorateUpgrades: random.chance(0.5) }));
}

async function editRetryDays({ random }: World, _: Place, tenant: TenantScope): Promise<void> {
  const retryDays = random.pick([[], [1], [2, 7, 14, 21], [2, 7, 14, 21], [3, 40]]);
  const paymentTermsDays = random.pick([null, 0, 7, 30]);
  const trialEndWithoutMethod = random.pick(['cancel', 'pause']);
  const dunning = random.pick([
    null,
    { finalAction: 'pause', mailDays: [1, 3] },
    { finalAction: 'leave', accessGraceDays: 3, mailDays: [2, 7, 30] },
  ]);
  const settings = { retryDays, paymentTermsDays, trialEndWithoutMethod, dunning };
  await tenant.write((unit) => updateTenant(unit, settings));
}

async function leave(world: World, place: Place, tenant: TenantScope): Promise<void> {
  if (place.customers.length === 0) return;
  const [asking] = await tenant.read.many('intents', {
    where: { askedAt: { isSet: true } },
    orderBy: ['id'],
    limit: 1,
  });
  const id = asking && world.random.chance(0.5) ? asking.customerId : world.random.pick(place.customers);
  place.customers = place.customers.filter((other) => other !== id);
  await tenant.write((unit) => deleteCustomer(unit, id, undefined));
  if (world.random.chance(0.2)) await eraseCustomer(tenant, id, undefined);
}

async function dropGroup(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const id = world.random.pick(place.groups);
  await tenant.write((unit) => deleteGroup(unit, id));
  place.groups = place.groups.filter((other) => other !== id);
  place.products = place.products.filter(({ groupId }) => groupId !== id);
  // Products that were moved elsewhere go on; there must be some.
  await addGroup(world, place, world.random.chance(0.6));
}

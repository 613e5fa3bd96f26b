/** Usage: events that are sent once, twice, late and otherwise; limits, thresholds, credits of a type and automatic top-ups. */
import { createProduct } from '../../../src/billing/catalog/products.ts';
import { checkEntitlement } from '../../../src/billing/entitlements/entitlements.ts';
import { consumeEntitlement } from '../../../src/billing/entitlements/consumeEntitlement.ts';
import { createFeature } from '../../../src/billing/entitlements/features.ts';
import { attachFeature } from '../../../src/billing/entitlements/productEntitlements.ts';
import {
  releaseReservation,
  reserveEntitlement,
  settleReservation,
} from '../../../src/billing/entitlements/reservations.ts';
import { setAutoTopUp } from '../../../src/billing/invoices/autoTopUps.ts';
import { createCreditGrant } from '../../../src/billing/invoices/creditGrants.ts';
import { createCreditType, updateCreditType } from '../../../src/billing/invoices/creditTypes.ts';
import { topUpCredit } from '../../../src/billing/invoices/topUps.ts';
import { changeThreshold } from '../../../src/billing/subscriptions/billingThreshold.ts';
import { changeSpendAlerts } from '../../../src/billing/subscriptions/spendAlerts.ts';
import { previewUsage } from '../../../src/billing/subscriptions/currentUsage.ts';
import { createMeter } from '../../../src/billing/usage/meters.ts';
import { createMeterVersion } from '../../../src/billing/usage/meterVersions.ts';
import { recordUsage } from '../../../src/billing/usage/recordUsage.ts';
import type { UsageEventInput } from '../../../src/billing/usage/usageEvent.ts';
import { voidUsage } from '../../../src/billing/usage/voidUsage.ts';
import { addMs } from '../../../src/lib/time.ts';
import type { TenantScope } from '../../../src/tenancy/tenantScope.ts';
import { hourMs } from '../../../src/lib/durations.ts';
import { dayMs } from '../../support/clock.ts';
import type { Place, World } from './world.ts';

/** An event that the service has answered, and when. */
interface Sent {
  event: UsageEventInput;
  at: string;
}

/** What the clients of a place have sent; another process of the service knows nothing of it. */
const sentOf = new WeakMap<Place, Sent[]>();
const findSent = (place: Place): Sent[] => {
  const known = sentOf.get(place) ?? [];
  sentOf.set(place, known);
  return known;
};

type Interval = () => { frequency: string; period: number; executionDate: string | null };

const metered = 'call';
const limited = 'quota';
/** A limit of units, and one of credits. */
const [feature, coins] = ['quota', 'coins'];

/** Opens what is sold by usage: meters of several kinds, prices of several models, a limit and a credit type. */
export async function stockUsage(world: World, place: Place, interval: Interval): Promise<void> {
  const tenant = await world.tenant(place);
  const meter = async (input: object) =>
    (await tenant.write((unit) => createMeter(unit, { event: metered, ...input }))).id;
  const sum = { name: 'Tokens', aggregation: 'sum', value: 'n', groupBy: ['model'] };
  const meterIds = [
    await meter(sum),
    await meter({ name: 'Calls', aggregation: 'count' }),
    await meter({ name: 'Users', aggregation: 'unique', value: 'user' }),
    await meter({ name: 'Level', aggregation: 'latest', value: 'n', persistent: true }),
    await meter({ name: 'Peak', aggregation: 'max', value: 'n' }),
  ];
  const quota = await meter({ name: 'Quota', event: limited, aggregation: 'sum', value: 'n' });
  const rates = [
    { meterId: meterIds[0], units: '10', credits: '1' },
    { meterId: meterIds[1], credits: '2.5' },
  ];
  const type = await tenant.write((unit) => createCreditType(unit, { name: 'Coins', rates }));
  await tenant.write((unit) =>
    createFeature(unit, {
      key: feature,
      name: 'Quota',
      kind: 'limit',
      meterId: quota,
      alertPercents: [50, 80, 100],
    }),
  );
  await tenant.write((unit) =>
    createFeature(unit, { key: coins, name: 'Coins', kind: 'limit', creditTypeId: type.id }),
  );
  for (const meterId of meterIds) await addMeteredProduct(world, place, { meterId, interval });
  for (const { id: productId } of place.products)
    for (const key of [feature, coins]) {
      const value = world.random.whole(5, 60);
      await tenant.write((unit) => attachFeature(unit, { productId, feature: key, value }));
    }
}

/** A product of usage, of which a price is for each unit and another has tiers. */
async function addMeteredProduct(
  world: World,
  place: Place,
  { meterId, interval }: { meterId: string | undefined; interval: Interval },
): Promise<void> {
  const { random } = world;
  const { currency } = place;
  const unitAmount = () => `0.0${random.whole(1, 99)}`;
  const price = (terms: object) => ({ meterId, recurring: interval(), ...terms });
  const tiers = [
    { upTo: '20', unitAmount: unitAmount(), flatAmount: '1' },
    { upTo: null, unitAmount: unitAmount() },
  ];
  const prices = [
    price({
      model: 'per_unit',
      details: { decimal: unitAmount(), currency },
      ...(random.chance(0.4) && { includedUnits: `${random.whole(1, 20)}` }),
      ...(random.chance(0.3) && { minimumSpend: { amount: random.whole(1, 9), currency } }),
      ...(random.chance(0.3) && { maximumSpend: { amount: random.whole(20, 50), currency } }),
    }),
    price({ model: random.pick(['graduated', 'volume']), details: { amount: 0, currency }, tiers }),
  ];
  const tenant = await world.tenant(place);
  const product = await tenant.write((unit) =>
    createProduct(unit, { groupId: null, name: 'Usage', description: '', prices }),
  );
  const ids = await tenant.read.many('prices', { where: { productId: product.id }, orderBy: ['id'] });
  place.products.push({ id: product.id, groupId: null, prices: ids.map(({ id }) => id) });
}

/** What an answer should say of an event. */
type Expected = 'accepted' | 'duplicates' | 'conflicts' | 'refused' | 'unassigned';

/** Sends new events, late ones, and earlier ones again: the same, or with other content. The answer must say what each is. */
export async function sendUsage(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  if (place.customers.length === 0) return;
  const now = tenant.now();
  const sent = findSent(place);
  const events: UsageEventInput[] = [];
  const expected: Record<Expected, number> = {
    accepted: 0,
    duplicates: 0,
    conflicts: 0,
    refused: 0,
    unassigned: 0,
  };
  const known = sent.filter(({ at }) => at > addMs(now, -20 * dayMs));
  const used = new Set<string>();
  for (let count = random.whole(1, 25); count > 0; count--) {
    const again = known.length > 0 && random.chance(0.3) ? random.pick(known) : undefined;
    if (again && used.has(again.event.id)) continue;
    const isOther = again !== undefined && random.chance(0.3);
    const event = again?.event ?? buildEvent(world, place, now);
    used.add(event.id);
    events.push(isOther ? { ...event, properties: { ...event.properties, n: '-1.5' } } : event);
    expected[again ? (isOther ? 'conflicts' : 'duplicates') : expectNew(event, now)]++;
  }
  if (events.length === 0) return;
  const answer = await recordUsage(tenant, { events });
  for (const event of events)
    if (!known.some((each) => each.event.id === event.id) && expectNew(event, now) === 'accepted')
      sent.push({ event, at: now });
  if (world.rushing) return;
  const counted = {
    accepted: answer.accepted,
    duplicates: answer.duplicates,
    conflicts: answer.conflicts.length,
    refused: answer.refused.length,
    unassigned: answer.unassigned,
  };
  if (await hasAllCustomers(tenant, events)) compare(`${place.alias} at ${now}`, counted, toAnswer(expected));
}

/** Events of nobody yet are accepted as well. */
const toAnswer = ({ accepted, unassigned, ...others }: Record<Expected, number>) => ({
  ...others,
  accepted: accepted + unassigned,
  unassigned,
});

function compare(what: string, found: Record<Expected, number>, expected: Record<Expected, number>): void {
  const write = ({ accepted, duplicates, conflicts, refused, unassigned }: Record<Expected, number>) =>
    JSON.stringify({ accepted, duplicates, conflicts, refused, unassigned });
  if (write(found) !== write(expected))
    throw new Error(`${what}: usage was answered by ${write(found)} instead of ${write(expected)}`);
}

/** Whether all customers of events exist: those who were deleted are refused. */
async function hasAllCustomers(tenant: TenantScope, events: UsageEventInput[]): Promise<boolean> {
  const id = [...new Set(events.flatMap(({ customerId }) => customerId ?? []))];
  return id.length === 0 || (await tenant.read.many('customers', { where: { id } })).length === id.length;
}

function buildEvent({ random }: World, place: Place, now: string): UsageEventInput {
  const lateMs = random.weighted({
    0: 6,
    [3 * hourMs]: 3,
    [12 * dayMs]: 2,
    [34 * dayMs]: 1,
    [37 * dayMs]: 0.3,
  });
  const aheadMs = random.chance(0.02) ? hourMs : 0;
  const who = random.chance(0.95)
    ? { customerId: random.pick(place.customers) }
    : { associatedId: `nobody-${random.whole(0, 20)}` };
  return {
    id: `event-${random.whole(0, 2 ** 31)}-${random.whole(0, 2 ** 31)}`,
    event: metered,
    ...who,
    at: addMs(now, aheadMs - Number(lateMs)),
    properties: {
      n: `${random.whole(0, 30)}${random.chance(0.3) ? `.${random.whole(1, 999)}` : ''}`,
      model: random.pick(['large', 'small', 'new']),
      user: `user-${random.whole(1, 9)}`,
    },
  };
}

function expectNew({ at, associatedId }: UsageEventInput, now: string): Expected {
  if (at! > addMs(now, hourMs / 2) || at! < addMs(now, -35 * dayMs)) return 'refused';
  return associatedId ? 'unassigned' : 'accepted';
}

/** Takes some events back; nobody sends those again. */
export async function takeUsageBack({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  const sent = findSent(place);
  if (sent.length === 0) return;
  const ids = Array.from({ length: random.whole(1, 4) }, () => random.pick(sent).event.id);
  sentOf.set(
    place,
    sent.filter(({ event }) => !ids.includes(event.id)),
  );
  await voidUsage(tenant, { ids });
}

/** Reads what a subscription would be billed now, which must not be less than nothing. */
export async function readUsage({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  if (place.subscriptions.length === 0) return;
  const id = random.pick(place.subscriptions);
  const { totalMinor } = await previewUsage({ read: tenant.read, now: tenant.now() }, id);
  if (totalMinor < 0n) throw new Error(`${id}: its usage so far is ${totalMinor}`);
}

/** Uses a limit at once, or reserves a part of it, which is settled, released or left to its time-out. */
export async function useLimit(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  if (place.customers.length === 0) return;
  const isOfType = random.chance(0.3);
  const [type] = await tenant.read.many('creditTypes', { where: {}, orderBy: ['id'], limit: 1 });
  const meterId = isOfType ? type!.rates[0]!.meterId : null;
  const customerId = random.pick(place.customers);
  const who = { customerId, feature: isOfType ? coins : feature, meterId };
  const amount = `${random.whole(1, 12)}`;
  const id = `use-${random.whole(0, 2 ** 31)}-${random.whole(0, 2 ** 31)}`;
  const before = await checkEntitlement(tenant, { customerId }, { ...who, amount });
  if (random.chance(0.5)) {
    const use = await consumeEntitlement(tenant, { ...who, id, amount });
    // The same again, as after a lost answer.
    await consumeEntitlement(tenant, { ...who, id, amount });
    // Another meter of the type counts the event as well.
    if (!world.rushing && !isOfType && use.allowed !== before.allowed)
      throw new Error(`${customerId}: a use of ${amount} was ${use.allowed}, and checked ${before.allowed}`);
    return;
  }
  const held = await reserveEntitlement(tenant, { ...who, id, amount, ttlSeconds: random.whole(60, 3600) });
  if (!world.rushing && !before.allowed) throw new Error(`${held.id}: was reserved beyond the limit`);
  const used = `${random.whole(0, Number(amount))}`;
  const end = random.weighted({ settle: 5, release: 3, leave: 2 });
  if (end === 'settle') await settleReservation(tenant, held.id, { amount: used });
  if (end === 'release') await releaseReservation(tenant, held.id);
}

/** Sets the threshold of a subscription, or takes it off. */
export async function setThreshold(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  if (place.subscriptions.length === 0) return;
  const id = random.pick(place.subscriptions);
  const amount = random.chance(0.8) ? { amount: random.whole(1, 15), currency: place.currency } : null;
  await tenant.write(async (unit) => {
    const subscription = await unit.one('subscriptions', { id });
    if (subscription?.cancelledAt === null) await changeThreshold(unit, subscription, amount);
  });
}

/** Sets the amounts of usage of which events tell, or takes them off. */
export async function setAlerts(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  if (place.subscriptions.length === 0) return;
  const id = random.pick(place.subscriptions);
  const count = random.whole(0, 3);
  const amounts = Array.from({ length: count }, () => ({
    amount: random.whole(1, 20),
    currency: place.currency,
  }));
  await tenant.write(async (unit) => {
    const subscription = await unit.one('subscriptions', { id });
    if (subscription?.cancelledAt === null) await changeSpendAlerts(unit, subscription, amounts);
  });
}

/** Gives credits of a type, sells credit, or lets it be sold whenever little is left. */
export async function sellCredits(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  const { currency } = place;
  if (place.customers.length === 0) return;
  const customerId = random.pick(place.customers);
  const [type] = await tenant.read.many('creditTypes', { where: {}, orderBy: ['id'], limit: 1 });
  const amount = { amount: random.whole(1, 40), currency };
  const credits = { creditTypeId: type!.id, amount: `${random.whole(1, 500)}.5`, currency };
  const isOfType = random.chance(0.5);
  const sold = isOfType ? { credits, costBasis: '0.02' } : { amount };
  const kind = random.weighted({ give: 4, sell: 3, auto: 2 });
  if (kind === 'give') {
    const expiresAt = random.chance(0.6) ? addMs(tenant.now(), random.whole(1, 60) * dayMs) : null;
    const terms = { credits, expiresAt, alertBelowCredits: '1.25' };
    const grant = { customerId, name: 'Coins', category: 'promotional', ...terms };
    await tenant.write((unit) => createCreditGrant(unit, grant));
  } else if (kind === 'sell') await topUpCredit(tenant, { customerId, name: 'Top-up', ...sold });
  else {
    const rule = isOfType
      ? { credits: { ...credits, threshold: '20' }, costBasis: '0.02' }
      : { amount, threshold: { amount: 5, currency } };
    await tenant.write((unit) =>
      setAutoTopUp(unit, { customerId, name: 'Auto', monthlyLimit: random.whole(1, 3), ...rule }),
    );
  }
}

/** Changes the rates of the credit type, or what a meter counts from the next quarter of an hour on. */
export async function editMeters({ random }: World, _: Place, tenant: TenantScope): Promise<void> {
  if (random.chance(0.5)) {
    const [type] = await tenant.read.many('creditTypes', { where: {}, orderBy: ['id'], limit: 1 });
    const rates = type!.rates.map((rate) => ({ ...rate, credits: `${random.whole(1, 4)}` }));
    await tenant.write((unit) => updateCreditType(unit, type!.id, { rates }));
    return;
  }
  const meters = await tenant.read.many('meters', { where: { event: metered }, orderBy: ['id'] });
  const filter = random.chance(0.5) ? [{ property: 'model', values: ['large', 'small'] }] : null;
  const { id } = random.pick(meters);
  await tenant.write((unit) => createMeterVersion(unit, id, { filter }));
}

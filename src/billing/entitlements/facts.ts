/** Reads what is known of a customer and their features, in two steps of reads at once. */
import { refuse } from '../../lib/errors.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { isGiven } from '../../lib/validation.ts';
import type { CreditRate } from '../../storage/model/creditTerms.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Selection } from '../../storage/query/queries.ts';
import type { Reads, TenantReads } from '../../storage/store.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import { findCustomerByEither } from '../customers/customers.ts';
import { listProductIds } from '../pricing/invoiceLines.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.ts';
import type { Counter } from './counters.ts';
import type { EntitlementFacts, FeatureRow } from './grants.ts';

/** A customer by their id or by that of the client: exactly one is given. */
export interface CustomerRef {
  customerId?: string | null;
  associatedId?: string | null;
}

const unreadOfCustomers = allColumnsBut('customers', 'id');
const unreadOfSubscriptions = ['metadata', 'mrr'] as const;

/** Returns the id of a customer. Errors: `customer_not_found`, `validation_failed`. */
export async function findCustomerId(
  reads: Reads,
  { customerId: id, associatedId }: CustomerRef,
): Promise<string> {
  const either = { id, associatedId };
  return (await findCustomerByEither(reads, either, unreadOfCustomers, 'customerId')).id;
}

/** Reads the subscriptions of a customer that are not cancelled, oldest first. */
const readSubscriptions = (reads: Reads, customerId: string) =>
  reads.many('subscriptions', selectSubscriptions(customerId));

const selectSubscriptions = (customerId: string): Selection<'subscriptions'> => ({
  where: { customerId },
  filter: { cancelledAt: null },
  orderBy: ['createdAt', 'id'],
  leaveOut: unreadOfSubscriptions,
});

/** What is read of an open reservation. */
export type OpenReservation = Pick<Row<'reservations'>, 'meterId' | 'amount'>;

const unreadOfReservations = allColumnsBut('reservations', 'amount', 'meterId');

/** Selects the reservations of a customer that are open at an instant. */
export const selectOpen = (customerId: string, feature: string, now: string): Selection<'reservations'> => ({
  where: { customerId, feature, openUntil: { after: now } },
  leaveOut: unreadOfReservations,
});

const listProducts = (subscriptions: readonly SubscriptionRow[]): string[] => [
  ...new Set(subscriptions.flatMap(listProductIds)),
];

/** What operators have set of a feature, but for what products have of it. */
interface FeatureTerms {
  feature: FeatureRow;
  counters: Counter[];
}

type ReadingTenant = Pick<SteppedTenant, 'readTerms'>;

/** Reads the terms of a feature, as of the last second. Errors: `customer_not_found`, `feature_not_found`, `validation_failed`. */
export async function readFeatureTerms(
  tenant: ReadingTenant,
  reads: Reads,
  who: CustomerRef,
  key: string,
): Promise<FeatureTerms> {
  const load = async (primary: Reads) => {
    const feature = await primary.one('features', { key });
    return feature && { feature, counters: (await readCounters(primary, [feature]))(feature) };
  };
  const terms = await tenant.readTerms(`feature ${key}`, load);
  if (terms) return terms;
  // Of two unknown names the customer's is told first.
  await findCustomerId(reads, who);
  return refuse('feature_not_found', { path: 'feature', message: 'is not the key of a feature' });
}

/** Reads what a product has of a feature, as of the last second. */
const readAttached = async (tenant: ReadingTenant, feature: string, productId: string) =>
  tenant.readTerms(`product ${productId} ${feature}`, async (reads) => {
    const row = await reads.one('productEntitlements', { productId, feature });
    return row ? [row] : [];
  });

/** Reads what is known of a customer and one feature. Errors: `customer_not_found`, `feature_not_found`, `validation_failed`. */
export async function readFacts(
  tenant: ReadingTenant,
  reads: TenantReads,
  who: CustomerRef,
  key: string,
): Promise<EntitlementFacts> {
  const terms = await readFeatureTerms(tenant, reads, who, key);
  return readFactsOf(tenant, reads, await findKnownId(reads, who), terms);
}

/** Returns the id of a customer who may not exist; looks up the id of the client. Errors: as `findCustomerId`. */
export const findKnownId = (reads: Reads, who: CustomerRef): MaybePromise<string> =>
  isGiven(who.customerId) && !isGiven(who.associatedId) ? who.customerId : findCustomerId(reads, who);

/** What a check reads of a customer and a feature, whatever the period is in which use is counted. */
export interface ReadUse {
  totals: Row<'usageTotals'>[];
  reservations: OpenReservation[];
}

/** Reads what is known of a customer by their id, and a feature. Error: `customer_not_found`. */
async function readFactsOf(
  tenant: ReadingTenant,
  reads: TenantReads,
  id: string,
  terms: FeatureTerms,
): Promise<EntitlementFacts> {
  const [customers, overrides, subscriptions] = await reads.manyOf(...selectFacts(id, terms));
  return completeFacts(tenant, terms, { customers, overrides, subscriptions });
}

/** Reads the same, and what is kept of the use of the limit. Error: `customer_not_found`. */
export async function readFactsAndUse(
  tenant: ReadingTenant,
  reads: TenantReads,
  id: string,
  { terms, now }: { terms: FeatureTerms; now: string },
): Promise<{ facts: EntitlementFacts; use: ReadUse | undefined }> {
  if (terms.counters.length === 0)
    return { facts: await readFactsOf(tenant, reads, id, terms), use: undefined };
  const meterId = terms.counters.map(({ meter }) => meter.id);
  const [customers, overrides, subscriptions, totals, reservations] = await reads.manyOf(
    ...selectFacts(id, terms),
    ['usageTotals', { where: { meterId, customerId: id } }],
    ['reservations', selectOpen(id, terms.feature.key, now)],
  );
  const facts = await completeFacts(tenant, terms, { customers, overrides, subscriptions });
  return { facts, use: { totals, reservations } };
}

const selectFacts = (customerId: string, { feature }: FeatureTerms) =>
  [
    ['customers', { where: { id: customerId }, limit: 1, leaveOut: unreadOfCustomers }],
    ['entitlementOverrides', { where: { customerId, feature: feature.key }, limit: 1 }],
    ['subscriptions', selectSubscriptions(customerId)],
  ] as const;

interface FoundFacts {
  customers: Row<'customers'>[];
  overrides: Row<'entitlementOverrides'>[];
  subscriptions: SubscriptionRow[];
}

async function completeFacts(
  tenant: ReadingTenant,
  { feature, counters }: FeatureTerms,
  { customers, overrides, subscriptions }: FoundFacts,
): Promise<EntitlementFacts> {
  const [customer] = customers;
  if (!customer) return refuse('customer_not_found');
  const attached = await Promise.all(
    listProducts(subscriptions).map((productId) => readAttached(tenant, feature.key, productId)),
  );
  return {
    customerId: customer.id,
    feature,
    override: overrides[0],
    subscriptions,
    attached: attached.flat(),
    counters,
  };
}

/** Reads what counts the use of features. Returns what finds that of one of them. */
async function readCounters(
  reads: Reads,
  features: readonly FeatureRow[],
): Promise<(feature: FeatureRow) => Counter[]> {
  const typeIds = distinct(features.map(({ creditTypeId }) => creditTypeId));
  const types = typeIds.length > 0 ? await reads.many('creditTypes', { where: { id: typeIds } }) : [];
  const ratesOf = new Map(types.map(({ id, rates }) => [id, rates]));
  const ids = distinct([
    ...features.map(({ meterId }) => meterId),
    ...types.flatMap(({ rates }) => rates.map(({ meterId }) => meterId)),
  ]);
  const meters = ids.length > 0 ? await reads.many('meters', { where: { id: ids } }) : [];
  const meterOf = new Map(meters.map((meter) => [meter.id, meter]));
  const count = (meterId: string, rate: CreditRate | null): Counter[] => {
    const meter = meterOf.get(meterId);
    return meter ? [{ meter, rate }] : [];
  };
  return ({ meterId, creditTypeId }) => {
    if (meterId !== null) return count(meterId, null);
    const rates = creditTypeId === null ? [] : (ratesOf.get(creditTypeId) ?? []);
    return rates.flatMap((rate) => count(rate.meterId, rate));
  };
}

const distinct = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];

/** Reads what is known of a customer and all features, oldest first. Errors: `customer_not_found`, `validation_failed`. */
export async function readAllFacts(reads: Reads, who: CustomerRef): Promise<EntitlementFacts[]> {
  const customerId = await findCustomerId(reads, who);
  const [features, overrides, subscriptions] = await Promise.all([
    reads.many('features', { where: {}, orderBy: ['createdAt', 'id'] }),
    reads.many('entitlementOverrides', { where: { customerId } }),
    readSubscriptions(reads, customerId),
  ]);
  const products = listProducts(subscriptions);
  const [attached, findCounters] = await Promise.all([
    products.length > 0 ? reads.many('productEntitlements', { where: { productId: products } }) : [],
    readCounters(reads, features),
  ]);
  const overrideOf = new Map(overrides.map((each) => [each.feature, each]));
  const attachedOf = groupBy(attached, (each) => each.feature);
  return features.map((feature) => ({
    feature,
    customerId,
    override: overrideOf.get(feature.key),
    subscriptions,
    attached: attachedOf.get(feature.key) ?? [],
    counters: findCounters(feature),
  }));
}

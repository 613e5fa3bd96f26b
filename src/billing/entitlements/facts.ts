/** Reads what is known of a customer and their features, in two steps of reads at once. */
import { refuse } from '../../lib/errors.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { isGiven } from '../../lib/validation.ts';
import type { CreditRate } from '../../storage/model/common.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import type { Reads } from '../../storage/store.ts';
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
  reads.many('subscriptions', {
    where: { customerId },
    filter: { cancelledAt: null },
    orderBy: ['createdAt', 'id'],
    leaveOut: unreadOfSubscriptions,
  });

const listProducts = (subscriptions: readonly SubscriptionRow[]): string[] => [
  ...new Set(subscriptions.flatMap(listProductIds)),
];

/** Reads what is known of a customer and one feature. Errors: `customer_not_found`, `feature_not_found`, `validation_failed`. */
export async function readFacts(reads: Reads, who: CustomerRef, key: string): Promise<EntitlementFacts> {
  // The id of the client is looked up first; one of ours is checked beside the other reads.
  const known = isGiven(who.associatedId) ? await findCustomerId(reads, who) : (who.customerId ?? '');
  const [customerId, feature, override, subscriptions] = await Promise.all([
    isGiven(who.associatedId) ? known : findCustomerId(reads, who),
    reads.one('features', { key }),
    reads.one('entitlementOverrides', { customerId: known, feature: key }),
    readSubscriptions(reads, known),
  ]);
  if (!feature)
    return refuse('feature_not_found', { path: 'feature', message: 'is not the key of a feature' });
  const products = listProducts(subscriptions);
  const [attached, findCounters] = await Promise.all([
    products.length > 0
      ? reads.many('productEntitlements', { where: { productId: products, feature: key } })
      : [],
    readCounters(reads, [feature]),
  ]);
  return { customerId, feature, override, subscriptions, attached, counters: findCounters(feature) };
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

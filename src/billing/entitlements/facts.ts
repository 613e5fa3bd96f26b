/** Reads what is known of a customer and their features, in two steps of reads at once. */
import { refuse } from '../../lib/errors.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { isGiven } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import type { Reads } from '../../storage/store.ts';
import { findCustomerByEither } from '../customers/customers.ts';
import { listProductIds } from '../pricing/invoiceLines.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.ts';
import type { EntitlementFacts } from './grants.ts';

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
  const [attached, meter] = await Promise.all([
    products.length > 0
      ? reads.many('productEntitlements', { where: { productId: products, feature: key } })
      : [],
    feature.meterId === null ? undefined : reads.one('meters', { id: feature.meterId }),
  ]);
  return { customerId, feature, override, subscriptions, attached, meter };
}

/** Reads what is known of a customer and all features, oldest first. Errors: `customer_not_found`, `validation_failed`. */
export async function readAllFacts(reads: Reads, who: CustomerRef): Promise<EntitlementFacts[]> {
  const customerId = await findCustomerId(reads, who);
  const [features, overrides, subscriptions] = await Promise.all([
    reads.many('features', { where: {}, orderBy: ['createdAt', 'id'] }),
    reads.many('entitlementOverrides', { where: { customerId } }),
    readSubscriptions(reads, customerId),
  ]);
  const products = listProducts(subscriptions);
  const meterIds = [...new Set(features.flatMap(({ meterId }) => meterId ?? []))];
  const [attached, meters] = await Promise.all([
    products.length > 0 ? reads.many('productEntitlements', { where: { productId: products } }) : [],
    meterIds.length > 0 ? reads.many('meters', { where: { id: meterIds } }) : [],
  ]);
  const overrideOf = new Map(overrides.map((each) => [each.feature, each]));
  const attachedOf = groupBy(attached, (each) => each.feature);
  const meterOf = new Map<string | null, Row<'meters'>>(meters.map((each) => [each.id, each]));
  return features.map((feature) => ({
    feature,
    customerId,
    override: overrideOf.get(feature.key),
    subscriptions,
    attached: attachedOf.get(feature.key) ?? [],
    meter: meterOf.get(feature.meterId),
  }));
}

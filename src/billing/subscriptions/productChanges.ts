import { closeIntent } from '../renewals/intentExpiry.ts';
import { changeProduct, markProductDeleted, type ProductRow } from '../catalog/products.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { refuse, type Issue } from '../../lib/errors.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

const openStatuses = ['requires_payment_method', 'requires_action', 'processing'] as const;
const beingPaid = ['requires_action', 'processing'] as const;
/** The most conflicts that an error names. */
const mostNamed = 10;
/** The most ids in one query. */
const mostIds = 256;

type SubscriptionRow = Row<'subscriptions'>;
type IntentRow = Row<'intents'>;

/**
 * Changes a product. Its subscriptions keep their terms and follow it into another group. Refuses a move that would
 * give a customer two subscriptions in one group, or that would separate a scheduled plan change from its group.
 * Errors: `product_not_found`, `group_not_found`, `validation_failed`, `group_conflict`.
 */
export function updateProduct(unit: UnitOfWork, id: string, input: unknown): Promise<ProductRow> {
  return changeProduct(unit, id, input, (moved, from) => moveSubscriptions(unit, moved, from));
}

/**
 * Deletes a product. Existing subscriptions and scheduled plan changes to it continue; unpaid intents are cancelled.
 * Error: `product_not_found`.
 */
export async function deleteProduct(unit: UnitOfWork, id: string): Promise<ProductRow> {
  const deleted = await markProductDeleted(unit, id);
  const intents = await unit.many('intents', { where: { productId: id, status: openStatuses } });
  for (const intent of intents) await closeIntent(unit, intent, id);
  return deleted;
}

async function moveSubscriptions(unit: UnitOfWork, product: ProductRow, from: string | null): Promise<void> {
  const { id: productId, groupId } = product;
  const subscriptions = await unit.many('subscriptions', { where: { productId, cancelledAt: null } });
  const intents = await unit.many('intents', { where: { productId, status: openStatuses } });
  const conflicts = [
    ...(await findScheduledConflicts(unit, productId, from)),
    ...(groupId === null ? [] : await findRivals(unit, groupId, subscriptions, intents)),
  ];
  if (conflicts.length > 0) refuse('group_conflict', ...conflicts.slice(0, mostNamed));
  const eventOptions = { action: 'group_changed' as const, causedBy: productId };
  for (const subscription of subscriptions) {
    await unit.change('subscriptions', subscription, { groupId }, eventOptions);
  }
  for (const intent of intents) await unit.change('intents', intent, { groupId }, eventOptions);
}

const buildConflict = (message: string): Issue => ({ path: 'groupId', message });

/** Lists scheduled plan changes to or from the product that would lead from one group to another after the move. */
async function findScheduledConflicts(
  unit: UnitOfWork,
  productId: string,
  from: string | null,
): Promise<Issue[]> {
  // Plan changes between products exist only within a group.
  if (from === null) return [];
  const waiting = await unit.many('subscriptions', { where: { nextIntentId: { isSet: true } } });
  const productByIntent = new Map<string, string>();
  for (const ids of splitIntoChunks(waiting.map(({ nextIntentId }) => nextIntentId!))) {
    const intents = await unit.many('intents', { where: { id: ids } });
    for (const intent of intents) productByIntent.set(intent.id, intent.productId);
  }
  return waiting
    .map((subscription) => ({ subscription, next: productByIntent.get(subscription.nextIntentId!) }))
    .filter(({ subscription, next }) => {
      const present = subscription.productId;
      return present !== next && (present === productId || next === productId);
    })
    .map(({ subscription: { id, customerId } }) =>
      buildConflict(
        `subscription ${id} of customer ${customerId} waits for a change of plan: cancel that first`,
      ),
    );
}

/**
 * Lists customers who would have two subscriptions in the group. A subscription, or an intent with a payment in
 * progress, claims a place: for the moved product, or for one already in the group.
 */
async function findRivals(
  unit: UnitOfWork,
  groupId: string,
  subscriptions: SubscriptionRow[],
  intents: IntentRow[],
): Promise<Issue[]> {
  const places = new Map<string, Set<string>>();
  const claimBySubscription = ({ customerId, id }: SubscriptionRow) => claim(places, customerId, id);
  const claimByIntent = ({ customerId, changesSubscriptionId, id }: IntentRow) =>
    claim(places, customerId, changesSubscriptionId ?? id);
  subscriptions.forEach(claimBySubscription);
  intents.filter(({ status }) => status !== 'requires_payment_method').forEach(claimByIntent);
  for (const customerId of splitIntoChunks([...places.keys()])) {
    const there = { groupId, customerId };
    const own = await unit.many('subscriptions', { where: { ...there, cancelledAt: null } });
    own.forEach(claimBySubscription);
  }
  const rivals = await unit.many('intents', { where: { groupId, status: beingPaid } });
  rivals.filter(({ customerId }) => places.has(customerId)).forEach(claimByIntent);
  return [...places]
    .filter(([, claims]) => claims.size > 1)
    .map(([customerId, claims]) =>
      buildConflict(
        `customer ${customerId} would have ${[...claims].join(' and ')} in one group: cancel one first`,
      ),
    );
}

function claim(places: Map<string, Set<string>>, customerId: string, place: string): void {
  const claims = places.get(customerId) ?? new Set();
  places.set(customerId, claims.add(place));
}

function splitIntoChunks<T>(items: T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / mostIds) }, (_, index) =>
    items.slice(index * mostIds, (index + 1) * mostIds),
  );
}

import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

/**
 * Puts a customer's running subscriptions into the groups that their products are in now, where none of theirs is
 * there: in earlier releases, and in files that those exported, they stayed behind when a product was moved.
 */
export async function alignGroups(unit: UnitOfWork, customerId: string): Promise<void> {
  const running = await unit.many('subscriptions', { where: { customerId, cancelledAt: null } });
  if (running.length === 0) return;
  const products = await unit.many('products', { where: { id: running.map(({ productId }) => productId) } });
  const groupOf = new Map(products.map(({ id, groupId }) => [id, groupId]));
  for (const [index, subscription] of running.entries()) {
    const groupId = groupOf.get(subscription.productId);
    if (groupId === undefined || groupId === subscription.groupId) continue;
    const isTaken = groupId !== null && running.some((other) => other.groupId === groupId);
    if (isTaken) continue;
    running[index] = await unit.change(
      'subscriptions',
      subscription,
      { groupId },
      { action: 'group_changed' },
    );
  }
}

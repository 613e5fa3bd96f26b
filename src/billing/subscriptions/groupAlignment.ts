import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

/**
 * Updates the group of a customer's running subscriptions to the current group of their products, unless another of the
 * customer's subscriptions is in that group. Earlier releases, and files they exported, kept the old group when a
 * product moved.
 */
export async function alignGroups(unit: UnitOfWork, customerId: string): Promise<void> {
  const running = await unit.many('subscriptions', { where: { customerId, cancelledAt: null } });
  if (running.length === 0) return;
  const products = await unit.many('products', { where: { id: running.map(({ productId }) => productId) } });
  const groupIds = new Map(products.map(({ id, groupId }) => [id, groupId]));
  for (const [index, subscription] of running.entries()) {
    const groupId = groupIds.get(subscription.productId);
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

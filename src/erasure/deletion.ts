import { endSubscription } from '../billing/renewals/termination.ts';
import { closeIntent } from '../billing/renewals/intentExpiry.ts';
import { removeGroup, findGroup } from '../billing/catalog/groups.ts';
import { closeOneOffBilling } from '../billing/invoices/oneOffInvoices.ts';
import { listSavedMethods, markMethodRemoved } from '../billing/payments/paymentMethods.ts';
import { findCustomer, type CustomerRow } from '../billing/customers/customers.ts';
import { deleteNotesAbout } from '../billing/customers/notes.ts';
import { removeOverridesOf, removeReservationsOf } from '../billing/entitlements/overrides.ts';
import { removeGroupEntitlements } from '../billing/entitlements/productEntitlements.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

/**
 * Deletes a customer permanently: cancels their subscriptions and open intents and voids their open invoices, except the
 * final ones of subscriptions, which await a transfer until the seller gives them up. Invoices and traces stay; the traces contain names and email address until `eraseCustomer`. Errors: `customer_not_found`,
 * `associated_id_mismatch`.
 */
export async function deleteCustomer(
  unit: UnitOfWork,
  id: string,
  associatedId: string | null | undefined,
): Promise<CustomerRow> {
  const customer = await findCustomer(unit, id, associatedId);
  return unit.remove('customers', customer, {}, async () => {
    await cancelAgreements(unit, { customerId: id }, id);
    await deleteNotesAbout(unit, id);
    await unit.removeUntraced('vatIdChecks', { customerId: id });
    await removeOverridesOf(unit, id);
    await removeReservationsOf(unit, id);
    for (const method of await listSavedMethods(unit, id)) await markMethodRemoved(unit, method, id);
  });
}

/** Deletes a group with its products and prices, and cancels the subscriptions to them. Error: `group_not_found`. */
export async function deleteGroup(unit: UnitOfWork, id: string): Promise<Row<'groups'>> {
  const group = await findGroup(unit, id);
  return removeGroup(unit, group, async () => {
    await cancelAgreements(unit, { groupId: id }, id);
    await removeGroupEntitlements(unit, id);
  });
}

type Owner = { customerId: string } | { groupId: string };

/** Cancels the subscriptions and open intents of a customer or a group. */
export async function cancelAgreements(unit: UnitOfWork, owner: Owner, causedBy: string): Promise<void> {
  const subscriptions = await unit.many('subscriptions', { where: { ...owner, cancelledAt: null } });
  const isDeleted = 'customerId' in owner;
  for (const subscription of subscriptions)
    await endSubscription(unit, subscription, { causedBy, isDeleted });
  const intents = await unit.many('intents', {
    where: { ...owner, status: ['requires_payment_method', 'requires_action', 'processing'] },
  });
  for (const intent of intents) await closeIntent(unit, intent, causedBy);
  if ('customerId' in owner) await closeOneOffBilling(unit, owner.customerId, causedBy);
}

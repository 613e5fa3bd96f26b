/** How sessions of customers use the operations on subscriptions: as the settings of the tenant's portal permit. */
import type { CustomerUse } from '../../graphql/operations.ts';
import { findPortalSettings } from '../../tenants/portalSettings.ts';
import { findForbiddenChange, findForbiddenOrder } from './customerChanges.ts';

const changeArguments = ['id', 'input.priceId', 'input.quantity', 'input.addOns'];

/** `changeSubscription`: to the plans, quantities and add-ons that the portal offers. */
export const changeUse: CustomerUse = {
  args: [...changeArguments, 'input.expectedTotal'],
  action: 'change_subscription',
  own: { id: 'subscriptions' },
  findForbidden: findForbiddenChange,
};

/** `previewSubscriptionChange`, for every session. */
export const previewChangeUse: CustomerUse = { ...changeUse, args: changeArguments, action: undefined };

/** `cancelSubscription`: when the portal permits it. A subscription without a paid period always ends at once. */
export const cancelUse: CustomerUse = {
  args: ['id', 'input.atPeriodEnd', 'input.reason', 'input.comment'],
  action: 'cancel_subscription',
  own: { id: 'subscriptions' },
  findForbidden: ({ record }, { input }: { input?: { atPeriodEnd?: boolean | null } | null }) => {
    const { cancellation } = findPortalSettings(record);
    const isPermitted =
      cancellation === 'both' || cancellation === (input?.atPeriodEnd === true ? 'period_end' : 'now');
    return isPermitted ? undefined : 'input.atPeriodEnd';
  },
};

/** `uncancelSubscription`: a customer who may cancel may also stay. */
export const uncancelUse: CustomerUse = {
  args: ['id'],
  action: 'cancel_subscription',
  own: { id: 'subscriptions' },
};

/**
 * `createSubscriptionIntent`: by promotion code where the portal has its field, without free time, coupons and a later start. An order that would change the plan of a subscription
 * needs what the change needs.
 */
export const subscribeUse: CustomerUse = {
  args: [
    'customerId',
    'productId',
    'priceId',
    'quantity',
    'addOns',
    'promotionCode',
    'receiptUrl',
    'returnUrl',
  ].map((field) => `input.${field}`),
  action: 'subscribe',
  own: { 'input.customerId': 'customers' },
  findForbidden: findForbiddenOrder,
};

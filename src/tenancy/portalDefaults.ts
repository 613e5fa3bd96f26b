import type { PortalSettings } from '../storage/model/common.ts';

/** The settings of a new tenant's portal. Cancelling is possible, because the law of many places requires it. */
export const defaultPortal: PortalSettings = {
  enabled: true,
  signInByCode: true,
  planChange: true,
  quantityChange: false,
  addOns: false,
  pause: false,
  promotionCodes: false,
  cancellation: 'period_end',
  cancellationReasons: true,
  retentionCouponId: null,
  paymentMethods: true,
  invoices: true,
  details: true,
  balance: true,
  productIds: null,
  headline: null,
  returnUrl: null,
};

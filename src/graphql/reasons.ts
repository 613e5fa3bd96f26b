import type { Reason } from '../lib/errors.ts';

/** Reasons that every operation can return: authentication, the request as a whole, and the state of the server. */
export const commonReasons: Reason[] = [
  'validation_failed',
  'api_key_missing',
  'api_key_invalid',
  'tenant_mismatch',
  'address_not_allowed',
  'permission_missing',
  'secret_key_in_browser',
  'origin_not_allowed',
  'closed_to_browsers',
  'action_not_allowed',
  'request_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'unavailable',
  'result_too_large',
];

/**
 * Further reasons that every mutation can return. `customer_not_found`: a repeat of a request whose customer has
 * been erased.
 */
export const mutationReasons: Reason[] = [
  'insufficient_scope',
  'request_in_flight',
  'idempotency_key_reused',
  'outcome_unknown',
  'customer_not_found',
];

/** Further reasons that every operation of the console can return, which acts for an operator, not for an API key. */
export const consoleReasons: Reason[] = [
  'sign_in_required',
  'tenant_missing',
  'step_up_required',
  'csrf_refused',
];

/** Further reasons of every GraphQL request, for its document as a whole; REST has documents of its own. */
export const documentReasons: Reason[] = [
  'cost_exceeded',
  'document_not_found',
  'document_not_trusted',
  'persisted_query_not_found',
];

/** Further reasons of every operation that selects a connection below its root field, or `totalCount`. */
export const connectionReasons: Reason[] = ['cursor_invalid', 'query_timeout'];

/** Reasons of routing, which no operation returns. */
export const transportReasons: Reason[] = ['route_not_found', 'method_not_allowed'];

/** Reasons of the payment page and the portal, which no operation returns. */
export const pageReasons: Reason[] = ['too_many_attempts'];

/** Reasons of inputs with an amount of money. */
export const moneyReasons: Reason[] = ['amount_precision', 'currency_unsupported'];
/** Reasons of charges that must equal an expected total, besides `currency_mismatch`. */
export const expectedTotalReasons: Reason[] = ['amount_changed', ...moneyReasons];
/** Reasons of changes of a subscription. */
export const subscriptionChangeReasons: Reason[] = [
  'subscription_not_found',
  'subscription_not_active',
  'price_not_found',
  'price_archived',
  'product_not_found',
  'currency_mismatch',
];
/** Reasons of charges that a change makes at once. */
export const changePaymentReasons: Reason[] = [
  'intent_not_payable',
  'payment_failed',
  'payment_action_required',
];
/** Reasons of an order that changes a plan. */
export const planChangeReasons: Reason[] = [
  'subscription_exists',
  'subscription_not_active',
  'currency_mismatch',
];
/** Reasons of an order. */
export const orderReasons: Reason[] = [
  'product_not_found',
  'price_not_found',
  'price_archived',
  'start_date_in_past',
  ...planChangeReasons,
  'promotion_code_not_found',
  'coupon_not_found',
  'coupon_not_redeemable',
];
/** Reasons of one-off charges. */
export const oneOffReasons: Reason[] = [
  'customer_not_found',
  'currency_mismatch',
  'tax_rate_not_found',
  ...moneyReasons,
];

import type { DeclineCode } from './declineCodes.ts';
import type { CodedIssue } from './issueCodes.ts';

/**
 * The catalogue of errors: a stable reason, its HTTP status, and a message for people. REST returns the reason in
 * `body.reason`, GraphQL in `extensions.reason`.
 */
export const catalogue = {
  approval_required: {
    status: 202,
    message: 'The API key may only ask for this: it is done once an operator approves the action request.',
  },
  validation_failed: { status: 400, message: 'The request is not valid.' },
  result_too_large: { status: 400, message: 'The response is too large; request less at a time.' },
  cost_exceeded: { status: 400, message: 'The operation costs more than one may.' },
  cursor_invalid: { status: 400, message: 'The cursor does not belong to this list.' },
  amount_precision: { status: 400, message: 'The amount has more decimals than its currency.' },
  currency_unsupported: { status: 400, message: 'The currency is not an ISO 4217 code with a minor unit.' },
  tenant_missing: { status: 400, message: 'Choose a tenant in the perennial-tenant header.' },
  start_date_in_past: { status: 400, message: 'The start date is in the past.' },
  api_key_missing: { status: 401, message: 'Send an API key in the api-key header.' },
  api_key_invalid: { status: 401, message: 'The API key is unknown, revoked or expired.' },
  sign_in_required: { status: 401, message: 'Sign in to the console.' },
  sign_in_failed: {
    status: 401,
    message: 'The sign-in failed: the link, passkey, password or code is wrong, used or expired.',
  },
  payment_failed: { status: 402, message: 'The payment was declined.' },
  payment_action_required: { status: 402, message: 'The payer must confirm the payment method.' },
  tenant_mismatch: { status: 403, message: 'The API key or the operator does not belong to this tenant.' },
  insufficient_scope: { status: 403, message: 'The API key is read-only.' },
  address_not_allowed: { status: 403, message: 'The API key is not accepted from this address.' },
  secret_key_in_browser: {
    status: 403,
    message: 'A secret API key came from a web page. Revoke it, and use a publishable key there.',
  },
  origin_not_allowed: {
    status: 403,
    message: "The page's origin is not among the allowed origins of the tenant.",
  },
  action_not_allowed: {
    status: 403,
    message: 'The customer session or the settings of the portal do not allow this.',
  },
  action_request_own: { status: 403, message: 'Who asked for an action does not approve or decline it.' },
  closed_to_browsers: {
    status: 403,
    message: 'Credentials of browsers cannot use this field, argument or route.',
  },
  permission_missing: { status: 403, message: 'The role of the operator, or the key, does not permit this.' },
  step_up_required: { status: 403, message: 'Confirm that it is you: sign in again, then repeat this.' },
  csrf_refused: { status: 403, message: 'The request does not come from a page of this server.' },
  document_not_trusted: {
    status: 403,
    message: 'The server executes trusted documents only.',
  },
  role_too_high: { status: 403, message: 'The role is higher than your own.' },
  associated_id_mismatch: { status: 403, message: 'The associated id does not match the customer.' },
  customer_not_found: { status: 404, message: 'Customer not found.' },
  action_request_not_found: { status: 404, message: 'Action request not found.' },
  customer_note_not_found: { status: 404, message: 'Customer note not found.' },
  product_not_found: { status: 404, message: 'Product not found.' },
  price_not_found: { status: 404, message: 'Price not found.' },
  group_not_found: { status: 404, message: 'Product group not found.' },
  subscription_not_found: { status: 404, message: 'Subscription not found.' },
  intent_not_found: { status: 404, message: 'Subscription intent not found.' },
  coupon_not_found: { status: 404, message: 'Coupon not found.' },
  promotion_code_not_found: { status: 404, message: 'Promotion code not found.' },
  discount_not_found: { status: 404, message: 'Discount not found.' },
  invoice_not_found: { status: 404, message: 'Invoice not found.' },
  invoice_line_not_found: { status: 404, message: 'The invoice has no such line.' },
  payment_not_found: { status: 404, message: 'Payment not found.' },
  payment_method_not_found: { status: 404, message: 'Payment method not found.' },
  credit_note_not_found: { status: 404, message: 'Credit note not found.' },
  invoice_item_not_found: { status: 404, message: 'Invoice item not found.' },
  tax_rate_not_found: { status: 404, message: 'Tax rate not found.' },
  meter_not_found: { status: 404, message: 'Meter not found.' },
  feature_not_found: { status: 404, message: 'Feature not found.' },
  entitlement_not_found: { status: 404, message: 'The product does not have the feature.' },
  entitlement_override_not_found: { status: 404, message: 'The customer has no override of the feature.' },
  reservation_not_found: { status: 404, message: 'Reservation not found.' },
  credit_grant_not_found: { status: 404, message: 'Credit grant not found.' },
  credit_type_not_found: { status: 404, message: 'Credit type not found.' },
  auto_top_up_not_found: { status: 404, message: 'Automatic top-up not found.' },
  usage_price_override_not_found: { status: 404, message: 'Usage price override not found.' },
  webhook_endpoint_not_found: { status: 404, message: 'Webhook endpoint not found.' },
  account_not_found: { status: 404, message: 'The tenant has no account of its own at this provider.' },
  delivery_not_found: { status: 404, message: 'Delivery not found.' },
  api_key_not_found: { status: 404, message: 'API key not found.' },
  customer_session_not_found: { status: 404, message: 'Customer session not found.' },
  portal_session_not_found: { status: 404, message: 'Portal session not found.' },
  mail_delivery_not_found: { status: 404, message: 'Mail delivery not found.' },
  mail_template_not_found: { status: 404, message: 'Mail template not found.' },
  operator_not_found: { status: 404, message: 'Operator not found.' },
  operator_session_not_found: { status: 404, message: 'Session not found.' },
  passkey_not_found: { status: 404, message: 'Passkey not found.' },
  document_not_found: {
    status: 404,
    message: 'The server does not know a document with this id.',
  },
  // The text by which Apollo Client and urql recognise it.
  persisted_query_not_found: { status: 404, message: 'PersistedQueryNotFound' },
  trace_not_found: { status: 404, message: 'Trace not found.' },
  route_not_found: { status: 404, message: 'Route not found.' },
  method_not_allowed: { status: 405, message: 'The route does not support this method.' },
  associated_id_exists: { status: 409, message: 'Another customer already has this associated id.' },
  operator_exists: { status: 409, message: 'The operator already belongs to the tenant.' },
  operator_unconfirmed: {
    status: 409,
    message: "The operator's address is not confirmed; ask the administrator of the server to add them.",
  },
  last_owner: { status: 409, message: 'The tenant needs at least one owner.' },
  order_number_reused: { status: 409, message: 'The order number belongs to a different request.' },
  payments_not_set_up: {
    status: 409,
    message: 'Customers cannot pay: the tenant has neither a payment provider nor a bank account.',
  },
  subscription_exists: { status: 409, message: 'The customer already has this subscription.' },
  customer_has_subscriptions: {
    status: 409,
    message: 'The customer has subscriptions that are not cancelled.',
  },
  subscription_not_active: { status: 409, message: 'The subscription is not active.' },
  intent_not_payable: { status: 409, message: 'The intent cannot be paid in its current status.' },
  no_scheduled_change: { status: 409, message: 'The subscription has no scheduled plan change.' },
  group_conflict: { status: 409, message: 'The product cannot be moved because of existing subscriptions.' },
  promotion_code_exists: { status: 409, message: 'Another active promotion code has this code.' },
  price_archived: { status: 409, message: 'The price is archived; new orders and changes cannot choose it.' },
  coupon_not_redeemable: { status: 409, message: 'The coupon or promotion code cannot be redeemed.' },
  lookup_key_exists: { status: 409, message: 'Another record of this kind has this lookup key.' },
  catalog_changed: { status: 409, message: 'The catalogue has changed since the plan: plan again.' },
  feature_exists: { status: 409, message: 'Another feature has this key.' },
  feature_archived: { status: 409, message: 'The feature is archived; it cannot be attached any more.' },
  entitlement_exceeded: { status: 409, message: 'The customer may not use this amount of the feature.' },
  reservation_closed: {
    status: 409,
    message: 'The reservation was settled or released, or its time is over.',
  },
  usage_id_reused: { status: 409, message: 'Another usage event or reservation has this id.' },
  meter_in_use: { status: 409, message: 'Prices or subscriptions are billed by the meter.' },
  credit_grant_in_use: { status: 409, message: 'A payment in progress uses the credit grant.' },
  payment_method_in_use: { status: 409, message: 'A subscription is charged to the payment method.' },
  invoice_not_paid: { status: 409, message: 'The invoice has not been paid.' },
  refund_too_large: { status: 409, message: 'The refund exceeds the refundable amount.' },
  credit_too_large: { status: 409, message: 'The amount exceeds the creditable rest of the invoice.' },
  invoice_not_draft: { status: 409, message: 'The invoice is final already.' },
  invoice_not_finalized: { status: 409, message: 'The invoice has no document until it is finalized.' },
  invoice_not_open: { status: 409, message: 'The invoice is not open.' },
  account_in_use: { status: 409, message: 'Subscriptions are charged through the account.' },
  invoice_item_billed: { status: 409, message: 'An invoice bills the item already.' },
  request_in_flight: { status: 409, message: 'The same request is still being processed.' },
  currency_mismatch: { status: 409, message: 'The currencies differ.' },
  action_request_closed: { status: 409, message: 'The action request is not pending any more.' },
  action_request_changed: {
    status: 409,
    message: 'The operation would do something else than was seen; look at the new preview and decide again.',
  },
  action_without_effect: { status: 409, message: 'The operation would change nothing.' },
  amount_changed: {
    status: 409,
    message: 'The amount differs from the expected total; nothing was charged.',
  },
  request_too_large: { status: 413, message: 'The request is larger than 1 MiB.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  idempotency_key_reused: { status: 422, message: 'The idempotency key belongs to a different request.' },
  rate_limited: { status: 429, message: 'Too many requests; try again later.' },
  too_many_attempts: { status: 429, message: 'Too many wrong codes were entered; try again later.' },
  internal_error: { status: 500, message: 'An internal error occurred.' },
  query_timeout: { status: 503, message: 'The search took too long; narrow it or try again later.' },
  unavailable: { status: 503, message: 'The service is temporarily unavailable; try again later.' },
  outcome_unknown: {
    status: 503,
    message:
      'The database connection was lost during the commit: the change was made completely or not at all.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type Reason = keyof typeof catalogue;

/**
 * Whether the error is independent of the request itself, so that the same request may succeed later. Transient errors
 * are never stored under an `Idempotency-Key`.
 */
export const isTransient = (reason: Reason): boolean =>
  reason === 'request_in_flight' || catalogue[reason].status === 429 || catalogue[reason].status >= 500;

/** The maximum number of issues listed for one request. */
export const maxIssues = 50;

/** An amount of an issue, as GraphQL writes money. */
interface IssueAmount {
  amount: number;
  decimal: string;
  currency: string;
}

/** A problem with a request: `path` names the field (`prices.0.details.amount`). */
export interface Issue extends CodedIssue {
  path: string;
  message: string;
  /** Where the payer must confirm, for `payment_action_required`. */
  actionUrl?: string;
  /** Why the charge was declined, for `payment_failed`. */
  declineCode?: DeclineCode;
  /** What would be charged, for `amount_changed`. */
  total?: IssueAmount;
  /** The most that is possible, for the code `more_than_left`. */
  left?: IssueAmount;
}

/** The default retry time for transient errors, by HTTP status. */
const defaultRetryAfterSeconds: Record<number, number> = { 429: 1, 503: 1 };

/** An error from the catalogue; the only error that clients see. */
export class BillingError extends Error {
  readonly status: number;
  /** Set on every 429 and 503. */
  readonly retryAfterSeconds?: number;
  readonly issues: Issue[];

  /** Keeps the first 50 issues. */
  constructor(
    readonly reason: Reason,
    issues: Issue[] = [],
    retryAfterSeconds?: number,
  ) {
    super(catalogue[reason].message);
    const isUnknown = reason.endsWith('_not_found');
    this.issues = issues.slice(0, maxIssues).map((issue) => {
      const { path, ...rest } = shortenPath(issue);
      return { path, ...(isUnknown && { code: 'unknown' as const }), ...rest };
    });
    this.name = 'BillingError';
    this.status = catalogue[reason].status;
    this.retryAfterSeconds = retryAfterSeconds ?? defaultRetryAfterSeconds[this.status];
  }
}

const maxPathLength = 200;

/** A path may contain the client's own keys, of any length. */
const shortenPath = ({ path, ...rest }: Issue): Issue => ({
  path: path.length > maxPathLength ? `${path.slice(0, maxPathLength).toWellFormed()}…` : path,
  ...rest,
});

/** What is wrong with an amount or a number of 0 or less. */
export const notPositive = { message: 'must be more than 0', code: 'not_positive' } as const;

/** What is wrong with an instant that has passed. */
export const notInFuture = { message: 'must be in the future', code: 'not_in_future' } as const;

/** What is wrong with an instant that is too far in the future. */
export const tooFarAhead = (limit: number) =>
  ({ message: `must be at most ${limit} days ahead`, code: 'too_far_ahead', limit }) as const;

/** Throws an error of the catalogue, with the invalid fields if there are any. */
export function refuse(reason: Reason, ...issues: Issue[]): never {
  throw new BillingError(reason, issues);
}

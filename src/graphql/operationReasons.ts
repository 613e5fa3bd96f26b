import type { Reason } from '../lib/errors.ts';

/** Reasons that every operation can return: authentication, the request as a whole, and the state of the server. */
export const commonReasons: Reason[] = [
  'validation_failed',
  'api_key_missing',
  'api_key_invalid',
  'tenant_mismatch',
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

/** Further reasons of every operation that selects a connection below its root field, or `totalCount`. */
export const connectionReasons: Reason[] = ['cursor_invalid', 'query_timeout'];

/** Reasons of routing, which no operation returns. */
export const transportReasons: Reason[] = ['route_not_found', 'method_not_allowed'];

const money: Reason[] = ['amount_precision', 'currency_unsupported'];
const subscriptionChange: Reason[] = [
  'subscription_not_found',
  'subscription_not_active',
  'price_not_found',
  'product_not_found',
  'currency_mismatch',
];
const changePayment: Reason[] = ['intent_not_payable', 'payment_failed', 'payment_action_required'];
const planChange: Reason[] = ['subscription_exists', 'subscription_not_active', 'currency_mismatch'];

/**
 * Further reasons of each root field. The schema, the OpenAPI document, `errorReasons` and
 * docs/errors-by-operation.md are derived from this table. Tests fail if an operation returns a reason that is
 * missing here.
 */
export const operationReasons: Record<string, Reason[]> = {
  activeSubscriptions: ['customer_not_found'],
  addPaymentMethod: ['payment_failed', 'payment_action_required'],
  adjustQuantity: [...subscriptionChange, ...changePayment],
  advanceClock: [],
  applyDiscount: [
    'subscription_not_found',
    'subscription_not_active',
    'coupon_not_found',
    'promotion_code_not_found',
    'coupon_not_redeemable',
    'currency_mismatch',
  ],
  configureAccount: [],
  removeAccount: ['account_not_found', 'account_in_use'],
  archiveTaxRate: ['tax_rate_not_found'],
  cancelScheduledChange: ['subscription_not_found', 'subscription_not_active', 'no_scheduled_change'],
  cancelIntent: ['intent_not_found', 'intent_not_payable'],
  cancelSubscription: ['subscription_not_found', 'subscription_not_active'],
  changeSubscription: [...subscriptionChange, ...changePayment],
  confirmIntent: [
    'intent_not_found',
    'intent_not_payable',
    ...planChange,
    'coupon_not_redeemable',
    'payment_failed',
  ],
  coupon: ['coupon_not_found'],
  coupons: ['cursor_invalid'],
  createCoupon: ['product_not_found', ...money],
  createCustomer: ['associated_id_exists', 'tax_rate_not_found'],
  createGroup: [],
  createInvoice: ['customer_not_found', 'currency_mismatch', 'tax_rate_not_found', ...money],
  createInvoiceItem: [
    'customer_not_found',
    'subscription_not_found',
    'subscription_not_active',
    'currency_mismatch',
    'tax_rate_not_found',
    ...money,
  ],
  createPortalSession: ['customer_not_found', 'subscription_not_found'],
  createPrices: ['product_not_found', ...money],
  createProduct: ['group_not_found', ...money],
  createPromotionCode: ['coupon_not_found', 'promotion_code_exists', ...money],
  createSubscriptionIntent: [
    'customer_not_found',
    'associated_id_mismatch',
    'product_not_found',
    'price_not_found',
    'start_date_in_past',
    ...planChange,
    'promotion_code_not_found',
    'coupon_not_redeemable',
    'order_number_reused',
  ],
  createTaxRate: [],
  createWebhookEndpoint: [],
  customer: ['customer_not_found'],
  customers: ['cursor_invalid'],
  deleteCustomer: ['customer_not_found', 'associated_id_mismatch'],
  deleteGroup: ['group_not_found'],
  deleteInvoiceItem: ['invoice_item_not_found', 'invoice_item_billed'],
  deleteProduct: ['product_not_found'],
  deleteWebhookEndpoint: ['webhook_endpoint_not_found'],
  deliveries: ['cursor_invalid', 'query_timeout'],
  delivery: ['delivery_not_found'],
  eraseCustomer: ['customer_not_found', 'associated_id_mismatch', 'customer_has_subscriptions'],
  discount: ['discount_not_found'],
  endTrial: ['subscription_not_found', 'subscription_not_active'],
  errorReasons: [],
  event: ['trace_not_found'],
  eventTypes: [],
  extendTrial: ['subscription_not_found', 'subscription_not_active'],
  forecast: ['subscription_not_found'],
  grantCredit: ['customer_not_found', ...money],
  group: ['group_not_found'],
  groups: ['cursor_invalid', 'query_timeout'],
  intent: ['intent_not_found'],
  invoice: ['invoice_not_found', 'invoice_not_finalized'],
  invoiceItem: ['invoice_item_not_found'],
  invoices: ['cursor_invalid'],
  me: [],
  node: [],
  nodes: [],
  creditNote: ['credit_note_not_found'],
  creditNotes: ['cursor_invalid'],
  createCreditNote: [
    'invoice_not_found',
    'invoice_not_finalized',
    'invoice_not_paid',
    'invoice_not_open',
    'invoice_line_not_found',
    'credit_too_large',
    'refund_too_large',
    'amount_precision',
    'payment_failed',
  ],
  checkVatId: ['customer_not_found'],
  finalizeInvoice: ['invoice_not_found', 'invoice_not_draft'],
  payInvoice: ['invoice_not_found', 'invoice_not_open', 'payment_failed'],
  pauseSubscription: ['subscription_not_found', 'subscription_not_active'],
  portalSession: ['portal_session_not_found'],
  portalSessions: ['customer_not_found', 'cursor_invalid'],
  previewPlanChange: ['subscription_not_found', 'price_not_found', 'product_not_found', ...planChange],
  previewSubscriptionChange: subscriptionChange,
  price: ['price_not_found'],
  product: ['product_not_found'],
  products: ['cursor_invalid', 'query_timeout'],
  promotionCode: ['promotion_code_not_found'],
  promotionCodes: ['cursor_invalid'],
  recordPayment: ['invoice_not_found', 'invoice_not_open', 'amount_precision'],
  refundInvoice: [
    'invoice_not_found',
    'invoice_not_paid',
    'refund_too_large',
    'amount_precision',
    'payment_failed',
  ],
  removeDiscount: ['discount_not_found'],
  removePaymentMethod: ['payment_method_not_found', 'payment_method_in_use'],
  replayDelivery: ['delivery_not_found', 'webhook_endpoint_not_found'],
  resumeIntent: ['intent_not_found', 'payment_failed'],
  resumeSubscription: ['subscription_not_found', 'subscription_not_active'],
  revokePortalSession: ['portal_session_not_found'],
  rotateWebhookSecret: ['webhook_endpoint_not_found'],
  setDefaultPaymentMethod: ['payment_method_not_found'],
  setPaymentMethod: [
    'subscription_not_found',
    'subscription_not_active',
    'payment_failed',
    'payment_action_required',
  ],
  standardTaxRates: [],
  startTrial: ['intent_not_found', 'intent_not_payable', ...planChange],
  subscription: ['subscription_not_found'],
  subscriptionHistory: ['customer_not_found', 'cursor_invalid'],
  subscriptions: ['cursor_invalid', 'query_timeout'],
  taxRate: ['tax_rate_not_found'],
  taxRates: ['cursor_invalid'],
  tenant: ['query_timeout'],
  testWebhookEndpoint: ['webhook_endpoint_not_found'],
  trace: ['trace_not_found'],
  traceRecorded: ['trace_not_found'],
  traces: ['cursor_invalid', 'query_timeout'],
  uncancelSubscription: ['subscription_not_found', 'subscription_not_active'],
  updateCoupon: ['coupon_not_found'],
  updateCustomer: ['customer_not_found', 'associated_id_mismatch', 'tax_rate_not_found'],
  updateGroup: ['group_not_found'],
  updateNumberSeries: [],
  updatePrice: ['price_not_found', ...money],
  updatePromotionCode: ['promotion_code_not_found', 'promotion_code_exists'],
  updateProduct: ['product_not_found', 'group_not_found', 'group_conflict'],
  updateTaxRate: ['tax_rate_not_found'],
  updateTenant: [],
  updateWebhookEndpoint: ['webhook_endpoint_not_found'],
  voidInvoice: ['invoice_not_found', 'invoice_not_open'],
  webhookEndpoint: ['webhook_endpoint_not_found'],
  webhookEndpoints: ['cursor_invalid'],
};

/** Lists all reasons that a root field can return, its own first. */
export const listOperationReasons = (field: string, isMutation: boolean): Reason[] => [
  ...new Set([...(operationReasons[field] ?? []), ...(isMutation ? mutationReasons : []), ...commonReasons]),
];

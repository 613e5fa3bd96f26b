import {
  getNamedType,
  isInputObjectType,
  isLeafType,
  isAbstractType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { isServerOperation, operationPermissions } from './declarations.ts';
import type { Reason } from '../../src/lib/errors.ts';
import { isForOperators } from '../../src/tenancy/permissions.ts';
import type { Route } from '../../src/rest/route.ts';
import { routes } from '../../src/rest/routes.ts';
import type { World } from './world.ts';

/**
 * How each operation is called validly in a tenant, and what it answers when the id in that argument belongs to
 * another tenant: a reason, an empty page, or null. An operation without a row fails the tests of tenancy.
 */
/** What an id of another tenant gives: an error, an empty list, null, or a part of the request that is refused. */
export type Outcome = Reason | 'empty' | 'null' | 'refused';

export interface Row {
  call: (world: World) => Record<string, any>;
  /** Whether it returns null to keys, because it is for the sessions of customers. */
  isNullToKeys?: true;
  /** Arguments that the call leaves out, because others or the settings exclude them. */
  others?: (world: World) => Record<string, any>;
  foreign?: Record<string, Outcome>;
  /** A write that may find everything as it should be. */
  mayChangeNothing?: true;
}

// So near that little work falls due before it.
const threeMonths = { from: '2026-01-01', until: '2026-04-01' };
const ahead = new Date(Date.now() + 40 * 86_400_000).toISOString();
const later = new Date(Date.now() + 90 * 86_400_000).toISOString();
const price = { details: { amount: 12.5, currency: 'afn' } };
const alertBelow = { amount: 2, currency: 'afn' };
const charge = { amount: { amount: 4, currency: 'afn' }, description: 'Work', quantity: 2 };
const page = (fields: (world: World) => object = () => ({})) => fields as Row['call'];

const newIntent = (world: World) => ({
  customerId: world.customer,
  associatedCustomerId: world.associatedId,
  productId: world.spareProduct,
  priceId: world.sparePrice,
  receiptUrl: 'https://shop.example/receipt',
});
const newTerms = (world: World) => ({
  priceId: world.sparePrice,
  addOns: [{ priceId: world.addOnPrice }],
});
const foreignTerms = {
  id: 'subscription_not_found',
  'input.priceId': 'price_not_found',
  'input.addOns.priceId': 'price_not_found',
} as const;
/** The key of the feature. */
const nameFeature = ({ alias }: World) => `${alias}-limit`;
const newCoupon = { name: 'Sale', percentOff: '5', duration: 'once' };
const newCustomer = { email: 'ada@example.org', firstName: 'Ada', lastName: 'Lovelace', associatedId: 'ada' };

const foreignIntent = {
  customerId: 'customer_not_found',
  associatedCustomerId: 'associated_id_mismatch',
  productId: 'product_not_found',
  priceId: 'price_not_found',
} as const;
const ofCustomer = { customerId: 'customer_not_found', associatedId: 'associated_id_mismatch' } as const;
const ofPrice = { productId: 'price_not_found', priceId: 'price_not_found' } as const;

/** The rows of REST, by method and path; their fields are those of the path, then of the body or the query. */
export const restRows: Record<string, Row> = {
  'POST /e-invoices': {
    call: (world) => ({ documentId: world.oneOffInvoice }),
    foreign: { documentId: 'invoice_not_found' },
    mayChangeNothing: true,
  },
  'POST /e-invoices/{documentId}/report': {
    call: (world) => ({ documentId: world.oneOffInvoice, status: 'rejected', message: 'unknown' }),
    foreign: { documentId: 'invoice_not_found' },
  },
  'POST /customers': { call: () => newCustomer },
  'PATCH /customers/{customerId}': {
    call: (world) => ({ customerId: world.customer, associatedId: world.associatedId, firstName: 'Grace' }),
    foreign: ofCustomer,
  },
  'DELETE /customers/{customerId}': {
    call: (world) => ({ customerId: world.customer, associatedId: world.associatedId }),
    foreign: ofCustomer,
  },
  'GET /customers': { call: page() },
  'GET /customers/{customerId}': {
    call: (world) => ({ customerId: world.customer }),
    foreign: { customerId: 'customer_not_found' },
  },
  'POST /products': {
    call: (world) => ({ name: 'New', description: 'Text', groupId: world.group, prices: [price] }),
    foreign: { groupId: 'group_not_found' },
  },
  'PATCH /products/{productId}': {
    call: (world) => ({ productId: world.product, groupId: world.group, name: 'Other' }),
    foreign: { productId: 'product_not_found', groupId: 'group_not_found' },
  },
  'GET /products': { call: page((world) => ({ groupId: world.group })), foreign: { groupId: 'empty' } },
  'GET /products/{productId}': {
    call: (world) => ({ productId: world.product }),
    foreign: { productId: 'product_not_found' },
  },
  'POST /products/{productId}/prices': {
    call: (world) => ({ productId: world.product, prices: [price] }),
    foreign: { productId: 'product_not_found' },
  },
  'GET /products/{productId}/prices/{priceId}': {
    call: (world) => ({ productId: world.product, priceId: world.price }),
    foreign: ofPrice,
  },
  'PATCH /products/{productId}/prices/{priceId}': {
    call: (world) => ({ productId: world.product, priceId: world.price, ...price }),
    foreign: ofPrice,
  },
  'GET /products/{productId}/prices': {
    call: (world) => ({ productId: world.product }),
    foreign: { productId: 'product_not_found' },
  },
  'POST /groups': { call: () => ({ name: 'New' }) },
  'GET /groups/{groupId}': {
    call: (world) => ({ groupId: world.group }),
    foreign: { groupId: 'group_not_found' },
  },
  'PATCH /groups/{groupId}': {
    call: (world) => ({ groupId: world.group, name: 'Other' }),
    foreign: { groupId: 'group_not_found' },
  },
  'DELETE /groups/{groupId}': {
    call: (world) => ({ groupId: world.group }),
    foreign: { groupId: 'group_not_found' },
  },
  'GET /groups': { call: page() },
  'POST /subscriptions/intent': { call: newIntent, foreign: foreignIntent },
  'GET /subscriptions/intent/{intentId}': {
    call: (world) => ({ intentId: world.intent }),
    foreign: { intentId: 'intent_not_found' },
  },
  'GET /subscriptions': {
    call: (world) => ({ customer: world.customer }),
    foreign: { customer: 'customer_not_found' },
  },
  'GET /subscriptions/active': {
    call: (world) => ({ customer: world.customer }),
    foreign: { customer: 'customer_not_found' },
  },
  'GET /subscriptions/{subscriptionId}': {
    call: (world) => ({ subscriptionId: world.subscription }),
    foreign: { subscriptionId: 'subscription_not_found' },
  },
  'DELETE /subscriptions/{subscriptionId}': {
    call: (world) => ({ subscriptionId: world.subscription, customer: world.customer }),
    foreign: { subscriptionId: 'subscription_not_found', customer: 'subscription_not_found' },
  },
  'GET /invoices': {
    call: page((world) => ({ customerId: world.customer, subscriptionId: world.subscription })),
    foreign: { customerId: 'empty', subscriptionId: 'empty' },
  },
  'GET /invoices/{invoiceId}': {
    call: (world) => ({ invoiceId: world.invoice }),
    foreign: { invoiceId: 'invoice_not_found' },
  },
  'GET /invoices/{invoiceId}/document': {
    call: (world) => ({ invoiceId: world.invoice, format: 'json' }),
    foreign: { invoiceId: 'invoice_not_found' },
  },
  'POST /usage': {
    call: (world) => ({ events: [{ id: 'new', event: 'call', customerId: world.customer }] }),
  },
  'GET /customers/{customerId}/entitlements': {
    call: (world) => ({ customerId: world.customer }),
    foreign: { customerId: 'customer_not_found' },
  },
  'GET /customers/{customerId}/entitlements/{feature}': {
    call: (world) => ({ customerId: world.customer, feature: nameFeature(world), meterId: world.meter }),
    foreign: { customerId: 'customer_not_found', meterId: 'validation_failed' },
  },
  'GET /customers/{customerId}/entitlements.jwt': {
    call: (world) => ({ customerId: world.customer }),
    foreign: { customerId: 'customer_not_found' },
  },
  'POST /entitlements/consume': {
    call: (world) => ({
      id: 'new-use',
      customerId: world.customer,
      feature: nameFeature(world),
      amount: '1',
      meterId: world.meter,
    }),
    foreign: { customerId: 'customer_not_found', meterId: 'validation_failed' },
  },
  'POST /reservations': {
    call: (world) => ({
      customerId: world.customer,
      feature: nameFeature(world),
      amount: '1',
      meterId: world.meter,
    }),
    foreign: { customerId: 'customer_not_found', meterId: 'validation_failed' },
  },
  'GET /reservations/{reservationId}': {
    call: (world) => ({ reservationId: world.reservation }),
    foreign: { reservationId: 'reservation_not_found' },
  },
  'POST /reservations/{reservationId}/settle': {
    call: (world) => ({ reservationId: world.reservation, amount: '1' }),
    foreign: { reservationId: 'reservation_not_found' },
  },
  'DELETE /reservations/{reservationId}': {
    call: (world) => ({ reservationId: world.reservation }),
    foreign: { reservationId: 'reservation_not_found' },
  },
  'POST /entitlement-overrides': {
    call: (world) => ({ customerId: world.customer, feature: nameFeature(world), value: '70' }),
    foreign: { customerId: 'customer_not_found' },
  },
  'GET /entitlement-overrides': {
    call: page((world) => ({ customerId: world.customer })),
    foreign: { customerId: 'customer_not_found' },
  },
  'DELETE /entitlement-overrides/{overrideId}': {
    call: (world) => ({ overrideId: world.override }),
    foreign: { overrideId: 'entitlement_override_not_found' },
  },
  'POST /usage-price-overrides': {
    call: (world) => ({ customerId: world.customer, priceId: world.usagePrice, unitAmount: '0.25' }),
    others: (world) => ({
      customerId: world.customer,
      priceId: world.usagePrice,
      subscriptionId: world.subscription,
    }),
    foreign: {
      customerId: 'customer_not_found',
      subscriptionId: 'validation_failed',
      priceId: 'price_not_found',
    },
  },
  'GET /usage-price-overrides': {
    call: page((world) => ({ customerId: world.customer })),
    others: (world) => ({ subscriptionId: world.subscription }),
    foreign: { customerId: 'empty', subscriptionId: 'empty' },
  },
  'GET /usage-price-overrides/{overrideId}': {
    call: (world) => ({ overrideId: world.usagePriceOverride }),
    foreign: { overrideId: 'usage_price_override_not_found' },
  },
  'DELETE /usage-price-overrides/{overrideId}': {
    call: (world) => ({ overrideId: world.usagePriceOverride }),
    foreign: { overrideId: 'usage_price_override_not_found' },
  },
  'POST /credit-grants': {
    call: (world) => ({
      customerId: world.customer,
      name: 'Welcome',
      amount: charge.amount,
      category: 'promotional',
      expiresAt: '2035-01-01T00:00:00.000Z',
      appliesTo: { priceIds: [world.price], meterIds: [world.meter] },
    }),
    foreign: {
      customerId: 'customer_not_found',
      'appliesTo.priceIds': 'price_not_found',
      'appliesTo.meterIds': 'meter_not_found',
    },
  },
  'GET /credit-grants': {
    call: page((world) => ({ customerId: world.customer })),
    foreign: { customerId: 'empty' },
  },
  'GET /credit-grants/{creditGrantId}': {
    call: (world) => ({ creditGrantId: world.creditGrant }),
    foreign: { creditGrantId: 'credit_grant_not_found' },
  },
  'PATCH /credit-grants/{creditGrantId}': {
    call: (world) => ({ creditGrantId: world.creditGrant, alertBelow }),
    foreign: { creditGrantId: 'credit_grant_not_found' },
  },
  'DELETE /credit-grants/{creditGrantId}': {
    call: (world) => ({ creditGrantId: world.creditGrant }),
    foreign: { creditGrantId: 'credit_grant_not_found' },
  },
  'POST /action-requests': {
    call: (world) => ({ operation: 'voidCreditGrant', id: world.creditGrant, reason: 'A mistake' }),
    foreign: { id: 'credit_grant_not_found' },
  },
  'GET /action-requests': {
    call: page((world) => ({ customerId: world.customer })),
    foreign: { customerId: 'empty' },
  },
  'GET /action-requests/{actionRequestId}': {
    call: (world) => ({ actionRequestId: world.actionRequest }),
    foreign: { actionRequestId: 'action_request_not_found' },
  },
  'POST /action-requests/{actionRequestId}/approve': {
    call: (world) => ({ actionRequestId: world.actionRequest, previewVersion: world.previewVersion }),
    foreign: { actionRequestId: 'action_request_not_found' },
  },
  'POST /action-requests/{actionRequestId}/decline': {
    call: (world) => ({ actionRequestId: world.actionRequest, reason: 'Not agreed' }),
    foreign: { actionRequestId: 'action_request_not_found' },
  },
  'DELETE /action-requests/{actionRequestId}': {
    call: (world) => ({ actionRequestId: world.actionRequest }),
    foreign: { actionRequestId: 'action_request_not_found' },
  },
  'GET /traces/event': {
    call: ({ traceId, timestamp, eventId }) => ({ traceId, timestamp, eventId }),
    foreign: { traceId: 'trace_not_found', eventId: 'trace_not_found' },
  },
  'GET /traces/user': {
    call: ({ executorId }) => ({ executorId }),
    foreign: { executorId: 'empty' },
  },
  'GET /traces/timeframe': { call: page(() => ({ startDate: '2020-01-01' })) },
};

/** The rows of GraphQL, by root field; an argument inside an input is named `input.field`. */
export const graphqlRows: Record<string, Row> = {
  tenant: { call: () => ({}) },
  node: { call: (world) => ({ id: world.customer }), foreign: { id: 'null' } },
  nodes: { call: (world) => ({ ids: [world.customer, world.product] }), foreign: { ids: 'null' } },
  customer: {
    call: (world) => ({ id: world.customer }),
    others: (world) => ({ associatedId: world.associatedId }),
    foreign: { id: 'customer_not_found', associatedId: 'validation_failed' },
  },
  customers: { call: page() },
  group: { call: (world) => ({ id: world.group }), foreign: { id: 'group_not_found' } },
  groups: { call: page() },
  product: { call: (world) => ({ id: world.product }), foreign: { id: 'product_not_found' } },
  products: { call: page((world) => ({ groupId: world.group })), foreign: { groupId: 'empty' } },
  price: {
    call: (world) => ({ id: world.price, productId: world.product }),
    foreign: { id: 'price_not_found', productId: 'price_not_found' },
  },
  subscription: { call: (world) => ({ id: world.subscription }), foreign: { id: 'subscription_not_found' } },
  subscriptions: {
    call: page((world) => ({ customerId: world.customer, productId: world.product })),
    foreign: { customerId: 'empty', productId: 'empty' },
  },
  subscriptionHistory: {
    call: (world) => ({ customerId: world.customer }),
    foreign: { customerId: 'customer_not_found' },
  },
  activeSubscriptions: {
    call: (world) => ({ customerId: world.customer }),
    foreign: { customerId: 'customer_not_found' },
  },
  intent: { call: (world) => ({ id: world.intent }), foreign: { id: 'intent_not_found' } },
  trace: {
    call: ({ traceId, timestamp, eventId }) => ({ traceId, timestamp, eventId }),
    foreign: { traceId: 'trace_not_found', eventId: 'trace_not_found' },
  },
  traces: { call: page(({ executorId }) => ({ executorId })), foreign: { executorId: 'empty' } },
  forecast: {
    call: (world) => ({ subscriptionId: world.subscription, until: ahead }),
    foreign: { subscriptionId: 'subscription_not_found' },
  },
  currentUsage: {
    call: (world) => ({ subscriptionId: world.subscription }),
    foreign: { subscriptionId: 'subscription_not_found' },
  },
  previewSubscriptionChange: {
    call: (world) => ({ id: world.subscription, input: newTerms(world) }),
    foreign: foreignTerms,
  },
  previewSubscription: {
    call: (world) => ({
      input: {
        customerId: world.customer,
        productId: world.spareProduct,
        priceId: world.sparePrice,
        addOns: [{ priceId: world.addOnPrice }],
        couponId: world.coupon,
      },
    }),
    foreign: {
      'input.customerId': 'customer_not_found',
      'input.productId': 'product_not_found',
      'input.priceId': 'price_not_found',
      'input.addOns.priceId': 'price_not_found',
      'input.couponId': 'coupon_not_found',
    },
  },
  previewInvoice: {
    call: (world) => ({ customerId: world.customer, items: [charge] }),
    foreign: { customerId: 'customer_not_found', 'items.taxRateId': 'tax_rate_not_found' },
    others: (world) => ({ items: [{ ...charge, taxRateId: world.taxRate }] }),
  },
  catalog: { call: () => ({}) },
  planCatalog: { call: () => ({ input: { catalog: { products: [{ lookupKey: 'new', name: 'New' }] } } }) },
  applyCatalog: { call: () => ({ input: { catalog: { products: [{ lookupKey: 'new', name: 'New' }] } } }) },
  previewPrice: {
    call: ({ meter }) => ({
      price: { details: { decimal: '5', currency: 'usd' }, meterId: meter },
      quantities: [1],
    }),
    foreign: { 'price.meterId': 'meter_not_found' },
  },
  previewCancellation: {
    call: (world) => ({ subscriptionId: world.subscription, atPeriodEnd: true }),
    foreign: { subscriptionId: 'subscription_not_found' },
  },
  invoice: { call: (world) => ({ id: world.invoice }), foreign: { id: 'invoice_not_found' } },
  invoices: {
    call: page((world) => ({ customerId: world.customer, subscriptionId: world.subscription })),
    foreign: { customerId: 'empty', subscriptionId: 'empty' },
  },
  checkVatId: {
    call: (world) => ({ id: world.customer }),
    foreign: { id: 'customer_not_found' },
    mayChangeNothing: true,
  },
  finalizeInvoice: { call: (world) => ({ id: world.draft }), foreign: { id: 'invoice_not_found' } },
  intents: { call: page((world) => ({ customerId: world.customer })), foreign: { customerId: 'empty' } },
  payments: { call: page((world) => ({ customerId: world.customer })), foreign: { customerId: 'empty' } },
  disputes: { call: page((world) => ({ customerId: world.customer })), foreign: { customerId: 'empty' } },
  discounts: {
    call: page((world) => ({ customerId: world.customer, couponId: world.coupon })),
    foreign: { customerId: 'empty', couponId: 'empty' },
  },
  invoiceItems: { call: page((world) => ({ customerId: world.customer })), foreign: { customerId: 'empty' } },
  credits: { call: page((world) => ({ customerId: world.customer })), foreign: { customerId: 'empty' } },
  creditGrant: { call: (world) => ({ id: world.creditGrant }), foreign: { id: 'credit_grant_not_found' } },
  creditGrants: {
    call: page((world) => ({ customerId: world.customer, creditTypeId: world.creditType })),
    foreign: { customerId: 'empty', creditTypeId: 'empty' },
  },
  createCreditGrant: {
    call: (world) => ({
      input: {
        customerId: world.customer,
        name: 'Welcome',
        credits: { creditTypeId: world.creditType, amount: '4', currency: 'afn' },
        category: 'promotional',
        expiresAt: ahead,
        appliesTo: { priceIds: [world.price], meterIds: [world.meter] },
      },
    }),
    foreign: {
      'input.customerId': 'customer_not_found',
      'input.credits.creditTypeId': 'credit_type_not_found',
      'input.appliesTo.priceIds': 'price_not_found',
      'input.appliesTo.meterIds': 'meter_not_found',
    },
  },
  topUpCredit: {
    call: (world) => ({
      input: {
        customerId: world.customer,
        name: 'Package',
        costBasis: '0.5',
        credits: { creditTypeId: world.creditType, amount: '4', currency: 'afn' },
      },
    }),
    foreign: {
      'input.customerId': 'customer_not_found',
      'input.credits.creditTypeId': 'credit_type_not_found',
    },
  },
  creditType: { call: (world) => ({ id: world.creditType }), foreign: { id: 'credit_type_not_found' } },
  creditTypes: { call: page() },
  createCreditType: {
    call: (world) => ({ input: { name: 'Tokens', rates: [{ meterId: world.meter, credits: '1' }] } }),
    foreign: { 'input.rates.meterId': 'meter_not_found' },
  },
  updateCreditType: {
    call: (world) => ({
      id: world.creditType,
      input: { name: 'Other', rates: [{ meterId: world.meter, credits: '7' }] },
    }),
    foreign: { id: 'credit_type_not_found', 'input.rates.meterId': 'meter_not_found' },
  },
  autoTopUp: { call: (world) => ({ id: world.autoTopUp }), foreign: { id: 'auto_top_up_not_found' } },
  autoTopUps: { call: page() },
  setAutoTopUp: {
    call: (world) => ({
      input: {
        customerId: world.customer,
        name: 'Package',
        credits: { creditTypeId: world.creditType, threshold: '5', amount: '100', currency: 'afn' },
        costBasis: '0.1',
        monthlyLimit: 1,
      },
    }),
    foreign: {
      'input.customerId': 'customer_not_found',
      'input.credits.creditTypeId': 'credit_type_not_found',
    },
  },
  removeAutoTopUp: {
    call: (world) => ({ id: world.autoTopUp }),
    foreign: { id: 'auto_top_up_not_found' },
  },
  updateCreditGrant: {
    call: (world) => ({ id: world.creditGrant, input: { alertBelow } }),
    foreign: { id: 'credit_grant_not_found' },
  },
  voidCreditGrant: {
    call: (world) => ({ id: world.creditGrant }),
    foreign: { id: 'credit_grant_not_found' },
  },
  creditNote: { call: (world) => ({ id: world.creditNote }), foreign: { id: 'credit_note_not_found' } },
  creditNotes: {
    call: page((world) => ({ customerId: world.customer, invoiceId: world.invoice })),
    foreign: { customerId: 'empty', invoiceId: 'empty' },
  },
  createCreditNote: {
    call: (world) => ({
      input: {
        invoiceId: world.invoice,
        lines: [{ lineId: world.invoiceLine, amount: { amount: 1.5, currency: 'afn' } }],
        kind: 'credit',
        reason: 'Late',
      },
    }),
    foreign: { 'input.invoiceId': 'invoice_not_found', 'input.lines.lineId': 'invoice_line_not_found' },
  },
  invoiceItem: {
    call: (world) => ({ id: world.invoiceItem }),
    foreign: { id: 'invoice_item_not_found' },
  },
  webhookEndpoint: {
    call: (world) => ({ id: world.endpoint }),
    foreign: { id: 'webhook_endpoint_not_found' },
  },
  webhookEndpoints: { call: page() },
  delivery: { call: (world) => ({ id: world.delivery }), foreign: { id: 'delivery_not_found' } },
  deliveries: {
    call: page((world) => ({ endpointId: world.endpoint, eventId: world.testEvent })),
    foreign: { endpointId: 'empty', eventId: 'empty' },
  },
  mailDelivery: { call: (world) => ({ id: world.mail }), foreign: { id: 'mail_delivery_not_found' } },
  mailDeliveries: {
    call: page((world) => ({ customerId: world.customer })),
    foreign: { customerId: 'empty' },
  },
  mailTemplate: {
    call: (world) => ({ id: world.mailTemplate }),
    foreign: { id: 'mail_template_not_found' },
  },
  mailTemplates: { call: page() },
  mailPlaceholders: { call: () => ({ kind: 'receipt' }) },
  previewMail: {
    call: (world) => ({ kind: 'receipt', language: 'de', customerId: world.customer }),
    foreign: { customerId: 'customer_not_found' },
  },
  updateMailTemplate: {
    call: () => ({ input: { kind: 'receipt', language: 'de', subject: 'Danke', body: 'Danke' } }),
  },
  deleteMailTemplate: {
    call: (world) => ({ id: world.mailTemplate }),
    foreign: { id: 'mail_template_not_found' },
  },
  sendTestMail: { call: () => ({ input: { to: 'dev@example.org', kind: 'receipt', language: 'fa' } }) },
  sendInvoice: { call: (world) => ({ id: world.openInvoice }), foreign: { id: 'invoice_not_found' } },
  sendEInvoice: {
    call: (world) => ({ id: world.oneOffInvoice }),
    foreign: { id: 'invoice_not_found' },
    // One that waits for its first attempt is sent anyway.
    mayChangeNothing: true,
  },
  reportEInvoice: {
    call: (world) => ({ id: world.oneOffInvoice, input: { status: 'rejected', message: 'unknown' } }),
    foreign: { id: 'invoice_not_found' },
  },
  resendMail: {
    call: (world) => ({ id: world.mail }),
    foreign: { id: 'mail_delivery_not_found' },
    // A mail that waits for its first attempt is sent anyway.
    mayChangeNothing: true,
  },
  blockedCustomers: { call: page() },
  blockMail: {
    call: (world) => ({ id: world.customer, input: { reason: 'asked by phone' } }),
    foreign: { id: 'customer_not_found' },
  },
  unblockMail: {
    call: (world) => ({ id: world.customer }),
    foreign: { id: 'customer_not_found' },
    mayChangeNothing: true,
  },
  mrrMovements: {
    call: page((world) => ({ customerId: world.customer })),
    foreign: { customerId: 'empty' },
  },
  revenue: { call: () => ({ currency: 'afn', ...threeMonths }) },
  cohorts: { call: () => ({ currency: 'afn', ...threeMonths }) },
  taxReport: { call: () => ({ input: threeMonths }) },
  ecSalesList: { call: () => ({ input: threeMonths }) },
  accountingExport: { call: () => ({ input: { format: 'xero', ...threeMonths } }) },
  taxReturn: { call: () => ({ input: { kind: 'plain', ...threeMonths } }) },
  taxDocuments: { call: page(() => ({ input: threeMonths })) },
  revenueCurrencies: { call: () => ({}) },
  revenueForecast: { call: () => ({ currency: 'afn', months: 2 }) },
  paymentsToRecover: { call: page() },
  eventTypes: { call: () => ({}) },
  errorReasons: { call: () => ({}) },
  me: { call: () => ({}) },
  event: { call: ({ eventId }) => ({ id: eventId }), foreign: { id: 'trace_not_found' } },

  setAccounting: { call: () => ({ input: { chart: 'skr03' } }) },
  // The tenants of the tests sell from outside of the Union.
  setPlaceOfSupply: { call: () => ({ input: { placeOfSupply: null } }), mayChangeNothing: true },
  exchangeRates: { call: () => ({ until: '2026-12-31', first: 5 }) },
  setExchangeRate: { call: () => ({ input: { currency: 'usd', day: '2026-01-02', rate: '1.1725' } }) },
  updateTenant: {
    call: (world) => ({
      input: {
        name: 'Other',
        retryDays: [1, 2],
        dunning: { finalAction: 'pause', accessGraceDays: 3, mailDays: [1, 5] },
        paymentProviders: ['manual'],
        paymentTermsDays: 14,
        bankAccount: { accountHolder: 'Acme', iban: 'DE89370400440532013000' },
        portal: { retentionCouponId: world.coupon, productIds: [world.product] },
      },
    }),
    foreign: {
      'input.portal.retentionCouponId': 'validation_failed',
      'input.portal.productIds': 'validation_failed',
    },
  },
  createWebhookEndpoint: {
    call: () => ({
      input: { url: 'https://shop.example/hooks', query: '{ type subscription { subscriptionId } }' },
    }),
  },
  updateWebhookEndpoint: {
    call: (world) => ({ id: world.endpoint, input: { description: 'Other', events: [] } }),
    foreign: { id: 'webhook_endpoint_not_found' },
  },
  rotateWebhookSecret: {
    call: (world) => ({ id: world.endpoint, input: { overlapSeconds: 60 } }),
    foreign: { id: 'webhook_endpoint_not_found' },
  },
  taxRate: { call: (world) => ({ id: world.taxRate }), foreign: { id: 'tax_rate_not_found' } },
  taxRates: { call: page() },
  standardTaxRates: { call: () => ({ country: 'DE' }) },
  createTaxRate: { call: () => ({ input: { country: 'FR', percent: '5.5', taxCode: 'books' } }) },
  updateTaxRate: {
    call: (world) => ({ id: world.taxRate, input: { name: 'Other' } }),
    foreign: { id: 'tax_rate_not_found' },
  },
  archiveTaxRate: {
    call: (world) => ({ id: world.taxRate }),
    foreign: { id: 'tax_rate_not_found' },
  },
  viewer: { call: () => ({}), isNullToKeys: true },
  customerSession: {
    call: (world) => ({ id: world.customerSession }),
    foreign: { id: 'customer_session_not_found' },
  },
  customerSessions: {
    call: (world) => ({ customerId: world.customer }),
    foreign: { customerId: 'customer_not_found' },
  },
  createCustomerSession: {
    call: (world) => ({ input: { customerId: world.customer, allow: ['update_customer'] } }),
    foreign: { 'input.customerId': 'customer_not_found' },
  },
  revokeCustomerSession: {
    call: (world) => ({ id: world.customerSession }),
    foreign: { id: 'customer_session_not_found' },
  },
  portalSession: {
    call: (world) => ({ id: world.portalSession }),
    foreign: { id: 'portal_session_not_found' },
  },
  portalSessions: {
    call: (world) => ({ customerId: world.customer }),
    foreign: { customerId: 'customer_not_found' },
  },
  createPortalSession: {
    call: (world) => ({
      input: {
        customerId: world.customer,
        flow: { type: 'cancel', subscriptionId: world.subscription },
        returnUrl: 'https://shop.example/account',
      },
    }),
    foreign: {
      'input.customerId': 'customer_not_found',
      'input.flow.subscriptionId': 'subscription_not_found',
    },
  },
  revokePortalSession: {
    call: (world) => ({ id: world.portalSession }),
    foreign: { id: 'portal_session_not_found' },
  },
  configureAccount: {
    call: () => ({
      input: { smtp: { url: 'smtps://user:word@mail.example:465', fromAddress: 'billing@shop.example' } },
    }),
  },
  createCallbackSecret: { call: () => ({ input: { provider: 'access_point' } }) },
  removeAccount: { call: () => ({ input: { provider: 'smtp' } }) },
  testAccount: { call: () => ({ input: { provider: 'smtp' } }), mayChangeNothing: true },
  updateNumberSeries: { call: () => ({ input: { kind: 'invoice', prefix: 'RE' } }) },
  resetTenant: { call: (world) => ({ input: { confirmation: world.alias } }) },
  customerNote: {
    call: (world) => ({ id: world.customerNote }),
    foreign: { id: 'customer_note_not_found' },
  },
  customerNotes: {
    call: page((world) => ({ customerId: world.customer })),
    foreign: { customerId: 'customer_not_found' },
  },
  createCustomerNote: {
    call: (world) => ({ input: { customerId: world.customer, text: 'Called about the invoice' } }),
    foreign: { 'input.customerId': 'customer_not_found' },
  },
  updateCustomerNote: {
    call: (world) => ({ id: world.customerNote, input: { text: 'Called again' } }),
    foreign: { id: 'customer_note_not_found' },
  },
  deleteCustomerNote: {
    call: (world) => ({ id: world.customerNote }),
    foreign: { id: 'customer_note_not_found' },
  },
  meter: { call: (world) => ({ id: world.meter }), foreign: { id: 'meter_not_found' } },
  meters: { call: page() },
  createMeter: { call: () => ({ input: { name: 'Tokens', event: 'call', aggregation: 'sum', value: 'n' } }) },
  updateMeter: {
    call: (world) => ({ id: world.meter, input: { name: 'Other' } }),
    foreign: { id: 'meter_not_found' },
  },
  createMeterVersion: {
    call: (world) => ({ id: world.meter, input: { filter: [{ property: 'model', values: ['large'] }] } }),
    foreign: { id: 'meter_not_found' },
  },
  archiveMeter: { call: (world) => ({ id: world.spareMeter }), foreign: { id: 'meter_not_found' } },
  feature: { call: (world) => ({ id: world.featureId }), foreign: { id: 'feature_not_found' } },
  features: { call: page() },
  createFeature: {
    call: (world) => ({ input: { key: 'new', name: 'New', kind: 'limit', meterId: world.meter } }),
    others: (world) => ({ input: { creditTypeId: world.creditType, meterId: world.meter } }),
    foreign: { 'input.meterId': 'meter_not_found', 'input.creditTypeId': 'validation_failed' },
  },
  updateFeature: {
    call: (world) => ({ id: world.featureId, input: { name: 'Other' } }),
    foreign: { id: 'feature_not_found' },
  },
  archiveFeature: { call: (world) => ({ id: world.featureId }), foreign: { id: 'feature_not_found' } },
  attachFeature: {
    call: (world) => ({ input: { productId: world.product, feature: nameFeature(world), value: 500 } }),
    foreign: { 'input.productId': 'product_not_found' },
  },
  previewAttachFeature: {
    call: (world) => ({ input: { productId: world.product, feature: nameFeature(world), value: 500 } }),
    foreign: { 'input.productId': 'product_not_found' },
  },
  previewDetachFeature: {
    call: (world) => ({ input: { productId: world.product, feature: nameFeature(world) } }),
    foreign: { 'input.productId': 'entitlement_not_found' },
  },
  detachFeature: {
    call: (world) => ({ input: { productId: world.product, feature: nameFeature(world) } }),
    foreign: { 'input.productId': 'entitlement_not_found' },
  },
  entitlementOverrides: {
    call: (world) => ({ customerId: world.customer }),
    foreign: { customerId: 'customer_not_found' },
  },
  overrideEntitlement: {
    call: (world) => ({ input: { customerId: world.customer, feature: nameFeature(world), value: 70 } }),
    foreign: { 'input.customerId': 'customer_not_found' },
  },
  removeEntitlementOverride: {
    call: (world) => ({ id: world.override }),
    foreign: { id: 'entitlement_override_not_found' },
  },
  checkEntitlement: {
    call: (world) => ({ customerId: world.customer, feature: nameFeature(world), meterId: world.meter }),
    others: (world) => ({ associatedId: world.associatedId }),
    foreign: {
      customerId: 'customer_not_found',
      associatedId: 'validation_failed',
      meterId: 'validation_failed',
    },
  },
  entitlements: {
    call: (world) => ({ customerId: world.customer }),
    others: (world) => ({ associatedId: world.associatedId }),
    foreign: { customerId: 'customer_not_found', associatedId: 'validation_failed' },
  },
  entitlementToken: {
    call: (world) => ({ customerId: world.customer }),
    others: (world) => ({ associatedId: world.associatedId }),
    foreign: { customerId: 'customer_not_found', associatedId: 'validation_failed' },
  },
  consumeEntitlement: {
    call: (world) => ({
      input: {
        id: 'new-use',
        customerId: world.customer,
        feature: nameFeature(world),
        amount: '1',
        meterId: world.meter,
      },
    }),
    foreign: { 'input.customerId': 'customer_not_found', 'input.meterId': 'validation_failed' },
  },
  reserveEntitlement: {
    call: (world) => ({
      input: {
        customerId: world.customer,
        feature: nameFeature(world),
        amount: '1',
        meterId: world.meter,
      },
    }),
    foreign: { 'input.customerId': 'customer_not_found', 'input.meterId': 'validation_failed' },
  },
  reservation: {
    call: (world) => ({ id: world.reservation }),
    foreign: { id: 'reservation_not_found' },
  },
  reservations: {
    call: page((world) => ({ customerId: world.customer })),
    foreign: { customerId: 'customer_not_found' },
  },
  settleReservation: {
    call: (world) => ({ id: world.reservation, input: { amount: '1' } }),
    foreign: { id: 'reservation_not_found' },
  },
  releaseReservation: {
    call: (world) => ({ id: world.reservation }),
    foreign: { id: 'reservation_not_found' },
  },
  usagePriceOverride: {
    call: (world) => ({ id: world.usagePriceOverride }),
    foreign: { id: 'usage_price_override_not_found' },
  },
  usagePriceOverrides: {
    call: page((world) => ({ customerId: world.customer })),
    others: (world) => ({ subscriptionId: world.subscription }),
    foreign: { customerId: 'empty', subscriptionId: 'empty' },
  },
  overrideUsagePrice: {
    call: (world) => ({
      input: { customerId: world.customer, priceId: world.usagePrice, unitAmount: '0.25' },
    }),
    others: (world) => ({
      input: { customerId: world.customer, priceId: world.usagePrice, subscriptionId: world.subscription },
    }),
    foreign: {
      'input.customerId': 'customer_not_found',
      'input.subscriptionId': 'validation_failed',
      'input.priceId': 'price_not_found',
    },
  },
  removeUsagePriceOverride: {
    call: (world) => ({ id: world.usagePriceOverride }),
    foreign: { id: 'usage_price_override_not_found' },
  },
  usage: {
    call: (world) => ({
      meterId: world.meter,
      customerId: world.customer,
      from: '2026-01-01',
      until: '2026-02-01',
    }),
    foreign: { meterId: 'meter_not_found', customerId: 'customer_not_found' },
  },
  previewMeter: {
    call: (world) => ({
      input: { name: 'Calls', event: 'call', aggregation: 'count' },
      customerId: world.customer,
      from: '2026-01-01',
      until: '2026-02-01',
    }),
    foreign: { customerId: 'customer_not_found' },
  },
  previewMeterVersion: {
    call: (world) => ({
      id: world.meter,
      input: { filter: [{ property: 'model', values: ['large'] }] },
      customerId: world.customer,
      from: '2026-01-01',
      until: '2026-02-01',
    }),
    foreign: { id: 'meter_not_found', customerId: 'customer_not_found' },
  },
  usageEvents: {
    call: page((world) => ({ customerId: world.customer })),
    foreign: { customerId: 'empty' },
  },
  recordUsage: {
    call: (world) => ({ input: { events: [{ id: 'new', event: 'call', customerId: world.customer }] } }),
    // Each event has its own result.
    foreign: { 'input.events.customerId': 'refused' },
  },
  backfillUsage: {
    call: (world) => ({
      input: { events: [{ id: 'old', event: 'call', customerId: world.customer, at: '2020-01-01' }] },
    }),
    foreign: { 'input.events.customerId': 'refused' },
  },
  voidUsage: { call: (world) => ({ input: { ids: [world.usageEvent] } }) },
  coupon: { call: (world) => ({ id: world.coupon }), foreign: { id: 'coupon_not_found' } },
  coupons: { call: page() },
  createCoupon: {
    call: (world) => ({ input: { ...newCoupon, productIds: [world.product] } }),
    foreign: { 'input.productIds': 'product_not_found' },
  },
  updateCoupon: {
    call: (world) => ({ id: world.coupon, input: { name: 'Other' } }),
    foreign: { id: 'coupon_not_found' },
  },
  promotionCode: {
    call: (world) => ({ id: world.promotionCode }),
    foreign: { id: 'promotion_code_not_found' },
  },
  promotionCodes: {
    call: page((world) => ({ couponId: world.coupon })),
    foreign: { couponId: 'empty' },
  },
  createPromotionCode: {
    call: (world) => ({ input: { couponId: world.coupon, customerId: world.customer, code: 'NEW' } }),
    foreign: { 'input.couponId': 'coupon_not_found', 'input.customerId': 'customer_not_found' },
  },
  updatePromotionCode: {
    call: (world) => ({ id: world.promotionCode, input: { maxRedemptions: 5 } }),
    foreign: { id: 'promotion_code_not_found' },
  },
  discount: { call: (world) => ({ id: world.discount }), foreign: { id: 'discount_not_found' } },
  applyDiscount: {
    call: (world) => ({ input: { subscriptionId: world.subscription, couponId: world.coupon } }),
    others: (world) => ({
      input: { subscriptionId: world.subscription, couponId: world.coupon, customerId: world.customer },
    }),
    foreign: {
      'input.subscriptionId': 'subscription_not_found',
      'input.customerId': 'validation_failed',
      'input.couponId': 'coupon_not_found',
    },
  },
  removeDiscount: { call: (world) => ({ id: world.discount }), foreign: { id: 'discount_not_found' } },
  testWebhookEndpoint: {
    call: (world) => ({ id: world.endpoint }),
    foreign: { id: 'webhook_endpoint_not_found' },
  },
  replayDelivery: {
    call: (world) => ({ id: world.delivery }),
    foreign: { id: 'delivery_not_found' },
    mayChangeNothing: true,
  },
  deleteWebhookEndpoint: {
    call: (world) => ({ id: world.endpoint }),
    foreign: { id: 'webhook_endpoint_not_found' },
  },
  advanceClock: { call: () => ({ input: { to: ahead } }) },
  createCustomer: {
    call: (world) => ({ input: { ...newCustomer, taxRateId: world.taxRate } }),
    foreign: { 'input.taxRateId': 'tax_rate_not_found' },
  },
  updateIntent: {
    call: (world) => ({ id: world.intent, input: { metadata: { plan: 'a' } } }),
    foreign: { id: 'intent_not_found' },
  },
  updateInvoice: {
    call: (world) => ({ id: world.invoice, input: { metadata: { plan: 'a' } } }),
    foreign: { id: 'invoice_not_found' },
  },
  updatePayment: {
    call: (world) => ({ id: world.payment, input: { metadata: { plan: 'a' } } }),
    foreign: { id: 'payment_not_found' },
  },
  updateSubscription: {
    call: (world) => ({ id: world.subscription, input: { metadata: { plan: 'a' } } }),
    foreign: { id: 'subscription_not_found' },
  },
  upsertCustomer: {
    call: (world) => ({ input: { ...newCustomer, taxRateId: world.taxRate } }),
    foreign: { 'input.taxRateId': 'tax_rate_not_found' },
  },
  updateCustomer: {
    call: (world) => ({
      id: world.customer,
      input: { associatedId: world.associatedId, firstName: 'Grace', taxRateId: world.taxRate },
    }),
    foreign: {
      id: 'customer_not_found',
      'input.associatedId': 'associated_id_mismatch',
      'input.taxRateId': 'tax_rate_not_found',
    },
  },
  deleteCustomer: {
    call: (world) => ({ id: world.customer, input: { associatedId: world.associatedId } }),
    foreign: { id: 'customer_not_found', 'input.associatedId': 'associated_id_mismatch' },
  },
  eraseCustomer: {
    call: (world) => ({ id: world.spareCustomer, input: { associatedId: world.spareAssociatedId } }),
    foreign: { id: 'customer_not_found', 'input.associatedId': 'associated_id_mismatch' },
  },
  createProduct: {
    call: (world) => ({
      input: {
        name: 'New',
        description: 'Text',
        groupId: world.group,
        prices: [{ ...price, meterId: world.meter }],
      },
    }),
    foreign: { 'input.groupId': 'group_not_found', 'input.prices.meterId': 'meter_not_found' },
  },
  updateProduct: {
    call: (world) => ({ id: world.product, input: { groupId: world.group, name: 'Other' } }),
    foreign: { id: 'product_not_found', 'input.groupId': 'group_not_found' },
  },
  deleteProduct: { call: (world) => ({ id: world.product }), foreign: { id: 'product_not_found' } },
  createPrices: {
    call: (world) => ({ input: { productId: world.product, prices: [{ ...price, meterId: world.meter }] } }),
    foreign: { 'input.productId': 'product_not_found', 'input.prices.meterId': 'meter_not_found' },
  },
  updatePrice: {
    call: (world) => ({ id: world.price, input: { productId: world.product, ...price } }),
    foreign: { id: 'price_not_found', 'input.productId': 'price_not_found' },
  },
  archivePrice: { call: (world) => ({ id: world.unusedPrice }), foreign: { id: 'price_not_found' } },
  unarchivePrice: { call: (world) => ({ id: world.archivedPrice }), foreign: { id: 'price_not_found' } },
  createGroup: { call: () => ({ input: { name: 'New' } }) },
  updateGroup: {
    call: (world) => ({ id: world.group, input: { name: 'Other' } }),
    foreign: { id: 'group_not_found' },
  },
  deleteGroup: { call: (world) => ({ id: world.group }), foreign: { id: 'group_not_found' } },
  createSubscriptionIntent: {
    call: (world) => ({
      input: { ...newIntent(world), addOns: [{ priceId: world.addOnPrice }], couponId: world.coupon },
    }),
    foreign: Object.fromEntries(
      Object.entries({
        ...foreignIntent,
        'addOns.priceId': 'price_not_found',
        couponId: 'coupon_not_found',
      } as const).map(([name, reason]) => [`input.${name}`, reason]),
    ),
  },
  confirmIntent: {
    call: (world) => ({ id: world.intent, input: { paymentMethodId: world.paymentMethod } }),
    foreign: { id: 'intent_not_found', 'input.paymentMethodId': 'payment_method_not_found' },
  },
  resumeIntent: {
    call: (world) => ({ id: world.intent }),
    foreign: { id: 'intent_not_found' },
    mayChangeNothing: true,
  },
  cancelIntent: { call: (world) => ({ id: world.intent }), foreign: { id: 'intent_not_found' } },
  cancelSubscription: {
    call: (world) => ({ id: world.subscription, input: { customerId: world.customer } }),
    foreign: { id: 'subscription_not_found', 'input.customerId': 'subscription_not_found' },
  },
  uncancelSubscription: {
    call: (world) => ({ id: world.subscription }),
    foreign: { id: 'subscription_not_found' },
    mayChangeNothing: true,
  },
  cancelScheduledChange: {
    call: (world) => ({ id: world.waitingSubscription }),
    foreign: { id: 'subscription_not_found' },
  },
  pauseSubscription: {
    call: (world) => ({ id: world.subscription }),
    foreign: { id: 'subscription_not_found' },
  },
  resumeSubscription: {
    call: (world) => ({ id: world.pausedSubscription }),
    foreign: { id: 'subscription_not_found' },
  },
  changeSubscription: {
    call: (world) => ({ id: world.subscription, input: { ...newTerms(world), billing: 'period_end' } }),
    foreign: foreignTerms,
  },
  adjustQuantity: {
    call: (world) => ({ id: `${world.seatSubscription}:main`, input: { by: 1 } }),
    foreign: { id: 'subscription_not_found' },
  },
  startTrial: {
    call: (world) => ({ id: world.trialIntent }),
    foreign: { id: 'intent_not_found' },
  },
  extendTrial: {
    call: (world) => ({ id: world.trialSubscription, input: { trialEndsAt: later } }),
    foreign: { id: 'subscription_not_found' },
  },
  endTrial: {
    call: (world) => ({ id: world.trialSubscription }),
    foreign: { id: 'subscription_not_found' },
  },
  setPaymentMethod: {
    call: (world) => ({
      id: world.subscription,
      input: { paymentMethod: 'sandbox_ok_then_declined' },
    }),
    foreign: { id: 'subscription_not_found' },
  },
  addPaymentMethod: {
    call: (world) => ({ input: { customerId: world.customer, paymentMethod: 'manual' } }),
    foreign: { 'input.customerId': 'customer_not_found' },
  },
  setDefaultPaymentMethod: {
    call: (world) => ({
      id: world.sparePaymentMethod,
      input: { customerId: world.customer },
    }),
    foreign: {
      id: 'payment_method_not_found',
      'input.customerId': 'payment_method_not_found',
    },
  },
  removePaymentMethod: {
    call: (world) => ({ id: world.sparePaymentMethod }),
    foreign: { id: 'payment_method_not_found' },
  },
  createInvoiceItem: {
    call: (world) => ({
      input: { customerId: world.customer, subscriptionId: world.subscription, ...charge },
    }),
    foreign: {
      'input.customerId': 'customer_not_found',
      'input.subscriptionId': 'subscription_not_found',
      'input.taxRateId': 'tax_rate_not_found',
    },
    // The seller charges no tax.
    others: (world) => ({
      input: {
        customerId: world.customer,
        subscriptionId: world.subscription,
        taxRateId: world.taxRate,
        ...charge,
      },
    }),
  },
  deleteInvoiceItem: {
    call: (world) => ({ id: world.invoiceItem }),
    foreign: { id: 'invoice_item_not_found' },
  },
  createInvoice: {
    call: (world) => ({
      input: { customerId: world.customer, items: [charge], collect: 'automatic' },
    }),
    foreign: {
      'input.customerId': 'customer_not_found',
      'input.items.taxRateId': 'tax_rate_not_found',
    },
    others: (world) => ({
      input: { customerId: world.customer, items: [{ ...charge, taxRateId: world.taxRate }] },
    }),
  },
  payInvoice: { call: (world) => ({ id: world.oneOffInvoice }), foreign: { id: 'invoice_not_found' } },
  markInvoiceUncollectible: {
    call: (world) => ({ id: world.oneOffInvoice }),
    foreign: { id: 'invoice_not_found' },
  },
  search: { call: ({ associatedId }) => ({ query: associatedId }) },
  voidInvoice: { call: (world) => ({ id: world.oneOffInvoice }), foreign: { id: 'invoice_not_found' } },
  grantCredit: {
    call: (world) => ({
      input: {
        customerId: world.customer,
        amount: charge.amount,
        reason: 'An outage',
        expiresAt: ahead,
      },
    }),
    foreign: { 'input.customerId': 'customer_not_found' },
  },
  recordPayment: {
    call: (world) => ({ id: world.openInvoice, input: { reference: 'statement 7' } }),
    foreign: { id: 'invoice_not_found' },
  },
  actionRequest: {
    call: (world) => ({ id: world.actionRequest }),
    foreign: { id: 'action_request_not_found' },
  },
  actionRequests: {
    call: page((world) => ({ customerId: world.customer, status: 'pending' })),
    foreign: { customerId: 'empty' },
  },
  proposeAction: {
    call: (world) => ({
      input: { operation: 'voidCreditGrant', id: world.creditGrant, reason: 'A mistake' },
    }),
    foreign: { 'input.id': 'credit_grant_not_found' },
  },
  approveActionRequest: {
    call: (world) => ({ id: world.actionRequest, input: { previewVersion: world.previewVersion } }),
    foreign: { id: 'action_request_not_found' },
  },
  declineActionRequest: {
    call: (world) => ({ id: world.actionRequest, input: { reason: 'Not agreed' } }),
    foreign: { id: 'action_request_not_found' },
  },
  withdrawActionRequest: {
    call: (world) => ({ id: world.actionRequest }),
    foreign: { id: 'action_request_not_found' },
  },
  refundInvoice: {
    call: (world) => ({ id: world.invoice, input: { amount: { amount: 1.5, currency: 'afn' } } }),
    foreign: { id: 'invoice_not_found' },
  },
  payment: { call: (world) => ({ id: world.payment }), foreign: { id: 'payment_not_found' } },
  simulateRefund: {
    call: (world) => ({ id: world.payment, input: { amount: { amount: 0.5, currency: 'afn' } } }),
    foreign: { id: 'payment_not_found' },
  },
  simulateDispute: {
    call: (world) => ({ id: world.payment, input: { status: 'needs_response' } }),
    foreign: { id: 'payment_not_found' },
  },
};

/** The rows of subscription fields: their calls and foreign ids are tested over a WebSocket. */
export const liveRows: Record<string, Row> = {
  viewerChanged: { call: () => ({}) },
  entitlementChanged: {
    call: (world) => ({ customerId: world.customer }),
    foreign: { customerId: 'customer_not_found' },
  },
  usageRecorded: {
    call: (world) => ({ customerId: world.customer }),
    foreign: { after: 'validation_failed', customerId: 'customer_not_found' },
  },
  traceRecorded: {
    call: ({ eventId }) => ({ after: eventId }),
    foreign: { after: 'trace_not_found' },
  },
};

/** The rows of operations that only operators use; some have no tenant. */
export const operatorRows: Record<string, Row> = {
  operators: { call: () => ({}) },
  inviteOperator: { call: () => ({ input: { email: 'new@example.com', role: 'viewer' } }) },
  changeOperatorRole: {
    call: () => ({ id: 'opr_0', input: { role: 'viewer' } }),
    foreign: { id: 'operator_not_found' },
  },
  removeOperator: { call: () => ({ id: 'opr_0' }), foreign: { id: 'operator_not_found' } },
  createTestTenant: { call: () => ({ input: { alias: 'acme-try' } }) },
  deleteTestTenant: { call: () => ({ id: 'acme-try' }), foreign: { id: 'tenant_mismatch' } },
  apiKeys: { call: () => ({}) },
  createApiKey: { call: () => ({ input: { name: 'Shop', scope: 'read' } }) },
  revokeApiKey: { call: () => ({ id: '7v3k9q2m4x8d' }), foreign: { id: 'api_key_not_found' } },
  revokeOperatorSession: { call: () => ({ id: 'ops_0' }), foreign: { id: 'operator_session_not_found' } },
  saveViews: {
    call: () => ({ input: { list: 'invoices', views: [{ name: 'Open', query: 'status=open' }] } }),
  },
  removePasskey: { call: () => ({ id: 'opk_0' }), foreign: { id: 'passkey_not_found' } },
  // Challenges of others with a valid response: test/access/operators/passkeys.test.ts.
  finishPasskeyRegistration: {
    call: () => ({ input: { challengeId: 'opc_0', name: 'Laptop', response: {} } }),
    foreign: { 'input.challengeId': 'validation_failed' },
  },
  finishPasskeyStepUp: {
    call: () => ({ input: { challengeId: 'opc_0', response: {} } }),
    foreign: { 'input.challengeId': 'sign_in_failed' },
  },
  finishPasskeySignIn: {
    call: () => ({ input: { challengeId: 'opc_0', response: {} } }),
    foreign: { 'input.challengeId': 'sign_in_failed' },
  },
};

export const formatRoute = ({ method, path }: Route) => `${method} ${path}`;
export const isWrite = ({ method }: Route) => method !== 'GET';

/** A request to a route as `inject` takes it, its fields in the path, then in the body or the query. */
export function buildRequest(
  route: Route,
  fields: Record<string, any>,
  headers: Record<string, string> = {},
) {
  const rest = { ...fields };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(value);
  });
  const base = { method: route.method, url: `/api/v1${path}`, headers };
  if (route.method === 'POST' || route.method === 'PATCH') {
    const payload = JSON.stringify(rest);
    return { ...base, headers: { 'content-type': 'application/json', ...headers }, payload };
  }
  return { ...base, url: `${base.url}?${new URLSearchParams(rest).toString()}` };
}

/** The routes of the table that have a row, with it. */
export const restOperations = routes.flatMap((route) => {
  const row = restRows[formatRoute(route)];
  return row ? [{ name: formatRoute(route), route, row }] : [];
});

export interface RootField {
  name: string;
  kind: 'query' | 'mutation';
  field: GraphQLField<unknown, unknown>;
}

/** Whether only operators use a root field; test/access/operators has the tables of those. */
const isOfOperators = (name: string) => isServerOperation(name) || isForOperators(operationPermissions[name]);

/** Every root field of the schema that an API key can use. */
export function listRootFields(schema: GraphQLSchema): RootField[] {
  return listAllRootFields(schema).filter(({ name }) => !isOfOperators(name));
}

/** Every root field of the schema. */
export function listAllRootFields(schema: GraphQLSchema): RootField[] {
  const of = (type: GraphQLObjectType | null | undefined, kind: RootField['kind']) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({ name: field.name, kind, field }));
  return [...of(schema.getQueryType(), 'query'), ...of(schema.getMutationType(), 'mutation')];
}

/** Root fields that answer any record: a document asks them for the fields of every type, and one level more is too long. */
const ofAnyRecord = ['node', 'nodes', 'search'];

/** The document that asks a root field for everything it has, `depth` objects deep; its variables are its arguments. */
export function writeDocument(
  schema: GraphQLSchema,
  { name, kind, field }: RootField,
  depth: number,
): string {
  const declared = field.args.map((argument) => `$${argument.name}: ${argument.type.toString()}`);
  const passed = field.args.map((argument) => `${argument.name}: $${argument.name}`);
  const list = (parts: string[]) => (parts.length ? `(${parts.join(', ')})` : '');
  const levels = ofAnyRecord.includes(name) ? 0 : depth;
  return `${kind} ${list(declared)} { ${name}${list(passed)} ${writeSelection(schema, field.type, levels)} }`;
}

/** The names of fields that have another type in each of several types. */
function listShared(types: readonly GraphQLObjectType[]): Set<string> {
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  const outputs = new Map(fields.map(({ name, type }) => [name, type.toString()]));
  return new Set(fields.flatMap(({ name, type }) => (outputs.get(name) === type.toString() ? [] : [name])));
}

function writeSelection(
  schema: GraphQLSchema,
  output: GraphQLOutputType,
  depth: number,
  alias = '',
  shared = new Set<string>(),
): string {
  const type = getNamedType(output);
  if (isLeafType(type)) return '';
  if (isAbstractType(type)) {
    // Fields of one name with other types need an alias.
    const possible = schema.getPossibleTypes(type);
    const parts = possible.map(
      (each) =>
        `... on ${each.name} ${writeSelection(schema, each, depth, `${each.name}_`, listShared(possible))}`,
    );
    return `{ __typename ${parts.join(' ')} }`;
  }
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  const chosen = fields.flatMap((field) => {
    const label = shared.has(field.name) ? `${alias}${field.name}: ${field.name}` : field.name;
    if (isLeafType(getNamedType(field.type))) return [label];
    const below = getNamedType(field.type).name.endsWith('Edge') ? depth : depth - 1;
    return below >= 0 ? [`${label}${neededBy(field)} ${writeSelection(schema, field.type, below)}`] : [];
  });
  return `{ __typename ${chosen.join(' ')} }`;
}

/** The page is the cheapest format. */
const valuesByType: Record<string, string> = {
  DateTime: `"${ahead}"`,
  DocumentFormat: 'html',
  EInvoiceFormat: 'ubl',
  Int: '3',
};

/** The arguments that a nested field cannot do without. */
function neededBy({ name, args }: GraphQLField<unknown, unknown>): string {
  const needed = args.filter(isRequiredArgument).map((argument) => {
    const value = valuesByType[getNamedType(argument.type).name];
    if (value === undefined) throw new Error(`say how to ask for ${name}`);
    return `${argument.name}: ${value}`;
  });
  return needed.length ? `(${needed.join(', ')})` : '';
}

/** The arguments of a root field that take ids, however deep in its inputs. */
export function listIdArguments({ field }: RootField): string[] {
  return field.args.flatMap(({ name, type }) => idPaths(name, type));
}

function idPaths(path: string, input: GraphQLInputType): string[] {
  const type = getNamedType(input);
  if (type.name === 'ID') return [path];
  if (!isInputObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => idPaths(`${path}.${field.name}`, field.type));
}

/** A copy of the values in which the one at the path is another; a list is filled with it. */
export function withValue(
  values: Record<string, any> | undefined,
  path: string,
  value: unknown,
): Record<string, any> {
  const [first, ...rest] = path.split('.') as [string, ...string[]];
  const given = values?.[first];
  const put = (before: any) => (rest.length ? withValue(before, rest.join('.'), value) : value);
  return { ...values, [first]: Array.isArray(given) ? [put(given[0])] : put(given) };
}

/** The value at a path, the first of a list. */
export function valueAt(values: Record<string, any>, path: string): unknown {
  const value = path
    .split('.')
    .reduce<any>((found, name) => (Array.isArray(found) ? found[0] : found)?.[name], values);
  return Array.isArray(value) ? value[0] : value;
}

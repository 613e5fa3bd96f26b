// Names the operations of the schema as methods of resources: `cancelSubscription` is `subscriptions.cancel`.

/**
 * The resources, by the noun that their operations end with. A mutation `verbNoun` is the method `verb` of its resource; one that
 * ends with another noun is a method, with its whole name, of the resource that it returns.
 */
const resources = {
  ApiKey: 'apiKeys',
  AutoTopUp: 'autoTopUps',
  Coupon: 'coupons',
  Credit: 'credits',
  CreditGrant: 'creditGrants',
  CreditNote: 'creditNotes',
  CreditType: 'creditTypes',
  Customer: 'customers',
  CustomerNote: 'customerNotes',
  CustomerSession: 'customerSessions',
  Delivery: 'deliveries',
  Discount: 'discounts',
  Dispute: 'disputes',
  EInvoice: 'eInvoices',
  Entitlement: 'entitlements',
  EntitlementOverride: 'entitlementOverrides',
  ErrorReason: 'errorReasons',
  Event: 'events',
  EventType: 'eventTypes',
  ExchangeRate: 'exchangeRates',
  Feature: 'features',
  Group: 'groups',
  Intent: 'intents',
  Invoice: 'invoices',
  InvoiceItem: 'invoiceItems',
  MailDelivery: 'mailDeliveries',
  MailTemplate: 'mailTemplates',
  Meter: 'meters',
  MrrMovement: 'mrrMovements',
  Node: 'nodes',
  Operator: 'operators',
  Payment: 'payments',
  PaymentMethod: 'paymentMethods',
  PortalSession: 'portalSessions',
  Price: 'prices',
  Prices: 'prices',
  Product: 'products',
  PromotionCode: 'promotionCodes',
  Reservation: 'reservations',
  Subscription: 'subscriptions',
  SubscriptionIntent: 'intents',
  TaxRate: 'taxRates',
  Tenant: 'tenant',
  Trace: 'traces',
  Usage: 'usage',
  UsageEvent: 'usageEvents',
  UsagePriceOverride: 'usagePriceOverrides',
  Viewer: 'viewer',
  WebhookEndpoint: 'webhookEndpoints',
};

/** Operations that have another name than those rules give them, or none. */
const exceptions = {
  accountingExport: 'accounting.export',
  activeSubscriptions: 'subscriptions.listActive',
  applyCatalog: 'catalog.apply',
  catalog: 'catalog.retrieve',
  planCatalog: 'catalog.plan',
  advanceClock: 'clock.advance',
  blockedCustomers: 'customers.listBlocked',
  changeOperatorRole: 'operators.changeRole',
  cohorts: 'revenue.cohorts',
  configureAccount: 'accounts.configure',
  createCallbackSecret: 'accounts.createCallbackSecret',
  createMeterVersion: 'meters.createVersion',
  createRecoveryCodes: 'me.createRecoveryCodes',
  createTenant: 'tenants.create',
  createTestTenant: 'tenants.createTest',
  currentUsage: 'subscriptions.currentUsage',
  deleteTestTenant: 'tenants.deleteTest',
  ecSalesList: 'tax.ecSalesList',
  entitlementChanged: 'entitlements.follow',
  entitlementToken: 'entitlements.createToken',
  finishPasskeyRegistration: 'me.finishPasskeyRegistration',
  finishPasskeySignIn: 'me.finishPasskeySignIn',
  finishPasskeyStepUp: 'me.finishPasskeyStepUp',
  finishTotp: 'me.finishTotp',
  forecast: 'subscriptions.forecast',
  mailPlaceholders: 'mailTemplates.listPlaceholders',
  markInvoiceUncollectible: 'invoices.markUncollectible',
  me: 'me.retrieve',
  operator: 'me.retrieveOperator',
  overrideEntitlement: 'entitlementOverrides.create',
  overrideUsagePrice: 'usagePriceOverrides.create',
  paymentsToRecover: 'payments.listToRecover',
  previewAttachFeature: 'features.previewAttach',
  previewCancellation: 'subscriptions.previewCancellation',
  previewDetachFeature: 'features.previewDetach',
  previewMail: 'mailTemplates.preview',
  previewMeterVersion: 'meters.previewVersion',
  previewSubscriptionChange: 'subscriptions.previewChange',
  recordPayment: 'invoices.recordPayment',
  redeemOperatorLink: 'me.redeemLink',
  removeAccount: 'accounts.remove',
  removePasskey: 'me.removePasskey',
  removePassword: 'me.removePassword',
  replayDelivery: 'deliveries.replay',
  resendMail: 'mailDeliveries.resend',
  revenue: 'revenue.retrieve',
  revenueCurrencies: 'revenue.currencies',
  revenueForecast: 'revenue.forecast',
  revokeOperatorSession: 'me.revokeSession',
  revokeOtherOperatorSessions: 'me.revokeOtherSessions',
  rotateWebhookSecret: 'webhookEndpoints.rotateSecret',
  saveViews: 'me.saveViews',
  search: 'search.query',
  sendTestMail: 'mailTemplates.sendTest',
  setDefaultPaymentMethod: 'paymentMethods.setDefault',
  setPassword: 'me.setPassword',
  setPaymentMethod: 'subscriptions.setPaymentMethod',
  signInOptions: 'me.signInOptions',
  signInWithPassword: 'me.signInWithPassword',
  signOut: 'me.signOut',
  simulateDispute: 'payments.simulateDispute',
  standardTaxRates: 'taxRates.listStandard',
  startPasskeyRegistration: 'me.startPasskeyRegistration',
  startPasskeySignIn: 'me.startPasskeySignIn',
  startPasskeyStepUp: 'me.startPasskeyStepUp',
  startTotp: 'me.startTotp',
  stepUpWithPassword: 'me.stepUpWithPassword',
  subscriptionHistory: 'subscriptions.listHistory',
  taxDocuments: 'tax.listDocuments',
  taxReport: 'tax.report',
  taxReturn: 'tax.return',
  testAccount: 'accounts.test',
  topUpCredit: 'credits.topUp',
  traceRecorded: 'traces.follow',
  updateNumberSeries: 'tenant.updateNumberSeries',
  updateOperator: 'me.updateOperator',
  usageRecorded: 'usageEvents.follow',
  viewerChanged: 'viewer.follow',
};

/**
 * Returns the resource and the method of an operation, of which `type` is the name of the returned type: `['subscriptions', 'cancel']`.
 * Throws if it has no name: it needs a resource, or a row among the exceptions.
 */
export function nameMethod(operation, kind, type) {
  if (Object.hasOwn(exceptions, operation)) return exceptions[operation].split('.');
  if (kind === 'query' && Object.values(resources).includes(operation))
    return [operation, ['tenant', 'usage', 'viewer'].includes(operation) ? 'retrieve' : 'list'];
  const [, verb, noun] = /^([a-z]+)(.*)$/.exec(operation);
  const [name, method] =
    kind === 'query' && verb !== 'preview' && verb !== 'check'
      ? [operation[0].toUpperCase() + operation.slice(1), 'retrieve']
      : [noun, verb];
  if (Object.hasOwn(resources, name)) return [resources[name], method];
  const returned = type.replace(/Contract$/, '');
  if (kind === 'mutation' && Object.hasOwn(resources, returned)) return [resources[returned], operation];
  throw new Error(`scripts/build/sdk/names.mjs: the operation ${operation} has no resource and method`);
}

/** The fields that each credential of a browser reaches, with the arguments of root fields that it may give. */
const money = ['Money.amount', 'Money.currency', 'Money.decimal'];
const tiers = ['PriceTier.flatAmount', 'PriceTier.unitAmount', 'PriceTier.upTo'];

const catalog = [
  'Group.id',
  'Group.name',
  'PageInfo.endCursor',
  'PageInfo.hasNextPage',
  'PageInfo.hasPreviousPage',
  'PageInfo.startCursor',
  'Price.details',
  'Price.id',
  'Price.maxQuantity',
  'Price.minQuantity',
  'Price.model',
  'Price.packageSize',
  'Price.productId',
  'Price.quote',
  'Price.recurring',
  'Price.setupFee',
  'Price.taxBehavior',
  'Price.tiers',
  'Price.trialDays',
  'PriceQuote.average',
  'PriceQuote.charges',
  'PriceQuote.quantity',
  'PriceQuote.total',
  'Product.description',
  'Product.group',
  'Product.groupId',
  'Product.id',
  'Product.name',
  'Product.prices',
  'ProductConnection.edges',
  'ProductConnection.nextCursor',
  'ProductConnection.nodes',
  'ProductConnection.pageInfo',
  'ProductEdge.cursor',
  'ProductEdge.node',
  'Query.product(id)',
  'Query.products(after, before, first, last, order)',
  'Recurring.executionDate',
  'Recurring.frequency',
  'Recurring.period',
];

const previews = [
  'InvoiceLine.amount',
  'InvoiceLine.description',
  'InvoiceLine.discounts',
  'InvoiceLine.id',
  'InvoiceLine.kind',
  'InvoiceLine.periodEnd',
  'InvoiceLine.periodStart',
  'InvoiceLine.quantity',
  'InvoiceLine.tax',
  'InvoiceLine.tiers',
  'InvoiceLine.unitAmount',
  'InvoicePreview.discount',
  'InvoicePreview.effectiveAt',
  'InvoicePreview.lines',
  'InvoicePreview.nextInvoice',
  'InvoicePreview.subtotal',
  'InvoicePreview.tax',
  'InvoicePreview.taxes',
  'InvoicePreview.total',
  'LineDiscount.amount',
  'LineTax.amount',
  'LineTax.category',
  'LineTax.included',
  'LineTax.percent',
  'LineTax.reason',
  'NextInvoice.date',
  'NextInvoice.lines',
  'NextInvoice.tax',
  'NextInvoice.taxes',
  'NextInvoice.total',
  'TaxTotal.category',
  'TaxTotal.percent',
  'TaxTotal.reason',
  'TaxTotal.tax',
  'TaxTotal.taxable',
  'TierCharge.amount',
  'TierCharge.flatAmount',
  'TierCharge.quantity',
  'TierCharge.unitAmount',
  'TierCharge.upTo',
];

const ofCustomers = [
  ...['city', 'country', 'line1', 'line2', 'postalCode', 'region'].map((name) => `Address.${name}`),
  ...['expiresAt', 'url'].map((name) => `CreatedPortalSession.${name}`),
  ...['activeSubscriptions', 'address', 'associatedId', 'balance', 'companyName', 'createdAt'].map(
    (name) => `Customer.${name}`,
  ),
  ...['defaultPaymentMethod', 'email', 'firstName', 'id', 'invoices', 'lastName', 'locale'].map(
    (name) => `Customer.${name}`,
  ),
  ...['paymentMethods', 'subscriptions', 'taxIds'].map((name) => `Customer.${name}`),
  ...['active', 'createdAt', 'endsAt', 'id', 'startsAt', 'subscriptionId'].map((name) => `Discount.${name}`),
  ...['createdAt', 'documentNumber', 'dueAt', 'id', 'issuedAt', 'lines', 'overdue', 'paidAt'].map(
    (name) => `Invoice.${name}`,
  ),
  ...['refunded', 'status', 'subscriptionId', 'subtotal', 'tax', 'taxes', 'total'].map(
    (name) => `Invoice.${name}`,
  ),
  ...['Invoice', 'PaymentMethod', 'SubscriptionContract'].flatMap((type) => [
    ...['edges', 'nextCursor', 'nodes', 'pageInfo'].map((name) => `${type}Connection.${name}`),
    ...['cursor', 'node'].map((name) => `${type}Edge.${name}`),
  ]),
  'Mutation.applyDiscount(promotionCode, subscriptionId)',
  'Mutation.cancelSubscription(atPeriodEnd, comment, id, reason)',
  'Mutation.changeSubscription(expectedTotal, id, input.addOns, input.priceId, input.quantity)',
  'Mutation.createPortalSession(input.customerId, input.flow, input.returnUrl)',
  'Mutation.createSubscriptionIntent(input.addOns, input.customerId, input.priceId, input.productId, input.quantity, ' +
    'input.receiptUrl, input.returnUrl)',
  'Mutation.payInvoice(expectedTotal, id)',
  'Mutation.uncancelSubscription(id)',
  'Mutation.updateCustomer(id, input.address, input.companyName, input.firstName, input.lastName, input.locale, ' +
    'input.taxIds)',
  ...['brand', 'createdAt', 'expiryMonth', 'expiryYear', 'id', 'isDefault', 'isExpired', 'last4', 'type'].map(
    (name) => `PaymentMethod.${name}`,
  ),
  'Query.previewCancellation(atPeriodEnd, subscriptionId)',
  'Query.previewSubscription(input.addOns, input.customerId, input.priceId, input.productId, input.quantity)',
  'Query.previewSubscriptionChange(id, input.addOns, input.priceId, input.quantity)',
  'Query.viewer',
  ...['agreedPrice', 'cancelAt', 'cancelAtPeriodEnd', 'cancelledAt', 'createdAt', 'currentPeriodEnd'].map(
    (name) => `SubscriptionContract.${name}`,
  ),
  ...['currentPeriodStart', 'firstBillingDate', 'id', 'nextBillingDate', 'pastDueSince', 'pausedAt'].map(
    (name) => `SubscriptionContract.${name}`,
  ),
  ...['priceId', 'productId', 'productName', 'quantity', 'status', 'trialEndsAt'].map(
    (name) => `SubscriptionContract.${name}`,
  ),
  ...['createdAt', 'expiresAt', 'id', 'paymentUrl', 'priceId', 'productId', 'productName', 'status'].map(
    (name) => `SubscriptionIntent.${name}`,
  ),
  ...['subscriptionId', 'trialDays'].map((name) => `SubscriptionIntent.${name}`),
  ...['type', 'value'].map((name) => `TaxId.${name}`),
  ...['allow', 'customer', 'expiresAt'].map((name) => `Viewer.${name}`),
];

/** The subscription of customers, and what only its events have. */
const live = [
  'Subscription.viewerChanged',
  ...['invoice', 'kind', 'objectId', 'paymentMethod', 'subscription', 'viewer'].map(
    (name) => `ViewerChange.${name}`,
  ),
];

export const openFields = {
  live,
  customer: [...catalog, ...money, ...tiers, ...previews, ...ofCustomers].toSorted(),
  publishable: [
    ...catalog,
    ...money,
    ...tiers,
    ...previews,
    'Query.previewSubscription(input.addOns, input.priceId, input.productId, input.quantity)',
  ].toSorted(),
};

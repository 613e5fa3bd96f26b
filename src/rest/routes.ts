import { actionRequestRoutes } from './actionRequestRoutes.ts';
import { cloudEventsBatch } from './cloudEvents.ts';
import { readUsageEvents } from './usageEvents.ts';
import { creditGrantRoutes } from './creditGrantRoutes.ts';
import { entitlementRoutes } from './entitlementRoutes.ts';
import { invoiceRoutes } from './invoiceRoutes.ts';
import { overrideRoutes } from './overrideRoutes.ts';
import { optionalOfPrice, priceFields, showPrice } from './priceFields.ts';
import { optionalOfProduct, productFields, showProduct, showProducts } from './productFields.ts';
import { page, paged, type Route } from './route.ts';

/** The path prefix of all routes. */
export const restPrefix = '/api/v1';

const customerFields = 'id firstName lastName email associatedId tenantAlias metadata createdAt';
const subscriptionFields =
  'id tenantAlias paymentIntentId customerId productId priceId firstBillingDate nextBillingDate billedCount ' +
  'metadata createdAt cancelledAt';
const traceFields = 'tenantAlias traceId eventId executorId parentId isRoot activityType payload createdAt';
const groupFields = 'id tenantAlias name metadata createdAt updatedAt prorateUpgrades';

export const routes: Route[] = [
  {
    method: 'POST',
    path: '/customers',
    summary: 'Creates a customer.',
    document: `mutation createCustomer(
      $email: EmailAddress!, $firstName: String!, $lastName: String!,
      $associatedId: String!, $metadata: JSONObject
    ) {
      createCustomer(input: {
        email: $email, firstName: $firstName, lastName: $lastName, associatedId: $associatedId, metadata: $metadata
      }) { ${customerFields} }
    }`,
    locate: ({ id }) => `/customers/${id}`,
  },
  {
    method: 'PATCH',
    path: '/customers/{customerId}',
    summary: 'Updates the names and metadata of a customer.',
    document: `mutation updateCustomer(
      $customerId: ID!, $associatedId: String!,
      $firstName: String, $lastName: String, $metadata: JSONObject
    ) {
      updateCustomer(id: $customerId, input: {
        associatedId: $associatedId, firstName: $firstName, lastName: $lastName, metadata: $metadata
      }) { ${customerFields} }
    }`,
  },
  {
    method: 'DELETE',
    path: '/customers/{customerId}',
    summary: 'Deletes a customer permanently and cancels their subscriptions.',
    document: `mutation deleteCustomer($customerId: ID!, $associatedId: String!) {
      deleteCustomer(id: $customerId, input: { associatedId: $associatedId }) { ${customerFields} }
    }`,
  },
  {
    method: 'GET',
    path: '/customers',
    summary: 'Lists customers, newest first by default.',
    isTenantOptional: true,
    document: `query listCustomers(${page}) {
      customers(${paged}) {
        data: nodes { id associatedId firstName lastName email createdAt } nextCursor
      }
    }`,
  },
  {
    method: 'GET',
    path: '/customers/{customerId}',
    summary: 'Retrieves a customer.',
    extension: true,
    document: `query getCustomer($customerId: ID!) {
      customer(id: $customerId) { ${customerFields} }
    }`,
  },
  {
    method: 'POST',
    path: '/products',
    summary: 'Creates a product with its prices, in one transaction.',
    document: `mutation createProduct(
      $name: String!, $description: String!, $groupId: ID, $active: Boolean,
      $expiresAt: DateTime, $metadata: JSONObject, $prices: [CreatePriceInput!], $kind: ProductKind,
      $lookupKey: String
    ) {
      createProduct(input: {
        name: $name, description: $description, groupId: $groupId, active: $active,
        expiresAt: $expiresAt, metadata: $metadata, prices: $prices, kind: $kind,
        lookupKey: $lookupKey
      }) { ${productFields} prices { ${priceFields} } }
    }`,
    shape: ({ prices, ...product }) => ({ product: showProduct(product), prices: prices.map(showPrice) }),
    optional: [...optionalOfPrice, ...optionalOfProduct],
    locate: ({ product }) => `/products/${product.id}`,
  },
  {
    method: 'PATCH',
    path: '/products/{productId}',
    summary: 'Updates a product.',
    document: `mutation updateProduct(
      $productId: ID!, $groupId: ID, $name: String, $description: String,
      $expiresAt: DateTime, $active: Boolean, $metadata: JSONObject, $kind: ProductKind, $lookupKey: String
    ) {
      updateProduct(id: $productId, input: {
        groupId: $groupId, name: $name, description: $description,
        expiresAt: $expiresAt, active: $active, metadata: $metadata, kind: $kind, lookupKey: $lookupKey
      }) { ${productFields} }
    }`,
    shape: showProduct,
    optional: optionalOfProduct,
  },
  {
    method: 'GET',
    path: '/products',
    summary: 'Lists products, newest first by default.',
    isTenantOptional: true,
    document: `query listProducts($groupId: ID, $active: Boolean, $name: String, $lookupKey: String, ${page}) {
      products(groupId: $groupId, active: $active, name: $name, lookupKey: $lookupKey, ${paged}) {
        data: nodes { ${productFields} } nextCursor
      }
    }`,
    shape: showProducts('data'),
    optional: optionalOfProduct,
  },
  {
    method: 'GET',
    path: '/products/{productId}',
    summary: 'Retrieves a product.',
    extension: true,
    document: `query getProduct($productId: ID!) {
      product(id: $productId) { ${productFields} }
    }`,
    shape: showProduct,
    optional: optionalOfProduct,
  },
  {
    method: 'POST',
    path: '/products/{productId}/prices',
    summary: 'Creates prices for a product, in one transaction.',
    document: `mutation createPrices($productId: ID!, $prices: [CreatePriceInput!]!) {
      createPrices(input: { productId: $productId, prices: $prices }) { ${priceFields} }
    }`,
    shape: (prices) => prices.map(showPrice),
    optional: optionalOfPrice,
  },
  {
    method: 'GET',
    path: '/products/{productId}/prices/{priceId}',
    summary: 'Retrieves a price.',
    document: `query getPrice($productId: ID!, $priceId: ID!) {
      price(id: $priceId, productId: $productId) { ${priceFields} }
    }`,
    shape: showPrice,
    optional: optionalOfPrice,
  },
  {
    method: 'PATCH',
    path: '/products/{productId}/prices/{priceId}',
    summary: 'Updates a price.',
    document: `mutation updatePrice(
      $productId: ID!, $priceId: ID!,
      $details: MoneyChangesInput, $recurring: RecurringInput, $lookupKey: String, $transferLookupKey: Boolean
    ) {
      updatePrice(id: $priceId, input: {
        productId: $productId, details: $details, recurring: $recurring,
        lookupKey: $lookupKey, transferLookupKey: $transferLookupKey
      }) { ${priceFields} }
    }`,
    shape: showPrice,
    optional: optionalOfPrice,
  },
  {
    method: 'GET',
    path: '/products/{productId}/prices',
    summary: 'Lists the prices of a product, oldest first.',
    extension: true,
    document: `query listPrices($productId: ID!) {
      product(id: $productId) { prices { ${priceFields} } }
    }`,
    shape: ({ prices }) => prices.map(showPrice),
    optional: optionalOfPrice,
  },
  {
    method: 'POST',
    path: '/groups',
    summary: 'Creates a product group.',
    document: `mutation createGroup($name: String!, $metadata: JSONObject, $prorateUpgrades: Boolean) {
      createGroup(input: {
        name: $name, metadata: $metadata, prorateUpgrades: $prorateUpgrades
      }) { ${groupFields} }
    }`,
    locate: ({ id }) => `/groups/${id}`,
  },
  {
    method: 'GET',
    path: '/groups/{groupId}',
    summary: 'Retrieves a product group with its products.',
    document: `query getGroup($groupId: ID!) {
      group(id: $groupId) { ${groupFields} products { ${productFields} deleted } }
    }`,
    shape: showProducts('products'),
    optional: optionalOfProduct,
  },
  {
    method: 'PATCH',
    path: '/groups/{groupId}',
    summary: 'Updates a product group.',
    document: `mutation updateGroup(
      $groupId: ID!, $name: String, $metadata: JSONObject, $prorateUpgrades: Boolean
    ) {
      updateGroup(id: $groupId, input: {
        name: $name, metadata: $metadata, prorateUpgrades: $prorateUpgrades
      }) { ${groupFields} }
    }`,
  },
  {
    method: 'DELETE',
    path: '/groups/{groupId}',
    summary:
      'Deletes a product group permanently with its products and prices, and cancels their subscriptions.',
    document: `mutation deleteGroup($groupId: ID!) {
      deleteGroup(id: $groupId) { ${groupFields} }
    }`,
  },
  {
    method: 'GET',
    path: '/groups',
    summary: 'Lists product groups, newest first by default.',
    isTenantOptional: true,
    document: `query listGroups($limit: Int, $cursor: String, $order: Order) {
      groups(first: $limit, after: $cursor, order: $order) {
        data: nodes { ${groupFields} }
        nextCursor
      }
    }`,
  },
  {
    method: 'POST',
    path: '/subscriptions/intent',
    summary: 'Creates a subscription intent, whose payment starts the subscription.',
    document: `mutation createSubscriptionIntent(
      $customerId: ID!, $associatedCustomerId: String!, $productId: ID!, $priceId: ID!,
      $receiptUrl: URL!, $orderNumber: String, $returnUrl: URL, $startDate: DateTime, $reason: String,
      $quantity: Int, $spendAlerts: [MoneyInput!]
    ) {
      createSubscriptionIntent(input: {
        customerId: $customerId, associatedCustomerId: $associatedCustomerId, productId: $productId,
        priceId: $priceId, receiptUrl: $receiptUrl, orderNumber: $orderNumber, returnUrl: $returnUrl,
        startDate: $startDate, reason: $reason, quantity: $quantity, spendAlerts: $spendAlerts
      }) { status intentId }
    }`,
    locate: ({ intentId }) => `/subscriptions/intent/${intentId}`,
  },
  {
    method: 'GET',
    path: '/subscriptions/intent/{intentId}',
    summary: 'Retrieves a subscription intent, with the URL of its payment page for keys that may write.',
    extension: true,
    document: `query getSubscriptionIntent($intentId: ID!) {
      intent(id: $intentId) { status intentId paymentUrl }
    }`,
  },
  {
    method: 'GET',
    path: '/subscriptions',
    summary: 'Lists the paid billing periods of a customer, newest first by default.',
    document: `query listSubscriptionHistory(
      $customer: ID!, $startDate: DateTime, $endDate: DateTime, ${page}
    ) {
      subscriptionHistory(customerId: $customer, startDate: $startDate, endDate: $endDate, ${paged}) {
        data: nodes { id: lineId customerId productName billing { price { amount currency } startDate endDate } }
        nextCursor
      }
    }`,
  },
  {
    method: 'GET',
    path: '/subscriptions/active',
    summary: 'Lists the active subscriptions of a customer.',
    document: `query listActiveSubscriptions($customer: ID!) {
      activeSubscriptions(customerId: $customer) { ${subscriptionFields} }
    }`,
  },
  {
    method: 'GET',
    path: '/subscriptions/{subscriptionId}',
    summary: 'Retrieves a subscription.',
    extension: true,
    document: `query getSubscription($subscriptionId: ID!) {
      subscription(id: $subscriptionId) { ${subscriptionFields} }
    }`,
  },
  {
    method: 'DELETE',
    path: '/subscriptions/{subscriptionId}',
    summary: 'Cancels an active subscription.',
    document: `mutation cancelSubscription($subscriptionId: ID!, $customer: ID!) {
      cancelSubscription(id: $subscriptionId, input: { customerId: $customer }) { ${subscriptionFields} }
    }`,
  },
  ...invoiceRoutes,
  {
    method: 'POST',
    path: '/usage',
    summary: 'Records 1 to 1,000 usage events, each counted once.',
    extension: true,
    reads: readUsageEvents,
    alsoReads: cloudEventsBatch,
    isTenantOptional: true,
    document: `mutation recordUsage($events: [UsageEventInput!]!) {
      recordUsage(input: { events: $events }) {
        accepted duplicates conflicts { index id } refused { index reason path message } unassigned
      }
    }`,
  },
  ...entitlementRoutes,
  ...overrideRoutes,
  ...creditGrantRoutes,
  ...actionRequestRoutes,
  {
    method: 'GET',
    path: '/traces/event',
    summary: 'Retrieves a trace by its identifiers.',
    document: `query getTrace($traceId: String!, $timestamp: DateTime!, $eventId: ID!) {
      trace(traceId: $traceId, timestamp: $timestamp, eventId: $eventId) { ${traceFields} }
    }`,
  },
  {
    method: 'GET',
    path: '/traces/user',
    summary: 'Lists the traces of an executor, newest first by default.',
    document: `query listTracesOfUser(
      $executorId: String!, $startDate: DateTime, $endDate: DateTime, ${page}
    ) {
      traces(executorId: $executorId, startDate: $startDate, endDate: $endDate, ${paged}) {
        data: nodes { ${traceFields} } nextCursor
      }
    }`,
  },
  {
    method: 'GET',
    path: '/traces/timeframe',
    summary: 'Lists the traces in a time range, newest first by default.',
    document: `query listTracesOfTimeframe($startDate: DateTime!, $endDate: DateTime, ${page}) {
      traces(startDate: $startDate, endDate: $endDate, ${paged}) {
        data: nodes { ${traceFields} } nextCursor
      }
    }`,
  },
];

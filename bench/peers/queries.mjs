// The GraphQL operations of the benchmarks, equal for all servers.

const customerFields = 'id firstName lastName email associatedId tenantAlias metadata createdAt';

export const pointQuery = `query Point($id: ID!) { customer(id: $id) { ${customerFields} } }`;

export const nestedQuery = `query Nested($first: Int, $after: String) {
  products(first: $first, after: $after) {
    nodes {
      id name description active createdAt
      group { id name }
      prices { id details { amount currency } recurring { period frequency } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

const subscriptionFields =
  'id status customerId productName quantity agreedPrice { amount currency } nextBillingDate';
const itemFields = 'id quantity isMain addedAt agreedPrice { amount currency }';

/** A page of 100 subscriptions, with or without their items. */
export const subscriptionsQuery = `query Subscriptions { subscriptions(first: 100) { nodes { ${subscriptionFields} } } }`;
export const subscriptionItemsQuery = `query SubscriptionItems {
  subscriptions(first: 100) { nodes { ${subscriptionFields} items { ${itemFields} } } }
}`;

export const createMutation = `mutation Create($input: CreateCustomerInput!) {
  createCustomer(input: $input) { ${customerFields} }
}`;

/** Pays an intent in the shape that the schema had up to 0.9.0, for comparisons with an earlier commit. */
export const formerConfirmMutation = `mutation Confirm($id: ID!) {
  confirmIntent(id: $id, paymentMethod: "sandbox_ok") { id status subscriptionId }
}`;

export const confirmMutation = `mutation Confirm($id: ID!) {
  confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { id status subscriptionId }
}`;

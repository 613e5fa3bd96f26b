import { expect } from 'vitest';
import type { Client, Method } from './app.ts';

/** Creates records that many tests need, over REST or GraphQL; each request must succeed. */
export interface Shop {
  customer(fields?: object): Promise<any>;
  group(fields?: object): Promise<any>;
  /** A product with one price: `amount` afn a month unless told otherwise. */
  product(fields?: ProductFields): Promise<{ product: any; price: any }>;
  /** The fields of an intent for the customer and the price. */
  intentInput(customer: any, price: any, fields?: object): object;
  intent(customer: any, price: any, fields?: object): Promise<any>;
  confirm(intentId: string, paymentMethod?: string): Promise<any>;
  /** Creates and pays an intent; answers the subscription as REST shows it. */
  subscribe(customer: any, price: any, fields?: object): Promise<any>;
}

interface ProductFields {
  amount?: number;
  currency?: string;
  recurring?: object;
  /** Other fields of the price; its `details` replace amount and currency. */
  price?: object;
  [field: string]: unknown;
}

export const confirmDocument = `mutation ($id: ID!, $method: String!) {
  confirmIntent(id: $id, input: { paymentMethod: $method }) { id status subscriptionId failureReason }
}`;

let lastNumber = 0;

/** The shop of a client whose tenant is `tenantAlias`; its payers pay with `usualMethod`. */
export function createShop(client: Client, tenantAlias: string, usualMethod = 'sandbox_ok'): Shop {
  const ask = async (method: Method, path: string, fields: object) => {
    const answer = await client.rest(method, path, { tenantAlias, ...fields });
    expect(answer.status, answer.text).toBe(method === 'POST' ? 201 : 200);
    return answer.body;
  };
  const shop: Shop = {
    customer: (fields) => {
      const associatedId = `own-${++lastNumber}`;
      const names = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
      return ask('POST', '/customers', { ...names, associatedId, ...fields });
    },
    group: (fields) => ask('POST', '/groups', { name: 'Plans', ...fields }),
    product: async ({ amount = 50, currency = 'afn', recurring, price, ...fields } = {}) => {
      const prices = [{ details: { amount, currency }, recurring, ...price }];
      const made = await ask('POST', '/products', { name: 'Pro', description: '', prices, ...fields });
      return { product: made.product, price: made.prices[0] };
    },
    intentInput: (customer, price, fields) => ({
      tenantAlias,
      customerId: customer.id,
      associatedCustomerId: customer.associatedId,
      productId: price.productId,
      priceId: price.id,
      receiptUrl: 'https://example.com/thanks',
      ...fields,
    }),
    intent: (customer, price, fields) =>
      ask('POST', '/subscriptions/intent', shop.intentInput(customer, price, fields)),
    confirm: async (id, method = usualMethod) =>
      (await client.graphql(confirmDocument, { id, method })).confirmIntent,
    subscribe: async (customer, price, fields) => {
      const { intentId } = await shop.intent(customer, price, fields);
      const { subscriptionId } = await shop.confirm(intentId);
      return ask('GET', `/subscriptions/${subscriptionId}`, {});
    },
  };
  return shop;
}

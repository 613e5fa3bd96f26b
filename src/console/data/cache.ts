import type { CacheExchangeOpts } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

const byField = (name: string) => (data: Record<string, unknown>) =>
  typeof data[name] === 'string' ? data[name] : null;

/**
 * How the cache identifies records. A type with an `id` is one by its id; a type without is a part of the record that
 * contains it, unless it has a key here. Lists within a record join their pages; the large lists of whole screens keep
 * their pages apart (`pages.ts`), because joining them anew with each page grows with the square of their length.
 */
export const cacheOptions: CacheExchangeOpts = {
  keys: {
    Tenant: byField('alias'),
    Event: byField('eventId'),
    EventType: byField('name'),
    Me: () => 'me',
    // Of a preview, without an id.
    InvoiceLine: byField('id'),
  },
  resolvers: {
    Customer: {
      invoices: relayPagination(),
      paymentMethods: relayPagination(),
      subscriptions: relayPagination(),
      timeline: relayPagination(),
    },
    Query: {
      customer: (_, { id }) => ({ __typename: 'Customer', id: id as string }),
      subscription: (_, { id }) => ({ __typename: 'SubscriptionContract', id: id as string }),
      invoice: (_, { id }) => ({ __typename: 'Invoice', id: id as string }),
      product: (_, { id }) => ({ __typename: 'Product', id: id as string }),
      coupon: (_, { id }) => ({ __typename: 'Coupon', id: id as string }),
    },
  },
};

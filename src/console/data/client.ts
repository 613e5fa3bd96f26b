import { cacheExchange, type CacheExchangeOpts } from '@urql/exchange-graphcache';
import { Client, fetchExchange, mapExchange } from 'urql';
import { createRequestWriter } from './documents.ts';
import { endsSession, readProblem } from './errors.ts';
import { relayPagination } from '@urql/exchange-graphcache/extras';

const byField = (name: string) => (data: Record<string, unknown>) =>
  typeof data[name] === 'string' ? data[name] : null;

/**
 * How the cache identifies records. A type with an `id` is one by its id; a type without is a part of the record that
 * contains it, unless it has a key here. Lists within a record join their pages; the large lists of whole screens keep
 * their pages apart (`pages.ts`), because joining them anew with each page grows with the square of their length.
 */
const cacheOptions: CacheExchangeOpts = {
  keys: {
    Tenant: byField('alias'),
    Event: byField('eventId'),
    EventType: byField('name'),
    Me: () => 'me',
    TenantOperator: byField('operatorId'),
    // A document is listed once for each of its rates.
    TaxDocument: () => null,
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

const graphqlUrl = '/graphql';

/**
 * The headers of every request by cookie. The first proves that no other site sent it: a page of another origin cannot
 * set it.
 */
export const getHeaders = (tenant: string | undefined): Record<string, string> => ({
  'perennial-console': '1',
  ...(tenant && { 'perennial-tenant': tenant }),
});

/**
 * Creates the client of one tenant, or without one for the operator's own account. Each has a cache of its own: records of
 * two tenants never meet. `onSignedOut` is called when the session has ended.
 */
export function createClient(tenant: string | undefined, onSignedOut: () => void): Client {
  return new Client({
    url: graphqlUrl,
    preferGetMethod: false,
    fetch: createRequestWriter().fetch,
    requestPolicy: 'cache-and-network',
    fetchOptions: () => ({ credentials: 'same-origin', headers: getHeaders(tenant) }),
    exchanges: [
      mapExchange({
        onError: (error) => {
          if (endsSession(readProblem(error))) onSignedOut();
        },
      }),
      cacheExchange(cacheOptions),
      fetchExchange,
    ],
  });
}

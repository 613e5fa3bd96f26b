import { cacheExchange } from '@urql/exchange-graphcache';
import { Client, fetchExchange, mapExchange } from 'urql';
import { cacheOptions } from './cache.ts';
import { fetchDocument } from './documents.ts';
import { endsSession, readProblem } from './errors.ts';

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
    fetch: fetchDocument,
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

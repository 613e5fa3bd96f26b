/** The stores of two client libraries, each as its users run it: with the schema, and without a resolver of their own. */
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, setLogVerbosity } from '@apollo/client/core';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { OperationTypeNode, getOperationAST, parse, type IntrospectionQuery } from 'graphql';
import { createClient as createStreams } from 'graphql-sse';
import { createClient as createSockets } from 'graphql-ws';
import { Client as Urql, fetchExchange, subscriptionExchange, type RequestPolicy } from '@urql/core';
import { cacheExchange, type Cache as GraphCache } from '@urql/exchange-graphcache';
import { WebSocket } from 'ws';
import { introspectionFromSchema } from 'graphql';
import { schema } from '../../../src/app/schema.ts';
import { keylessTypes, keptTypes } from './documents.ts';

type Variables = Record<string, unknown>;

interface Outcome {
  data?: any;
  reason?: string;
  issues?: unknown;
}

/** A normalized store that sends its operations to the server. */
export interface Store {
  name: string;
  /** Reads from the server, through the store. Throws the first error. */
  read(document: string, variables?: Variables): Promise<any>;
  /**
   * Returns what a page shows: what the store has of a document, and only if something is missing the server. Graphcache
   * forgets the objects of a type when a mutation creates another, and reads them again when a page needs them.
   */
  show(document: string, variables?: Variables): Promise<any>;
  /** Performs a mutation; returns the reason of a refusal. */
  change(document: string, variables: Variables): Promise<Outcome>;
  /** Follows a subscription through the store. */
  follow(document: string, onEvent: (data: any) => void): void;
  /** What the store finds wrong. */
  complaints: string[];
  close(): Promise<void>;
}

/** The headers that carry a credential, also as connection parameters. */
export type Credential = Record<string, string>;

const parsed = new Map<string, ReturnType<typeof parse>>();
function parseOnce(text: string) {
  const known = parsed.get(text) ?? parse(text);
  parsed.set(text, known);
  return known;
}

const readRefusal = (extensions: Record<string, any> | undefined, error: Error): Outcome => ({
  reason: extensions?.['reason'] ?? String(error),
  issues: extensions,
});

/** The types of the activities that are not named after them. */
const typeByActivity: Record<string, string> = {
  IntentEvent: 'SubscriptionIntent',
  SubscriptionEvent: 'SubscriptionContract',
};

interface Removed {
  __typename: string;
  id: string;
}

/** The object that an event has removed: a page forgets it, and reads again what referred to it. */
function findRemoved({ activityType, payload }: any): Removed | undefined {
  if (payload.action !== 'deleted' && payload.action !== 'removed') return undefined;
  const __typename = typeByActivity[activityType] ?? String(activityType).replace(/Event$/, '');
  return { __typename, id: payload.resourceId };
}

/** The mutations whose result has objects that they have removed. It may come after the events of the removal. */
const removals = ['deleteCustomer', 'deleteGroup', 'deleteProduct', 'removePaymentMethod'];

let introspection: IntrospectionQuery | undefined;

/** urql's Graphcache, which knows the schema; it follows server-sent events. */
export function openGraphcache(url: string, credential: Credential): Store {
  const complaints: string[] = [];
  introspection ??= introspectionFromSchema(schema);
  const removed = new Map<string, Removed>();
  const streams = createStreams({ url: `${url}/graphql`, headers: credential, retryAttempts: 0 });
  const cache = cacheExchange({
    schema: introspection as never,
    updates: {
      Subscription: {
        traceRecorded: ({ traceRecorded }: any, _, store) => {
          const found = findRemoved(traceRecorded);
          if (!found) return;
          removed.set(found.id, found);
          store.invalidate({ ...found });
        },
      },
      Mutation: Object.fromEntries(
        removals.map((name) => [
          name,
          (_: unknown, __: unknown, store: GraphCache) => {
            for (const each of removed.values()) store.invalidate({ ...each });
          },
        ]),
      ),
    },
    keys: Object.fromEntries(keylessTypes().map((name) => [name, () => null])),
    logger: (severity, message) => severity === 'debug' || complaints.push(message),
  });
  const live = subscriptionExchange({
    forwardSubscription: ({ query, variables }) => ({
      subscribe: (sink) => ({
        unsubscribe: streams.subscribe({ query: query!, variables: variables as Variables }, sink as never),
      }),
    }),
  });
  const urql = new Urql({
    url: `${url}/graphql`,
    exchanges: [cache, fetchExchange, live],
    fetchOptions: { headers: credential },
    preferGetMethod: false,
  });
  const read = async (document: string, variables: Variables = {}, requestPolicy: RequestPolicy) => {
    const { data, error } = await urql.query(parseOnce(document), variables, { requestPolicy });
    if (error) throw error;
    return data;
  };
  return {
    name: 'Graphcache',
    complaints,
    read: (document, variables) => read(document, variables, 'network-only'),
    show: (document, variables) => read(document, variables, 'cache-first'),
    change: async (document, variables) => {
      removed.clear();
      const { data, error } = await urql.mutation(parseOnce(document), variables);
      if (!error) return { data };
      return readRefusal(error.graphQLErrors[0]?.extensions, error);
    },
    follow: (document, onEvent) => {
      urql.subscription(parseOnce(document), {}).subscribe(({ data, error }) => {
        if (error) complaints.push(error.message);
        else onEvent(data);
      });
    },
    close: async () => streams.dispose(),
  };
}

// It warns that a list of a later read replaces that of an earlier one, as it must.
setLogVerbosity('silent');

/** Apollo Client's store, which follows a WebSocket. */
export function openApollo(url: string, credential: Credential): Store {
  const complaints: string[] = [];
  const sockets = createSockets({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: credential,
    retryAttempts: 0,
  });
  const apollo = new ApolloClient({
    cache: new InMemoryCache({ possibleTypes: { Node: keptTypes } }),
    link: ApolloLink.split(
      ({ query }) => getOperationAST(query)?.operation === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(sockets),
      new HttpLink({ uri: `${url}/graphql`, headers: credential }),
    ),
  });
  const read = async (
    document: string,
    variables: Variables = {},
    fetchPolicy: 'cache-first' | 'network-only',
  ) => (await apollo.query({ query: parseOnce(document), variables, fetchPolicy })).data;
  const removed = new Map<string, Removed>();
  const forget = (found: Removed) => {
    removed.set(found.id, found);
    apollo.cache.evict({ id: apollo.cache.identify({ ...found }) });
  };
  return {
    name: 'Apollo Client',
    complaints,
    read: (document, variables) => read(document, variables, 'network-only'),
    show: (document, variables) => read(document, variables, 'cache-first'),
    change: async (document, variables) => {
      const mutation = parseOnce(document);
      removed.clear();
      const { data, error } = await apollo.mutate({ mutation, variables, errorPolicy: 'all' });
      if (removals.some((name) => Object.hasOwn(data ?? {}, name)))
        for (const each of removed.values()) forget(each);
      if (!error) return { data };
      return readRefusal((error as any).errors?.[0]?.extensions, error);
    },
    follow: (document, onEvent) => {
      apollo.subscribe({ query: parseOnce(document) }).subscribe({
        next: ({ data, error }: { data?: any; error?: Error }) => {
          if (error) complaints.push(error.message);
          if (error) return;
          const found = data.traceRecorded && findRemoved(data.traceRecorded);
          if (found) forget(found);
          onEvent(data);
        },
        error: (error: unknown) => complaints.push(String(error)),
      });
    },
    close: async () => {
      apollo.stop();
      await sockets.dispose();
    },
  };
}

// The workloads of requests: the servers that take part and the requests that are sent repeatedly.
import {
  confirmMutation,
  createMutation,
  nestedQuery,
  pointQuery,
  subscriptionItemsQuery,
  subscriptionsQuery,
} from '../../peers/queries.mjs';
import { alias } from '../../peers/store.mjs';
import { idMark, numberMark } from '../load/requests.mjs';
import { usageWorkloads } from './usage.mjs';

const mostPages = 50;
/** More intents than a run pays: a customer subscribes to a product once. */
const mostIntents = 120_000;
const nestedPage = 20;
const tracePage = 100;
const earliest = '2000-01-01T00:00:00.000Z';

const everyRest = ['floor', 'perennial', 'perennial-postgres', 'floor-checked', 'fastify'];
const everyGraphql = [
  'floor',
  'perennial',
  'perennial-postgres',
  'floor-checked',
  'mercurius-jit',
  'yoga',
  'apollo-default',
];

/**
 * `requests(ask, data, name)` creates the requests with the server they are for, because cursors differ. `shown` selects
 * the part of the first response that is equal on all servers. `sharesServers`: whether another workload's servers
 * are used.
 */
export const workloads = [
  {
    name: 'rest-list-10',
    sharesServers: true,
    variants: everyRest,
    requests: (ask) => listPages(ask, customersPath(10)),
    shown: ({ data }) => data,
  },
  {
    name: 'rest-list-100',
    sharesServers: true,
    variants: everyRest,
    requests: (ask) => listPages(ask, customersPath(100)),
    shown: ({ data }) => data,
  },
  {
    name: 'rest-price',
    sharesServers: true,
    variants: everyRest,
    requests: async (_, { prices }) => ({
      requests: prices.map(({ id, productId }) =>
        get(`/api/v1/products/${productId}/prices/${id}?tenantAlias=${alias}`),
      ),
    }),
    shown: (price) => price,
  },
  {
    name: 'rest-create',
    sharesServers: true,
    variants: [...everyRest, 'floor-single'],
    writes: true,
    requests: async () => ({
      requests: [post('/api/v1/customers', { tenantAlias: alias, ...newCustomer('rest') })],
    }),
    shown: ({ email, metadata }) => ({ email, metadata }),
  },
  {
    name: 'graphql-point',
    sharesServers: true,
    variants: [...everyGraphql, 'postgraphile'],
    requests: async (_, { customers }) => ({
      requests: customers.map(({ id }) => graphql(pointQuery, { id })),
    }),
    shown: ({ data }) => data.customer,
    own: { postgraphile: postgraphilePoint },
  },
  {
    name: 'graphql-nested',
    sharesServers: true,
    variants: [...everyGraphql, 'postgraphile', 'vendure'],
    requests: nestedPages,
    shown: ({ data }) => data.products.nodes,
    own: { postgraphile: postgraphileNested, vendure: vendureProducts },
  },
  // The second takes at most 1.3 times as long as the first.
  {
    name: 'graphql-subscriptions',
    variants: ['perennial', 'perennial-postgres'],
    filled: 'subscriptions',
    requests: async () => ({ requests: [graphql(subscriptionsQuery)] }),
    shown: ({ data }) => data.subscriptions.nodes,
  },
  {
    name: 'graphql-subscription-items',
    variants: ['perennial', 'perennial-postgres'],
    filled: 'subscriptions',
    requests: async () => ({ requests: [graphql(subscriptionItemsQuery)] }),
    shown: ({ data }) => data.subscriptions.nodes,
  },
  {
    name: 'graphql-create',
    sharesServers: true,
    variants: [...everyGraphql, 'floor-single'],
    writes: true,
    requests: async () => ({ requests: [graphql(createMutation, { input: newCustomer('graphql') })] }),
    shown: ({ data: { createCustomer } }) => createCustomer.email,
  },
  {
    name: 'intent-to-paid',
    sharesServers: true,
    variants: ['floor', 'perennial', 'perennial-postgres', 'floor-checked', 'floor-single'],
    writes: true,
    /** Two requests for each intent. */
    requestsEach: 2,
    requests: async (_, data, name) => ({
      requests: intents(data),
      follow: graphql(data.confirms?.[name] ?? confirmMutation, { id: idMark }),
    }),
    shown: ({ status }) => status,
  },
  {
    name: 'traces-timeframe',
    variants: ['floor', 'perennial', 'perennial-postgres', 'floor-checked'],
    filled: 'traces',
    requests: async () => ({ requests: [get(tracesPath(tracePage))] }),
    shown: ({ data }) => data,
  },
  {
    name: 'traces-timeframe-last',
    variants: ['floor', 'perennial', 'perennial-postgres', 'floor-checked'],
    filled: 'traces',
    requests: listLastTraces,
    shown: ({ data }) => data,
  },
  ...usageWorkloads,
];

const get = (path) => ({ method: 'GET', path });
const post = (path, body) => ({ method: 'POST', path, body: JSON.stringify(body) });
const graphql = (query, variables) => post('/graphql', { query, variables });

const customersPath = (limit) => `/api/v1/customers?tenantAlias=${alias}&limit=${limit}`;
const tracesPath = (limit) =>
  `/api/v1/traces/timeframe?tenantAlias=${alias}&startDate=${earliest}&limit=${limit}`;

/** `maker` keeps the customers of two servers apart, which may use the same database. */
const newCustomer = (maker) => ({
  email: 'new@example.com',
  firstName: 'Grace',
  lastName: 'Hopper',
  associatedId: `${maker}-${numberMark}`,
  metadata: { plan: 'small', city: 'Kabul' },
});

/** Returns the first pages of a list, each requested with the cursor of the previous one. */
async function listPages(ask, path) {
  const requests = [get(path)];
  while (requests.length < mostPages) {
    const { nextCursor } = await ask(requests.at(-1));
    if (!nextCursor) break;
    requests.push(get(`${path}&cursor=${encodeURIComponent(nextCursor)}`));
  }
  return { requests };
}

async function nestedPages(ask) {
  const requests = [];
  for (let after; ;) {
    requests.push(graphql(nestedQuery, { first: nestedPage, after }));
    const { pageInfo, nodes } = (await ask(requests.at(-1))).data.products;
    // Products without a group are last; another workload uses them.
    if (nodes.some(({ group }) => group === null)) requests.pop();
    if (!pageInfo.hasNextPage) return { requests };
    after = pageInfo.endCursor;
  }
}

/** Returns the requests for the oldest traces: a page in reverse order provides the cursor. */
async function listLastTraces(ask) {
  const path = tracesPath(tracePage);
  const { nextCursor } = await ask(get(`${path}&order=asc`));
  return { requests: [get(`${path}&cursor=${encodeURIComponent(nextCursor)}`)] };
}

/** Returns an intent for each customer and each product without a group. */
function intents({ customers, singles }) {
  const requests = [];
  for (const { productId, priceId } of singles) {
    for (const { id, associatedId } of customers) {
      const isPaidAlready = productId === singles[0].productId && id === customers[0].id;
      if (isPaidAlready) continue;
      if (requests.length === mostIntents) return requests;
      const body = {
        tenantAlias: alias,
        customerId: id,
        associatedCustomerId: associatedId,
        productId,
        priceId,
        receiptUrl: 'https://example.com/thanks',
      };
      requests.push(post('/api/v1/subscriptions/intent', body));
    }
  }
  return requests;
}

/** PostGraphile derives field names from tables and keys. */
function postgraphilePoint(_, { customers }) {
  const query = `query Point($id: String!) {
    customerByTenantAliasAndRowId(tenantAlias: "${alias}", rowId: $id) {
      rowId firstName lastName email associatedId tenantAlias metadata createdAt
    }
  }`;
  return { requests: customers.map(({ id }) => graphql(query, { id })) };
}

async function postgraphileNested(ask) {
  const query = `query Nested($first: Int, $after: Cursor) {
    allProducts(
      first: $first, after: $after, condition: { tenantAlias: "${alias}" }, orderBy: [CREATED_AT_DESC, ROW_ID_DESC]
    ) {
      nodes {
        rowId name description active createdAt
        groupByTenantAliasAndGroupId { rowId name }
        pricesByTenantAliasAndProductId { nodes { rowId amountMinor currency period frequency } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }`;
  const requests = [];
  for (let after; requests.length < 10;) {
    requests.push(graphql(query, { first: nestedPage, after }));
    const { data, errors } = await ask(requests.at(-1));
    if (errors) throw new Error(`PostGraphile: ${errors[0].message}`);
    after = data.allProducts.pageInfo.endCursor;
  }
  return { requests };
}

/** Vendure's own products: the query of a shop's first page. */
function vendureProducts() {
  const query = `query Products($options: ProductListOptions) {
    products(options: $options) {
      items { id name description slug createdAt variants { id price currencyCode } }
      totalItems
    }
  }`;
  const body = (skip) => ({ query, variables: { options: { take: nestedPage, skip } } });
  return { requests: Array.from({ length: 10 }, (_, page) => post('/shop-api', body(page * nestedPage))) };
}

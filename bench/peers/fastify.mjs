// Fastify with prepared statements, as in its guide: a schema for requests and one for responses.
import { parseArgs } from 'node:util';
import Fastify from 'fastify';
import { openStore } from './store.mjs';

const { values } = parseArgs({ options: { database: { type: 'string' }, port: { type: 'string' } } });
const store = openStore(values.database);
const server = Fastify();

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const textMap = { type: 'object', additionalProperties: text };
const buildObjectSchema = (properties) => ({ type: 'object', properties });
const listed = buildObjectSchema({
  id: text,
  firstName: text,
  lastName: text,
  email: text,
  associatedId: text,
  createdAt: text,
});
const page = {
  querystring: buildObjectSchema({
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    cursor: text,
  }),
  response: { 200: buildObjectSchema({ data: { type: 'array', items: listed }, nextCursor: textOrNull }) },
};
const price = {
  response: {
    200: buildObjectSchema({
      id: text,
      productId: text,
      createdAt: text,
      updatedAt: text,
      recurring: buildObjectSchema({
        executionDate: textOrNull,
        period: { type: 'number' },
        frequency: text,
      }),
      details: buildObjectSchema({ amount: { type: 'number' }, currency: text }),
    }),
  },
};
const creation = {
  body: {
    ...buildObjectSchema({
      email: text,
      firstName: text,
      lastName: text,
      associatedId: text,
      metadata: textMap,
    }),
    required: ['email', 'firstName', 'lastName', 'associatedId'],
  },
  response: { 201: buildObjectSchema({ ...listed.properties, tenantAlias: text, metadata: textMap }) },
};

server.get('/api/v1/customers', { schema: page }, async ({ query }) => {
  const { rows, nextCursor } = store.customers(query.limit, query.cursor);
  return { data: rows, nextCursor };
});
server.get('/api/v1/products/:productId/prices/:priceId', { schema: price }, async ({ params }) =>
  store.price(params.productId, params.priceId),
);
server.post('/api/v1/customers', { schema: creation }, async ({ body }, reply) =>
  reply.code(201).send(await store.createCustomer(body)),
);
await server.listen({ host: '127.0.0.1', port: Number(values.port) });

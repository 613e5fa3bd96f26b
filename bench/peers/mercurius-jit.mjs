// Mercurius as in its documentation: its own loaders for nested fields, and documents compiled at once (`jit: 1`).
import { parseArgs } from 'node:util';
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { pick, buildRootResolvers, typeDefs } from './schema.mjs';
import { openStore } from './store.mjs';

const { values } = parseArgs({ options: { database: { type: 'string' }, port: { type: 'string' } } });
const store = openStore(values.database);
const loaded = (find, ids) => pick(find([...new Set(ids)]), ids);
const server = Fastify();
await server.register(mercurius, {
  schema: typeDefs,
  resolvers: buildRootResolvers(store),
  loaders: {
    Product: {
      group: async (queries) =>
        loaded(
          store.groups,
          queries.map(({ obj }) => obj.groupId),
        ),
      prices: async (queries) =>
        loaded(
          store.prices,
          queries.map(({ obj }) => obj.id),
        ),
    },
  },
  jit: 1,
});
await server.listen({ host: '127.0.0.1', port: Number(values.port) });

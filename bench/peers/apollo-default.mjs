// Apollo Server as in its "Get started" guide: the standalone server, plain resolvers, a DataLoader for each field.
import { parseArgs } from 'node:util';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { createContext, buildResolvers, typeDefs } from './schema.mjs';
import { openStore } from './store.mjs';

const { values } = parseArgs({ options: { database: { type: 'string' }, port: { type: 'string' } } });
const store = openStore(values.database);
const server = new ApolloServer({ typeDefs, resolvers: buildResolvers(store) });
await startStandaloneServer(server, {
  context: async () => createContext(store),
  listen: { host: '127.0.0.1', port: Number(values.port) },
});

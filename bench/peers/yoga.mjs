// GraphQL Yoga on node:http as in its documentation; it caches parsed and validated documents.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createSchema, createYoga } from 'graphql-yoga';
import { createContext, buildResolvers, typeDefs } from './schema.mjs';
import { openStore } from './store.mjs';

const { values } = parseArgs({ options: { database: { type: 'string' }, port: { type: 'string' } } });
const store = openStore(values.database);
const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers: buildResolvers(store) }),
  context: () => createContext(store),
});
createServer((request, response) => void yoga(request, response)).listen(Number(values.port), '127.0.0.1');

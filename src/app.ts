import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import { systemClock, type Clock } from './clock.ts';
import type { Config } from './config.ts';
import { CustomerResolver } from './customers/customers.graphql.ts';
import { readMigrations } from './db/migrate.ts';
import { openSqlite } from './db/sqlite.ts';
import { schemaOf } from './graphql/schema.ts';
import { createApollo } from './http/graphql.ts';
import { createServer } from './http/server.ts';
import { createIds, type RandomBytes } from './ids.ts';
import type { Service } from './tenants/tenants.ts';

/** The GraphQL schema of the whole service. */
export const schema = schemaOf([CustomerResolver]);

// The bundle lies as deep in the project as this file.
const migrationsFolder = fileURLToPath(new URL('../drizzle/sqlite', import.meta.url));

export interface Outside {
  clock?: Clock;
  randomBytes?: RandomBytes;
  log?: Logger;
}

/** Opens the database of the configuration; `own` where a server is to run on it. */
export function openService(config: Config, own: boolean, outside: Outside = {}): Service {
  const clock = outside.clock ?? systemClock;
  const store = openSqlite({
    path: config.database.slice('sqlite:'.length),
    migrations: readMigrations(migrationsFolder),
    own,
  });
  return { store, clock, ids: createIds(clock, outside.randomBytes ?? randomBytes) };
}

export interface App {
  service: Service;
  server: FastifyInstance;
  close(): Promise<void>;
}

/** Puts the parts together; the server answers `inject` at once and a port when told to listen. */
export async function createApp(config: Config, outside: Outside = {}): Promise<App> {
  const log = outside.log ?? pino({ level: config.logLevel });
  const service = openService(config, true, outside);
  const apollo = createApollo(schema);
  await apollo.start();
  const server = createServer({ config, service, schema, apollo, log });
  const close = async () => {
    await server.close();
    await apollo.stop();
    await service.store.close();
  };
  return { service, server, close };
}

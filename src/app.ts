import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import { GroupResolver, ProductGroupResolver } from './catalog/groups.graphql.ts';
import { PriceResolver } from './catalog/prices.graphql.ts';
import { PriceProductResolver, ProductResolver } from './catalog/products.graphql.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Config } from './config.ts';
import { InvoiceLineResolver, InvoiceResolver } from './billing/invoices.graphql.ts';
import { findInvoice } from './billing/invoices.ts';
import { findGroup } from './catalog/groups.ts';
import { findPrice } from './catalog/prices.ts';
import { findProduct } from './catalog/products.ts';
import { CustomerResolver } from './customers/customers.graphql.ts';
import { customerOf } from './customers/customers.ts';
import { readMigrations } from './db/migrate.ts';
import { migrateFile, openSqlite } from './db/sqlite.ts';
import { nodeResolverOf } from './graphql/node.ts';
import { DepartureResolver } from './subscriptions/departures.graphql.ts';
import { IntentResolver } from './subscriptions/intents.graphql.ts';
import { findIntent } from './subscriptions/intents.ts';
import {
  CustomerSubscriptionsResolver,
  HistoryResolver,
  SubscriptionResolver,
} from './subscriptions/subscriptions.graphql.ts';
import { findSubscription } from './subscriptions/subscriptions.ts';
import { TenantResolver } from './tenants/tenants.graphql.ts';
import { TraceResolver } from './traces/traces.graphql.ts';
import { findTrace } from './traces/traces.ts';
import { schemaOf } from './graphql/schema.ts';
import { createApollo } from './http/graphql.ts';
import { createServer } from './http/server.ts';
import { sandbox } from './payments/sandbox.ts';
import { createIds, type RandomBytes } from './ids.ts';
import type { Service } from './tenants/tenants.ts';

/** The GraphQL schema of the whole service. */
export const schema = schemaOf([
  TenantResolver,
  CustomerResolver,
  CustomerSubscriptionsResolver,
  GroupResolver,
  ProductResolver,
  ProductGroupResolver,
  PriceResolver,
  PriceProductResolver,
  IntentResolver,
  SubscriptionResolver,
  HistoryResolver,
  DepartureResolver,
  InvoiceResolver,
  InvoiceLineResolver,
  TraceResolver,
  nodeResolverOf({
    Customer: ({ read }, id) => customerOf(read, id),
    Group: ({ read }, id) => findGroup(read, id),
    Product: ({ read }, id) => findProduct(read, id),
    Price: ({ read }, id) => findPrice(read, undefined, id),
    SubscriptionIntent: (tenant, id) => findIntent(tenant.read, id, tenant.now()),
    Subscription: ({ read }, id) => findSubscription(read, id),
    Invoice: ({ read }, id) => findInvoice(read, id),
    Trace: async (tenant, eventId) => ({ ...(await findTrace(tenant, { eventId })), id: eventId }),
  }),
]);

// The bundle lies as deep in the project as this file.
const migrationsFolder = fileURLToPath(new URL('../drizzle/sqlite', import.meta.url));
const explorerFolder = fileURLToPath(new URL('../dist/explorer', import.meta.url));

export interface Outside {
  clock?: Clock;
  randomBytes?: RandomBytes;
  log?: Logger;
}

/** Opens the database of the configuration; `own` where a server is to run on it. */
export function openService(config: Config, own: boolean, outside: Outside = {}): Service {
  const clock = outside.clock ?? systemClock;
  const store = opening(config, (path) =>
    openSqlite({ path, migrations: readMigrations(migrationsFolder), own }),
  );
  return { store, clock, ids: createIds(clock, outside.randomBytes ?? randomBytes), payments: sandbox };
}

/** Brings the database of the configuration to this release's tables; answers the steps that it took. */
export function migrateDatabase(config: Config): string[] {
  return opening(config, (path) => migrateFile(path, readMigrations(migrationsFolder)));
}

/** Names the database in what the driver says when it cannot be opened. */
function opening<T>({ database }: Config, open: (path: string) => T): T {
  try {
    return open(database.slice('sqlite:'.length));
  } catch (error) {
    if (!(error as { code?: string }).code) throw error;
    throw new Error(`Cannot open ${database}: ${(error as Error).message}.`, { cause: error });
  }
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
  const server = createServer({ config, service, schema, apollo, log, explorerFolder });
  const close = async () => {
    await server.close();
    await apollo.stop();
    await service.store.close();
  };
  return { service, server, close };
}

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import { systemClock, type Clock } from './clock.ts';
import type { Config } from './config.ts';
import { migrateStore, openStore } from './db/open.ts';
import { createApollo } from './http/graphql.ts';
import { schema } from './schema.ts';
import { createServer } from './http/server.ts';
import type { PaymentProvider } from './payments/provider.ts';
import { sandbox } from './payments/sandbox.ts';
import { createStripe } from './payments/stripe.ts';
import { createIds, type RandomBytes } from './ids.ts';
import type { Service } from './tenants/tenants.ts';
import { startUpkeep } from './upkeep.ts';

// The bundle lies as deep in the project as this file.
const migrationsFolder = fileURLToPath(new URL('../drizzle', import.meta.url));
const explorerFolder = fileURLToPath(new URL('../dist/explorer', import.meta.url));

export interface Outside {
  clock?: Clock;
  randomBytes?: RandomBytes;
  log?: Logger;
  /** Whether what falls due is performed of its own accord; it is unless this is false. */
  upkeep?: boolean;
}

/** Opens the database of the configuration; `own` where a server is to run on it. */
export async function openService(config: Config, own: boolean, outside: Outside = {}): Promise<Service> {
  const clock = outside.clock ?? systemClock;
  return {
    store: await openStore(config, migrationsFolder, own, clock),
    clock,
    ids: createIds(clock, outside.randomBytes ?? randomBytes),
    payments: { standard: standardProvider(config, clock) },
  };
}

function standardProvider(config: Config, clock: Clock): PaymentProvider {
  if (config.payments === 'sandbox') return sandbox;
  return createStripe({
    secretKey: config.stripeSecretKey!,
    webhookSecret: config.stripeWebhookSecret!,
    url: config.stripeUrl,
    publicUrl: config.publicUrl,
    clock,
  });
}

/** Brings the database of the configuration to this release's tables; answers the steps that it took. */
export const migrateDatabase = (config: Config): Promise<string[]> => migrateStore(config, migrationsFolder);

export interface App {
  service: Service;
  server: FastifyInstance;
  close(): Promise<void>;
}

/** Puts the parts together; the server answers `inject` at once and a port when told to listen. */
export async function createApp(config: Config, outside: Outside = {}): Promise<App> {
  const log = outside.log ?? pino({ level: config.logLevel });
  const service = await openService(config, true, outside);
  const apollo = createApollo(schema, log);
  await apollo.start();
  const server = createServer({ config, service, schema, apollo, log, explorerFolder });
  const upkeep = outside.upkeep === false ? undefined : startUpkeep(service, log);
  const close = async () => {
    await Promise.all([server.close(), upkeep?.stop()]);
    await apollo.stop();
    await service.store.close();
  };
  return { service, server, close };
}

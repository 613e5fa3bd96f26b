import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import { assetPath } from '../lib/assets.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { baseUrl, type Config } from '../config/config.ts';
import { getMailDomain } from '../lib/mailAddress.ts';
import { findKeyFile, openStore } from '../storage/open.ts';
import type { ScratchOptions } from '../storage/sqlite/connections.ts';
import { createOperations } from '../graphql/operation.ts';
import { startApollo } from '../http/graphql.ts';
import { Context } from '../graphql/context.ts';
import { createStoredQueries } from '../graphql/storedQueries.ts';
import { createEventSchema, executedSchema, schema } from './schema.ts';
import type { Metrics } from '../http/metrics.ts';
import { createServer } from '../http/server.ts';
import { serveCheckout } from '../pages/checkout/routes.ts';
import { serveDocuments } from '../pages/documents/routes.ts';
import { servePortal } from '../pages/portal/routes.ts';
import { servePageAssets } from '../pages/shared/assets.ts';
import { serveMcp } from '../mcp/routes.ts';
import { watchConnections } from '../http/shutdown.ts';
import { defaultTiming, type Timing } from '../http/timeouts.ts';
import { createEInvoiceSender } from '../outgoing/eInvoices/dispatcher.ts';
import { createMailer } from '../outgoing/mails/dispatcher.ts';
import { createServers } from '../outgoing/mails/servers.ts';
import { readAddresses, readServerAccount } from '../config/providerSettings.ts';
import { createProviderOpener } from '../providers/account.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import { chargingProviders } from '../providers/list.ts';
import { createPortalLink } from '../access/portal/sessions.ts';
import { startIndexer } from '../insights/search/indexer.ts';
import { findIds } from '../insights/search/search.ts';
import { mapMaybe } from '../lib/maybePromise.ts';
import { recordRevenue } from '../insights/revenue/recorder.ts';
import { recordTaxSums } from '../insights/tax/recordTaxSums.ts';
import type { Store } from '../storage/store.ts';
import { createAccountProviders } from '../tenants/accountProviders.ts';
import { readPublicUrl } from '../tenancy/serverSettings.ts';
import type { RateSourceSettings } from '../providers/ecb.ts';
import type { ViesSettings } from '../providers/vies.ts';
import { createIds, type RandomBytes } from '../lib/ids.ts';
import { PasswordHasher, standardScryptCost, type ScryptCost } from '../lib/passwords.ts';
import { redactKeys } from '../lib/redaction.ts';
import { Attempts } from '../runtime/attempts.ts';
import { createDocumentRenderer } from '../documents/render.ts';
import { SharedSources } from '../runtime/sharedSources.ts';
import { createTerms } from '../tenancy/terms.ts';
import { createGatherings } from '../runtime/gatherings.ts';
import { createTurns } from '../runtime/turns.ts';
import type { Mailer, WebhookDispatcher, Service } from '../tenancy/service.ts';
import { createNotifier } from '../tenancy/traces/notifier.ts';
import { releaseAllInterrupted } from '../tenancy/idempotencyPurge.ts';
import { createSecretBox } from '../lib/secretBox.ts';
import { createSigningKeys } from '../lib/signingKeys.ts';
import { startScheduler } from './scheduler.ts';
import { loadTrustedDocuments } from './trustedDocuments.ts';
import { loadVatRates } from './vatRates.ts';
import { version } from '../lib/version.ts';
import { createDispatcher } from '../outgoing/webhooks/dispatcher.ts';
import { currentEventShape } from '../outgoing/webhooks/endpoints.ts';
import { createPost, type PostParts } from '../outgoing/webhooks/httpClient.ts';

/** How long a change of a subscription waits for the one before it. */
const longestChangeMs = 15_000;

export interface AppOptions extends ScratchOptions {
  clock?: Clock;
  randomBytes?: RandomBytes;
  log?: Logger;
  /** The cost of password hashes. */
  passwordCost?: ScryptCost;
  timing?: Partial<Timing>;
  /** The time by which requests are limited. Default: `performance.now`. */
  monotonicMs?: () => number;
  /** Options of the HTTP client for webhooks: name resolution and timeouts. */
  webhooks?: Pick<PostParts, 'lookup' | 'lookupStepMs' | 'refusedForMs' | 'timeoutMs'>;
  /** Options of the client of VIES. */
  vies?: Pick<ViesSettings, 'timeoutMs' | 'firstPauseMs' | 'cachedForMs'>;
  /** Options of the client of the European Central Bank. */
  rates?: Pick<RateSourceSettings, 'timeoutMs'>;
  /** The payment providers that the configuration may name. */
  providers?: readonly ProviderDescriptor[];
  /** Whether scheduled work runs automatically. Default: true. */
  scheduler?: boolean;
}

/** Opens the database of a configuration, and creates it if necessary. `own`: whether a server runs on it. */
export async function openService(config: Config, own: boolean, options: AppOptions = {}): Promise<Service> {
  const { clock = systemClock, isScratch } = options;
  const rates = await loadVatRates(config, clock);
  const store = await openStore({ ...config, isScratch }, assetPath('drizzle'), own, clock);
  return { ...(await buildService(store, config, options)), ...rates };
}

/** What a command beside the server is run with. */
export interface CommandService {
  service: Service;
  /** The address at which browsers reach the server. */
  publicUrl: string;
}

/**
 * Opens the database of a configuration for a command. Unless the configuration has a public URL, links have the one that
 * the server recorded: the user of the command may not read the settings of the service. Throws an Error if there is no
 * database, unless `mayCreate` is given. `own`: whether no server may be running on it.
 */
export async function openCommandService(
  config: Config,
  { own = false, mayCreate = false } = {},
): Promise<CommandService> {
  const store = await openStore({ ...config, mustExist: !mayCreate }, assetPath('drizzle'), own, systemClock);
  const isUnset = config.publicUrl === baseUrl(config);
  const publicUrl = (isUnset && (await readPublicUrl(store))) || config.publicUrl;
  return { service: await buildService(store, { ...config, publicUrl }, {}), publicUrl };
}

async function buildService(store: Store, config: Config, options: AppOptions): Promise<Service> {
  const { clock = systemClock, randomBytes: random = randomBytes } = options;
  const secretBox = createSecretBox({
    key: config.secretKey,
    keyFile: findKeyFile(config.database),
    randomBytes: random,
  });
  return {
    store,
    clock,
    randomBytes: random,
    apiKeyCache: new Map(),
    apiKeyUses: new Map(),
    underWay: new Set(),
    attempts: new Attempts(),
    changeTurns: createTurns(longestChangeMs),
    usageGatherings: createGatherings(),
    terms: createTerms(() => performance.now()),
    ids: createIds(clock, random),
    notifier: createNotifier(),
    search: { findIds },
    writtenTenants: new Set(),
    sharedTraces: new SharedSources(),
    payments: await openProviders(config, clock, options.providers ?? chargingProviders),
    secretBox,
    signingKeys: createSigningKeys(secretBox),
    dispatcher: buildDispatcher(config, options),
    mailer: buildMailer(config, random),
    eInvoices: createEInvoiceSender({
      randomBytes: random,
      post: createPost({ ...options.webhooks, mayCallPrivate: config.webhookAllowPrivate }),
    }),
    passwords: new PasswordHasher(options.passwordCost ?? standardScryptCost, random),
    documentRenderer: createDocumentRenderer(),
    revenue: { record: (unit) => mapMaybe(recordRevenue(unit), () => recordTaxSums(unit)) },
    ...(await createVatRegister(config, clock, options)),
    ...(await openRateSource(config, clock, options)),
  };
}

function buildMailer(config: Config, random: RandomBytes): Mailer {
  const { smtpUrl: address, mailFrom: sender, publicUrl, webhookAllowPrivate: mayBePrivate } = config;
  const { testMails: keepsTestMails } = config;
  const standard = address && sender ? { address, sender } : null;
  const { hostname } = new URL(publicUrl);
  return createMailer({
    hasServer: standard !== null,
    keepsTestMails,
    domain: sender ? getMailDomain(sender.address) : hostname,
    randomBytes: random,
    createPortalLink: (tenant, customerId, flow) => createPortalLink(tenant, publicUrl, customerId, flow),
    servers: createServers({
      standard,
      name: hostname,
      mayBePrivate,
    }),
  });
}

function buildDispatcher(config: Config, options: AppOptions): WebhookDispatcher {
  const random = options.randomBytes ?? randomBytes;
  // Created on first use: most tenants have no payload queries.
  const made = new Map<number | null, ReturnType<typeof createStoredQueries>>();
  const getStoredQueries = (shape: number | null) => {
    const known = made.get(shape);
    if (known) return known;
    const limits = { introspection: false, jit: false, maxCost: config.graphqlCost };
    const operations = createOperations(createEventSchema(shape), limits);
    const queries = createStoredQueries(operations, config.maxResponseBytes);
    made.set(shape, queries);
    return queries;
  };
  const { webhookAllowPrivate: mayCallPrivate, publicUrl } = config;
  return createDispatcher({
    mayCallPrivate,
    randomBytes: random,
    post: createPost({ ...options.webhooks, mayCallPrivate }),
    findQueryProblem: (query) => getStoredQueries(currentEventShape).findProblem(query),
    render: (tenant, { query, shape }, trace) =>
      getStoredQueries(shape).run(query, trace, new Context(tenant, publicUrl)),
  });
}

/** Creates the client of VIES if its URL is configured. */
async function createVatRegister(
  { viesUrl: url }: Config,
  clock: Clock,
  options: AppOptions,
): Promise<Pick<Service, 'vatRegister'>> {
  if (url === undefined) return {};
  // Loaded only if configured, because it takes time.
  const { createVies } = await import('../providers/vies.ts');
  return { vatRegister: createVies({ ...options.vies, url, clock }) };
}

/** Creates the client of the European Central Bank if its URL is configured. */
async function openRateSource(
  { exchangeRatesUrl: url }: Config,
  clock: Clock,
  options: AppOptions,
): Promise<Pick<Service, 'rateSource'>> {
  if (url === undefined) return {};
  const { createRateSource } = await import('../providers/ecb.ts');
  return { rateSource: createRateSource({ ...options.rates, url, clock }) };
}

/** Opens the server's own accounts at payment providers. */
async function openProviders(
  config: Config,
  clock: Clock,
  descriptors: readonly ProviderDescriptor[],
): Promise<Service['payments']> {
  const addresses = Object.fromEntries(descriptors.map((each) => [each.name, readAddresses(config, each)]));
  const open = createProviderOpener({ descriptors, addresses, publicUrl: config.publicUrl, clock });
  const accounts = config.payments.map((provider) =>
    readServerAccount(
      config,
      descriptors.find(({ name }) => name === provider)!,
    ),
  );
  return { charging: await Promise.all(accounts.map(open)), ofTenants: createAccountProviders(open) };
}

export interface App {
  service: Service;
  server: FastifyInstance;
  /** Present if configured. */
  metrics?: Metrics;
  /** Reports the server as not ready; requests are still served. */
  retire(): void;
  /** Stops accepting connections and serves the open ones until they close, for at most `graceMs`. */
  stopListening(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Removes API keys from logged errors, which may contain input of clients. */
const redactKeysInLog = (log: Logger): Logger => log.child({}, { serializers: { err: redactError } });

function redactError(error: Error): object {
  const serialized: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
  for (const [name, value] of Object.entries(serialized)) {
    if (typeof value === 'string') serialized[name] = redactKeys(value);
  }
  return serialized;
}

/** Creates the metrics and telemetry, which are loaded only if configured. */
async function createObservers(config: Config, service: Service, log: Logger) {
  const { metricsPort, otlpEndpoint: endpoint, otlpHeaders: headers } = config;
  const metrics =
    metricsPort === undefined ? undefined : (await import('../http/metrics.ts')).createMetrics(service);
  const telemetry =
    endpoint === undefined
      ? undefined
      : (await import('../http/telemetry.ts')).createTelemetry({
          endpoint,
          headers,
          version,
          clock: service.clock,
          randomBytes,
          log,
        });
  return { metrics, telemetry };
}

/** Starts what works beside the requests: renewals, deliveries and the index of the search. Returns the function that ends it. */
function startWorkers(service: Service, log: Logger, stopMs: number): () => Promise<unknown> {
  const workers = [
    startScheduler(service, log, stopMs),
    service.dispatcher.start(service, log),
    service.mailer.start(service, log),
    service.eInvoices.start(service, log),
    startIndexer(service, log),
  ];
  return () => Promise.all(workers.map((worker) => worker.stop(stopMs)));
}

/** Creates the application. The server can handle `inject` at once; it does not listen yet. */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = redactKeysInLog(options.log ?? pino({ level: config.logLevel }));
  const { introspection, graphqlJit: jit, graphqlCost: maxCost } = config;
  const operations = createOperations(executedSchema, { introspection, jit, maxCost });
  const documents = loadTrustedDocuments(config, operations);
  const service = await openService(config, true, options);
  await releaseAllInterrupted(service);
  const timing = { ...defaultTiming, ...options.timing };
  const apollo = await startApollo(executedSchema, schema, log, operations, config.maxResponseBytes);
  const { metrics, telemetry } = await createObservers(config, service, log);
  const observers = [metrics, telemetry].flatMap((observer) => (observer ? [observer.observe] : []));
  const state = { retiring: false, acceptsConnections: true };
  const retire = () => {
    state.retiring = true;
  };
  const docsFolder = assetPath('dist/docs');
  const server = createServer({
    config,
    service,
    schema,
    apollo,
    documents,
    timing,
    monotonicMs: options.monotonicMs,
    state,
    log,
    servePages: (pages, deps) => {
      servePageAssets(pages, deps);
      serveCheckout(pages, deps);
      serveDocuments(pages, deps);
      servePortal(pages, deps);
    },
    serveAgents: (agents, deps) =>
      serveMcp(agents, { ...deps, apollo, schema, documents, docsFolder, publicUrl: config.publicUrl }),
    observers,
    explorerFolder: assetPath('dist/explorer'),
    consoleFolder: assetPath('dist/console'),
    docsFolder,
  });
  const connections = watchConnections(server.server);
  const stopListening = (graceMs: number) => {
    state.acceptsConnections = false;
    return connections.stopListening(graceMs);
  };
  const stopWorkers = options.scheduler === false ? undefined : startWorkers(service, log, timing.stopMs);
  const close = async () => {
    // A request in transit has arrived by then.
    const unused = setTimeout(() => connections.closeUnused(), 1_000);
    await Promise.all([server.close(), stopWorkers?.()]).finally(() => clearTimeout(unused));
    // Releases requests whose clients were disconnected: a repeat can run on another server, and none of their
    // units of work commits here.
    await Promise.allSettled([...service.underWay].map((release) => release()));
    await Promise.all([
      apollo.stop(),
      metrics?.close(),
      telemetry?.close(),
      service.documentRenderer.close(),
    ]);
    await service.store.close();
  };
  return { service, server, metrics, retire, stopListening, close };
}

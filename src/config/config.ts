import type { Mailbox } from '../lib/mailAddress.ts';
import { redactPassword } from '../lib/postgresAddress.ts';
import type { Secret, Setting } from '../lib/settingSchemas.ts';
import type { SmtpAddress } from '../lib/smtpAddress.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import { chargingProviders, type ChargingProvider } from '../providers/list.ts';
import type { ProviderSetting } from './providerSettings.ts';
import {
  declareSecrets,
  declareSettings,
  type logFormats,
  type logLevels,
  type SecretName,
  type SettingName,
  clientVariables,
} from './settings.ts';

/**
 * All settings, validated once; each is a flag of `serve` or an environment variable. The secrets of the providers in
 * `payments` are set.
 */
export interface Config extends Partial<Record<ProviderSetting, string>> {
  host: string;
  port: number;
  /** `sqlite:` and the path of a file, or `postgres://…`. */
  database: string;
  /** The address for PostgreSQL reads that may be slightly stale. */
  databaseReplica?: string;
  /** The number of connections to each PostgreSQL server. */
  databaseConnections: number;
  logLevel: (typeof logLevels)[number];
  /** The log format: `text` for people, `json`, or `auto` for the one that suits the output. */
  logFormat: (typeof logFormats)[number];
  /** The address at which browsers reach this server, without a trailing slash; payment pages link to it. */
  publicUrl: string;
  /** Requests per second and key; bursts may be ten times that. */
  rateLimitPerSecond: number;
  /** The highest cost of a GraphQL operation. */
  graphqlCost: number;
  /** The points for the cost of operations that a key is given each second; it saves those of ten seconds. */
  graphqlCostPerSecond: number;
  /** Whether GraphQL operations are compiled if that gives the same results. */
  graphqlJit: boolean;
  /** The maximum size of a response. */
  maxResponseBytes: number;
  /** Whether GraphQL introspection is enabled. */
  introspection: boolean;
  /** The files with the GraphQL documents of the host's own applications. */
  trustedDocuments?: string[];
  /** Whether GraphQL requests may send only documents that the server knows. */
  trustedDocumentsOnly: boolean;
  /** The number of reverse proxies in front of the server; the client's address is taken from the headers they add. */
  trustProxy: number;
  /** The header in which the proxy reports the country of an IP address, in lower case; undefined for none. */
  countryHeader?: string;
  /** The identity provider at which operators can sign in; set with `oidcClientId`. */
  oidcIssuer?: string;
  oidcClientId?: string;
  /** Absent for a public client. */
  oidcClientSecret?: string;
  /** Whether `/graphql` shows a browser the explorer. */
  explorer: boolean;
  /** Whether `/console` serves the console. */
  console: boolean;
  /** Whether `/docs` serves the documentation. */
  docs: boolean;
  /** Whether `/mcp` serves the tools of agents. */
  mcp: boolean;
  /** Whether webhooks may call private network addresses. */
  webhookAllowPrivate: boolean;
  /** The key that encrypts webhook secrets: 32 bytes in base64. */
  secretKey?: string;
  /** The port for Prometheus metrics, on the loopback address only. */
  metricsPort?: number;
  /** The OpenTelemetry collector that receives spans. */
  otlpEndpoint?: string;
  /** Headers for the collector: `name=value,…`. */
  otlpHeaders?: string;
  /** The payment providers of the server, in the order in which they are offered. */
  payments: ChargingProvider[];
  /** The base URL of VIES; undefined if VAT ids are not checked. */
  viesUrl?: string;
  /** Where the exchange rates of the European Central Bank are fetched from; undefined if they are not. */
  exchangeRatesUrl?: string;
  /** The file with the standard VAT rates that the server stores; undefined for none. */
  vatRates?: string;
  /** Whether the mails of test tenants without a test recipient are kept instead of sent. */
  testMails: boolean;
  /** The mail server; absent if mails are not sent, or only by tenants with their own server. */
  smtpUrl?: SmtpAddress;
  /** The sender of mails; set with `smtpUrl`. */
  mailFrom?: Mailbox;
}

/** The points for the cost of GraphQL operations that each request of the rate limit adds, unless they are set. */
const pointsPerRequest = 100;

/**
 * Reads and validates the configuration from flags, which take precedence, and the environment. Throws an Error that
 * names the first invalid setting by its variable or flag, and never shows a secret.
 */
export function readConfig(
  flags: Partial<Record<SettingName | SecretName, string>>,
  environment: Record<string, string | undefined>,
  providers: readonly ProviderDescriptor[] = chargingProviders,
): Config {
  const [settings, secrets] = [declareSettings(providers), declareSecrets(providers)];
  const known = new Set<string>(Object.values({ ...settings, ...secrets }).map(({ variable }) => variable));
  // Commands that connect to a server run in the same surroundings.
  for (const variable of Object.values(clientVariables)) known.add(variable);
  const unknown = Object.keys(environment).find((name) => name.startsWith('PERENNIAL_') && !known.has(name));
  if (unknown) throw new Error(`${unknown} is not a setting.`);
  const config: Record<string, unknown> = {};
  for (const [name, { flag, variable, schema, default: standard }] of Object.entries<Setting>(settings)) {
    const flagged = flags[name as SettingName];
    const given = flagged ?? environment[variable] ?? standard;
    if (given === undefined) continue;
    const read = schema.safeParse(given);
    if (!read.success) {
      const source = flagged === undefined ? variable : flag.split(' ')[0];
      const shown = JSON.stringify(redactPassword(given));
      throw new Error(`${source} is invalid: ${shown} ${read.error.issues[0]!.message}.`);
    }
    config[name] = read.data;
  }
  for (const [name, { variable, schema, neededFor }] of Object.entries<Secret>(secrets)) {
    const given = flags[name as SecretName] ?? environment[variable];
    const isNeeded = neededFor !== undefined && (config['payments'] as string[]).includes(neededFor);
    if (given === undefined && !isNeeded) continue;
    const read = schema.safeParse(given ?? '');
    if (!read.success) throw new Error(`${variable} is invalid: ${read.error.issues[0]!.message}.`);
    config[name] = read.data;
  }
  if (config['smtpUrl'] && !config['mailFrom'])
    throw new Error('PERENNIAL_SMTP_URL needs PERENNIAL_MAIL_FROM, the sender of mails.');
  if ((config['oidcIssuer'] === undefined) !== (config['oidcClientId'] === undefined))
    throw new Error('PERENNIAL_OIDC_ISSUER and PERENNIAL_OIDC_CLIENT_ID need each other.');
  // GraphiQL sends documents that people write.
  if (config['trustedDocumentsOnly']) config['explorer'] = false;
  config['graphqlCostPerSecond'] ??= (config['rateLimitPerSecond'] as number) * pointsPerRequest;
  config['publicUrl'] ??= baseUrl(config as unknown as Config);
  return config as unknown as Config;
}

/** Hosts at which browsers on this machine reach a server as `localhost`; they have no session in common with it. */
const localHosts = new Set(['0.0.0.0', '::', '127.0.0.1', '::1']);

/** Returns the address at which a browser on this machine reaches a server that listens on `host` and `port`. */
export const baseUrl = ({ host, port }: Pick<Config, 'host' | 'port'>): string =>
  formatUrl(localHosts.has(host) ? 'localhost' : host, port);

/** Returns the URL of a host, which may be an address of IPv6, and a port. */
export const formatUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

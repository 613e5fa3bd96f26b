import { withoutPassword } from './postgresAddress.ts';
import {
  secrets,
  settings,
  type logFormats,
  type logLevels,
  type SecretName,
  type SettingName,
} from './settings.ts';

/** Everything that can be set, checked once; each is a flag of `serve` or a variable of the environment. */
export interface Config {
  host: string;
  port: number;
  /** `sqlite:` and the path of a file, or `postgres://…`. */
  database: string;
  /** Where PostgreSQL reads go that may be a moment old. */
  databaseReplica?: string;
  /** How many connections to each PostgreSQL server. */
  databaseConnections: number;
  logLevel: (typeof logLevels)[number];
  /** How the log is written: `text` for people, `json`, or what suits where it goes. */
  logFormat: (typeof logFormats)[number];
  /** Where browsers reach this server, without a slash at the end: payment pages link to it. */
  publicUrl: string;
  /** Requests per second and key; bursts may be ten times that. */
  rateLimitPerSecond: number;
  /** How much work a GraphQL operation may ask for. */
  graphqlCost: number;
  /** Whether GraphQL operations are compiled where that gives the same results. */
  graphqlJit: boolean;
  /** How large an answer may be. */
  maxResponseBytes: number;
  /** Whether GraphQL tells its schema. */
  introspection: boolean;
  /** How many reverse proxies stand before the server: the last of them says whose address a request has. */
  trustProxy: number;
  /** Whether `/graphql` shows a browser the explorer. */
  explorer: boolean;
  /** Whether webhooks may call addresses inside of the host's network. */
  webhookAllowPrivate: boolean;
  /** What seals the secrets of webhooks: 32 bytes in base64. */
  secretKey?: string;
  /** Where Prometheus reads metrics, on the loopback address alone. */
  metricsPort?: number;
  /** The collector of OpenTelemetry that spans are sent to. */
  otlpEndpoint?: string;
  /** Headers for it: `name=value,…`. */
  otlpHeaders?: string;
  /** The provider that moves money for live tenants, where there is one. */
  payments: 'none' | 'stripe';
  stripeUrl: string;
  /** There where `payments` is `stripe`. */
  stripeSecretKey?: string;
  stripeWebhookSecret?: string;
}

/**
 * The one checked configuration from flags (which win) and the environment.
 * Throws an Error that names the first wrong setting by the variable or flag it came from, never a secret.
 */
export function readConfig(
  flags: Partial<Record<SettingName | SecretName, string>>,
  environment: Record<string, string | undefined>,
): Config {
  const known = new Set<string>(Object.values({ ...settings, ...secrets }).map(({ variable }) => variable));
  const unknown = Object.keys(environment).find((name) => name.startsWith('PERENNIAL_') && !known.has(name));
  if (unknown) throw new Error(`${unknown} is not a setting.`);
  const config: Record<string, unknown> = {};
  for (const [name, { flag, variable, schema, default: standard }] of Object.entries(settings)) {
    const flagged = flags[name as SettingName];
    const given = flagged ?? environment[variable] ?? standard;
    if (given === undefined) continue;
    const read = schema.safeParse(given);
    if (!read.success) {
      const source = flagged === undefined ? variable : flag.split(' ')[0];
      const shown = JSON.stringify(withoutPassword(given));
      throw new Error(`${source} is invalid: ${shown} ${read.error.issues[0]!.message}.`);
    }
    config[name] = read.data;
  }
  for (const [name, { variable, schema, neededFor }] of Object.entries(secrets)) {
    const given = flags[name as SecretName] ?? environment[variable];
    if (given === undefined && config['payments'] !== neededFor) continue;
    const read = schema.safeParse(given ?? '');
    if (!read.success) throw new Error(`${variable} is invalid: ${read.error.issues[0]!.message}.`);
    config[name] = read.data;
  }
  config['publicUrl'] ??= baseUrl(config as unknown as Config);
  return config as unknown as Config;
}

const everywhere = new Set(['0.0.0.0', '::']);

/** Where a browser on this machine reaches a server that listens on `host` and `port`. */
export function baseUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const name = everywhere.has(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

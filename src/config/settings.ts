import * as z from 'zod';
import {
  database,
  enumSetting,
  fileList,
  headerName,
  issuer,
  mailbox,
  notEmpty,
  onOff,
  providerList,
  server,
  smtpAddress,
  webAddress,
  wholeNumber,
  type Secret,
  type Setting,
} from '../lib/settingSchemas.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import { chargingProviders } from '../providers/list.ts';
import { declareProviderSecrets, declareProviderSettings, type ProviderSetting } from './providerSettings.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const logFormats = ['auto', 'text', 'json'] as const;

/** The variables of commands that connect to a server: its base URL, and a key. */
export const clientVariables = { url: 'PERENNIAL_URL', apiKey: 'PERENNIAL_API_KEY' } as const;

/** A setting that is on unless it is switched off. */
const declareSwitch = (name: 'introspection' | 'explorer' | 'console' | 'docs' | 'mcp', help: string) => ({
  flag: `--${name} <on|off>`,
  variable: `PERENNIAL_${name.toUpperCase()}`,
  schema: onOff,
  default: 'on',
  help,
});

const general = {
  host: {
    flag: '--host <address>',
    variable: 'PERENNIAL_HOST',
    schema: notEmpty,
    default: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 for all',
  },
  port: {
    flag: '--port <number>',
    variable: 'PERENNIAL_PORT',
    schema: wholeNumber(0, 65_535),
    default: '4000',
    help: 'port to listen on; 0 for any free one',
  },
  database: {
    flag: '--database <url>',
    variable: 'PERENNIAL_DATABASE',
    schema: database,
    default: 'sqlite:data/perennial.db',
    help: 'database URL: sqlite: and a path, or postgres://… (several hosts separated by commas)',
  },
  databaseReplica: {
    flag: '--database-replica <url>',
    variable: 'PERENNIAL_DATABASE_REPLICA',
    schema: server,
    default: undefined,
    help: 'PostgreSQL replica for reads that may lag by a moment',
  },
  databaseConnections: {
    flag: '--database-connections <number>',
    variable: 'PERENNIAL_DATABASE_CONNECTIONS',
    schema: wholeNumber(2, 1000),
    default: '10',
    help: 'connections to each PostgreSQL server',
  },
  logLevel: {
    flag: '--log-level <level>',
    variable: 'PERENNIAL_LOG_LEVEL',
    schema: enumSetting(logLevels),
    default: 'info',
    help: `lowest level to log: ${logLevels.join(', ')}`,
  },
  logFormat: {
    flag: '--log-format <format>',
    variable: 'PERENNIAL_LOG_FORMAT',
    schema: enumSetting(logFormats),
    default: 'auto',
    help: 'log format: text, json, or auto (text on a terminal, JSON elsewhere)',
  },
  publicUrl: {
    flag: '--public-url <url>',
    variable: 'PERENNIAL_PUBLIC_URL',
    schema: webAddress,
    default: undefined,
    help: 'address at which browsers reach this server; default http://host:port',
  },
  rateLimitPerSecond: {
    flag: '--rate-limit <number>',
    variable: 'PERENNIAL_RATE_LIMIT',
    schema: wholeNumber(1, 1_000_000),
    default: '500',
    help: 'requests per second and key, counted over ten seconds',
  },
  graphqlCost: {
    flag: '--graphql-cost <number>',
    variable: 'PERENNIAL_GRAPHQL_COST',
    schema: wholeNumber(1, 100_000_000),
    default: '20000',
    help: 'highest cost of a GraphQL operation',
  },
  graphqlCostPerSecond: {
    flag: '--graphql-cost-rate <number>',
    variable: 'PERENNIAL_GRAPHQL_COST_RATE',
    schema: wholeNumber(1, 100_000_000),
    default: undefined,
    help: 'cost of GraphQL operations per second and key, saved over ten seconds; default 100 times --rate-limit',
  },
  graphqlJit: {
    flag: '--graphql-jit <on|off>',
    variable: 'PERENNIAL_GRAPHQL_JIT',
    schema: onOff,
    default: 'on',
    help: 'whether GraphQL operations that repeat, and the documents of REST, are compiled to functions',
  },
  maxResponseBytes: {
    flag: '--max-response-bytes <number>',
    variable: 'PERENNIAL_MAX_RESPONSE_BYTES',
    schema: wholeNumber(65_536, 999_999_999),
    default: '4194304',
    help: 'largest response in bytes; larger ones are refused',
  },
  introspection: declareSwitch(
    'introspection',
    'whether GraphQL introspection is allowed; the explorer needs it',
  ),
  trustedDocuments: {
    flag: '--trusted-documents <files>',
    variable: 'PERENNIAL_TRUSTED_DOCUMENTS',
    schema: fileList,
    default: undefined,
    help: 'JSON files with the GraphQL documents of your applications, by their SHA-256, separated by commas; no default',
  },
  trustedDocumentsOnly: {
    flag: '--trusted-documents-only <on|off>',
    variable: 'PERENNIAL_TRUSTED_DOCUMENTS_ONLY',
    schema: onOff,
    default: 'off',
    help: 'whether only documents of --trusted-documents and of the console are executed; GraphiQL does not work then',
  },
  countryHeader: {
    flag: '--country-header <name>',
    variable: 'PERENNIAL_COUNTRY_HEADER',
    schema: headerName,
    default: undefined,
    help: 'header in which your proxy reports the country of an IP address, such as CF-IPCountry; no default',
  },
  trustProxy: {
    flag: '--trust-proxy <number>',
    variable: 'PERENNIAL_TRUST_PROXY',
    schema: wholeNumber(0, 10),
    default: '0',
    help: 'number of reverse proxies that add to X-Forwarded-For',
  },
  oidcIssuer: {
    flag: '--oidc-issuer <url>',
    variable: 'PERENNIAL_OIDC_ISSUER',
    schema: issuer,
    default: undefined,
    help: 'OpenID Connect identity provider at which operators of the console can sign in',
  },
  oidcClientId: {
    flag: '--oidc-client-id <id>',
    variable: 'PERENNIAL_OIDC_CLIENT_ID',
    schema: notEmpty,
    default: undefined,
    help: 'client id of this server at the identity provider',
  },
  explorer: declareSwitch('explorer', 'whether /graphql shows GraphiQL in a browser'),
  console: declareSwitch('console', 'whether /console serves the console'),
  docs: declareSwitch('docs', 'whether /docs serves the documentation'),
  mcp: declareSwitch('mcp', 'whether /mcp serves the tools of agents'),
  webhookAllowPrivate: {
    flag: '--webhook-allow-private <on|off>',
    variable: 'PERENNIAL_WEBHOOK_ALLOW_PRIVATE',
    schema: onOff,
    default: 'off',
    help: 'whether webhooks may call private addresses',
  },
  metricsPort: {
    flag: '--metrics-port <number>',
    variable: 'PERENNIAL_METRICS_PORT',
    schema: wholeNumber(0, 65_535),
    default: undefined,
    help: 'port on 127.0.0.1 for Prometheus metrics at /metrics; no default',
  },
  otlpEndpoint: {
    flag: '--otlp-endpoint <url>',
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: webAddress,
    default: undefined,
    help: 'OpenTelemetry collector, for traces by OTLP over HTTP; no default',
  },
  testMails: {
    flag: '--test-mails <on|off>',
    variable: 'PERENNIAL_TEST_MAILS',
    schema: onOff,
    default: 'on',
    help: 'whether the mails of test tenants that have no test recipient are kept, to be read in the console',
  },
  mailFrom: {
    flag: '--mail-from <address>',
    variable: 'PERENNIAL_MAIL_FROM',
    schema: mailbox,
    default: undefined,
    help: 'sender of mails to customers, with PERENNIAL_SMTP_URL: Name <billing@example.com>; no default',
  },
  viesUrl: {
    flag: '--vies-url <url>',
    variable: 'PERENNIAL_VIES_URL',
    schema: webAddress,
    default: undefined,
    help: 'base URL of VIES, to check VAT ids: https://ec.europa.eu/taxation_customs/vies/rest-api; no default',
  },
  exchangeRatesUrl: {
    flag: '--exchange-rates-url <url>',
    variable: 'PERENNIAL_EXCHANGE_RATES_URL',
    schema: webAddress,
    default: undefined,
    help: 'exchange rates of the ECB: https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml; no default',
  },
  vatRates: {
    flag: '--vat-rates <file>',
    variable: 'PERENNIAL_VAT_RATES',
    schema: notEmpty,
    default: undefined,
    help: 'file with standard VAT rates, stored for all tenants whose rates were checked earlier; no default',
  },
} satisfies Record<string, Setting>;

const generalSecrets = {
  otlpHeaders: {
    variable: 'OTEL_EXPORTER_OTLP_HEADERS',
    schema: z
      .string()
      .regex(/^([\w.-]+=[^,\s]*)(,\s*[\w.-]+=[^,\s]*)*$/, 'must be name=value pairs separated by commas'),
  },
  smtpUrl: {
    variable: 'PERENNIAL_SMTP_URL',
    schema: smtpAddress,
  },
  oidcClientSecret: {
    variable: 'PERENNIAL_OIDC_CLIENT_SECRET',
    schema: notEmpty,
  },
  secretKey: {
    variable: 'PERENNIAL_SECRET_KEY',
    schema: z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64 (openssl rand -base64 32)'),
  },
} satisfies Record<string, Secret>;

export type SettingName = keyof typeof general | 'payments' | ProviderSetting;
export type SecretName = keyof typeof generalSecrets | ProviderSetting;

/** Declares each setting of a server that knows these payment providers. */
export function declareSettings(providers: readonly ProviderDescriptor[]): Record<SettingName, Setting> {
  const names = providers.map(({ name }) => name);
  const payments = {
    flag: '--payments <list>',
    variable: 'PERENNIAL_PAYMENTS',
    schema: providerList(names),
    default: 'none',
    help: `payment providers, separated by commas: ${names.join(', ')}; none for bank transfers only. Test tenants have the sandbox`,
  };
  return { ...general, payments, ...declareProviderSettings(providers) };
}

/** Declares each secret of a server that knows these payment providers. */
export const declareSecrets = (providers: readonly ProviderDescriptor[]): Record<SecretName, Secret> => ({
  ...generalSecrets,
  ...declareProviderSecrets(providers),
});

export const settings = declareSettings(chargingProviders);

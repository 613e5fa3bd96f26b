import { z } from 'zod';

/** Everything that can be set, checked once; each is a flag of `serve` or a variable of the environment. */
export interface Config {
  host: string;
  port: number;
  /** `sqlite:` and the path of the file. */
  database: string;
  logLevel: (typeof logLevels)[number];
  /** Where browsers reach this server: payment pages link to it. */
  publicUrl: string;
  /** Requests per second and key; bursts may be ten times that. */
  rateLimitPerSecond: number;
  /** Whether `/graphql` shows a browser the explorer. */
  explorer: boolean;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const port = z.coerce.number().int().min(0).max(65_535);
const onOff = z.enum(['on', 'off']).transform((word) => word === 'on');

/** Each setting: its variable, what it must be, and what it is unless set. */
const settings = {
  host: ['PERENNIAL_HOST', z.string().min(1), '127.0.0.1'],
  port: ['PERENNIAL_PORT', port, '4000'],
  database: [
    'PERENNIAL_DATABASE',
    z.string().regex(/^sqlite:.+/, 'must be sqlite: and a path'),
    'sqlite:data/perennial.db',
  ],
  logLevel: ['PERENNIAL_LOG_LEVEL', z.enum(logLevels), 'info'],
  publicUrl: ['PERENNIAL_PUBLIC_URL', z.url({ protocol: /^https?$/ }), undefined],
  rateLimitPerSecond: ['PERENNIAL_RATE_LIMIT', z.coerce.number().int().min(1), '500'],
  explorer: ['PERENNIAL_EXPLORER', onOff, 'on'],
} as const;

export type SettingName = keyof typeof settings;

/**
 * The one checked configuration from flags (which win) and the environment.
 * Throws an Error that names the first wrong setting and the variable or flag it came from.
 */
export function readConfig(
  flags: Partial<Record<SettingName, string>>,
  environment: Record<string, string | undefined>,
): Config {
  const known = new Set<string>(Object.values(settings).map(([variable]) => variable));
  const unknown = Object.keys(environment).find((name) => name.startsWith('PERENNIAL_') && !known.has(name));
  if (unknown) throw new Error(`${unknown} is not a setting.`);
  const config: Record<string, unknown> = {};
  for (const [name, [variable, schema, fallback]] of Object.entries(settings)) {
    const given = flags[name as SettingName] ?? environment[variable] ?? fallback;
    if (given === undefined) continue;
    const read = schema.safeParse(given);
    if (!read.success) {
      throw new Error(`${variable} is wrong: ${JSON.stringify(given)}: ${read.error.issues[0]!.message}`);
    }
    config[name] = read.data;
  }
  config['publicUrl'] ??= `http://${String(config['host'])}:${String(config['port'])}`;
  return config as unknown as Config;
}

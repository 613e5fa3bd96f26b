/** The schemas of settings: each reads text and explains what it must be. */
import * as z from 'zod';
import { parseMailbox } from './mailAddress.ts';
import { parsePostgresAddress } from './postgresAddress.ts';
import { parseSmtpAddress } from './smtpAddress.ts';

export interface Setting {
  /** With the value's name: `--port <number>`. */
  flag: string;
  variable: string;
  schema: z.ZodType<unknown, string>;
  default: string | undefined;
  help: string;
}

/** Secrets are read only from the environment, because other users can read a command line. */
export interface Secret {
  variable: string;
  schema: z.ZodType<unknown, string>;
  /** The payment provider that cannot be used without it. */
  neededFor?: string;
}

/** A whole number in a range. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`);

/** One of several words. */
export const enumSetting = <Word extends string>(words: readonly Word[]) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

// Earlier releases accepted `sandbox` for `none`: live tenants no longer have a sandbox.
const noProviders = new Set(['none', 'sandbox']);
/** Several of the payment providers with these names. */
export const providerList = <Name extends string>(providers: readonly Name[]) =>
  z.string().transform((text, context): Name[] => {
    const names = noProviders.has(text) ? [] : text.split(',').map((name) => name.trim());
    const parsed = z.array(z.enum(providers)).safeParse(names);
    if (parsed.success && new Set(names).size === names.length) return parsed.data;
    const message = `must be none, or names of ${providers.join(', ')} separated by commas, each once`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** Paths of files, separated by commas. */
export const fileList = z
  .string()
  .transform((text) => text.split(',').map((file) => file.trim()))
  .refine((files) => files.every((file) => file !== ''), 'must be paths of files, separated by commas');

/** Any text. */
/** The name of a header; Node has them in lower case. */
export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header')
  .toLowerCase();

export const notEmpty = z.string().min(1, 'must not be empty');
/** The address of a database. */
export const database = z
  .string()
  .regex(/^(sqlite:(?!:memory:$).|postgres(ql)?:\/\/.)/, 'must be sqlite: and a path, or postgres://…')
  .superRefine((address, context) => {
    if (address.startsWith('sqlite:')) return;
    const attribute = readServers(address, context)?.attribute;
    if (attribute === undefined || takingWrites.includes(attribute)) return;
    const message = `has target_session_attrs=${attribute}, which does not allow writes`;
    context.addIssue({ code: 'custom', message });
  });
/** The address of a PostgreSQL server. */
export const server = z
  .string()
  .regex(/^postgres(ql)?:\/\/./, 'must be postgres://…')
  .superRefine((address, context) => void readServers(address, context));
const takingWrites = ['any', 'read-write', 'primary'];

function readServers(address: string, context: z.RefinementCtx) {
  try {
    return parsePostgresAddress(address);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return undefined;
  }
}

/** A web address, without the slashes at its end. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((address) => address.replace(/\/+$/, ''));
/** A mail address with or without a name. */
export const mailbox = z.string().transform((text, context) => {
  const parsed = parseMailbox(text);
  if (parsed) return parsed;
  context.addIssue({ code: 'custom', message: 'must be billing@example.com or Name <billing@example.com>' });
  return z.NEVER;
});
/** The address of a mail server. */
export const smtpAddress = z.string().transform((text, context) => {
  try {
    return parseSmtpAddress(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});
/** Not shortened: the slash at its end belongs to it. */
export const scriptAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
/** On or off. */
export const onOff = enumSetting(['on', 'off']).transform((word) => word === 'on');

/** Not shortened: an identity provider's name for itself is compared as it is. */
export const issuer = scriptAddress.refine(
  (address) =>
    address.startsWith('https:') || ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname),
  'must be an https address',
);

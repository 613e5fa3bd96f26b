/** The settings of an access point, to which e-invoices are sent by HTTP. */
import * as z from 'zod';
import { mailedFormats } from '../documents/record.ts';
import { toCustomIssue } from '../lib/issueCodes.ts';
import { findUrlProblem } from '../lib/urlPolicy.ts';
import type { MailedFormat } from '../storage/model/parties.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { OpenAccount } from './providerAccounts.ts';

const longestSecret = 500;

/** Headers that the call itself sets, or that decide how it is transported. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const header = z
  .string()
  .max(64, 'must be at most 64 characters')
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of a header: letters, digits and hyphens')
  .refine(
    (name) => !ownHeaders.has(name.toLowerCase()) && !/^(?:perennial|proxy)-/i.test(name),
    'must not be a header that the call sets itself',
  );

/** Builds the schema of an access point of a tenant. */
export const buildAccessPointSchema = ({ record, dispatcher }: TenantScope) =>
  z.object({
    url: z.string().superRefine((text, context) => {
      const rules = { mayBePlain: record.test, mayBePrivate: dispatcher.mayCallPrivate };
      const problem = findUrlProblem(text, rules);
      if (problem) context.addIssue(toCustomIssue(problem));
    }),
    secret: z
      .string()
      .min(1, 'must not be empty')
      .max(longestSecret, `must be at most ${longestSecret} characters`)
      .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'must be printable ASCII, without spaces at its ends'),
    header: header.nullish().transform((name) => name ?? null),
    formats: z
      .array(z.enum(mailedFormats, `must be one of ${mailedFormats.join(', ')}`))
      .min(1, 'must be at least one')
      .transform((formats) => [...new Set(formats)]),
  });

type AccessPoint = z.output<ReturnType<typeof buildAccessPointSchema>>;

/** Fewer characters would be a large part of a short secret. */
const shortestShown = 12;

/** Splits the fields of an access point into what may be shown, and the secret. */
export const splitAccessPoint = ({
  url,
  secret,
  header: name,
  formats,
}: AccessPoint): Pick<OpenAccount, 'settings' | 'secrets'> => ({
  settings: {
    url,
    ...(name !== null && { header: name }),
    formats: formats.join(' '),
    secret: secret.length < shortestShown ? '…' : `…${secret.slice(-4)}`,
  },
  secrets: { secret },
});

/** Returns the formats that an access point takes. */
export const readFormats = (settings: Record<string, string>): MailedFormat[] =>
  (settings['formats'] ?? '').split(' ') as MailedFormat[];

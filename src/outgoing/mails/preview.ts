/** Previews and tests of mails, with invented data. */
import * as z from 'zod';
import { findCustomer } from '../../billing/customers/customers.ts';
import { findLanguage, languageNames, type Language } from '../../lib/language.ts';
import type { IssueCode } from '../../lib/issueCodes.ts';
import { isMailAddress } from '../../lib/mailAddress.ts';
import { parseInput } from '../../lib/validation.ts';
import { mailKinds, type MailKind } from '../../storage/model/mails.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { composeMail, findLogo, writeLogo, type ComposedMail } from './compose.ts';
import type { MailRow } from './outbox.ts';
import { pickQuoted } from './facts.ts';
import { buildSampleFacts } from './sample.ts';
import { parseMailDraft } from './templates.ts';

const languages = Object.keys(languageNames) as Language[];

const testMail = z.object({
  to: z
    .string()
    .trim()
    .refine(isMailAddress, {
      error: 'must be a mail address such as ada@example.com',
      params: { code: 'not_an_email' satisfies IssueCode },
    }),
  kind: z
    .enum(mailKinds)
    .nullish()
    .transform((kind) => kind ?? 'test'),
  language: z
    .enum(languages)
    .nullish()
    .transform((language) => language ?? 'en'),
});

/**
 * Composes a mail with invented data, and the names of a customer if one is given. `draft` is a text to show in place of
 * the saved one. Errors: `customer_not_found`, `validation_failed`.
 */
export async function previewMail(
  tenant: TenantScope,
  kind: MailKind,
  language: Language | null | undefined,
  customerId: string | null | undefined,
  draft: unknown,
): Promise<ComposedMail> {
  const { read } = tenant;
  const customer = customerId ? await findCustomer(read, customerId) : undefined;
  const record = (await read.one('tenants', {}))!;
  const { code, ...sample } = buildSampleFacts(tenant.now());
  const facts = {
    ...sample,
    ...(kind === 'portal_code' && { code }),
    ...(customer && { customer: pickQuoted(customer) }),
  };
  const logo = await findLogo(read, record);
  const chosen = language ?? findLanguage(customer?.locale) ?? 'en';
  const source = {
    kind,
    text: kind,
    language: chosen,
    facts,
    actionUrl: 'https://example.com/portal',
  };
  const image = logo ? writeLogo(logo) : null;
  return composeMail(read, record, source, image, draft ? parseMailDraft(kind, chosen, draft) : undefined);
}

/** Queues a mail with invented data for an address. Error: `validation_failed`. */
export async function sendTestMail(tenant: TenantScope, input: unknown): Promise<MailRow> {
  const { to, kind, language } = parseInput(testMail, input);
  const mail = { kind: 'test' as const, customerId: null, recipient: to, language, data: { text: kind } };
  return tenant.write((unit) => tenant.mailer.queue(unit, mail));
}

/** A tenant's own texts of mails. They have placeholders, but no logic. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { languageNames, type Language } from '../../lib/language.ts';
import { toHeaderText } from '../../lib/mailAddress.ts';
import { formatSuggestions } from '../../lib/suggestions.ts';
import { longText, parseInput } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { mailKinds, type MailKind } from '../../storage/model/mails.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import type { MailText } from './events.ts';
import { factNames, listPlaceholders, type FactName, type WrittenFacts } from './facts.ts';
import { mailTexts } from './texts.ts';

export type TemplateRow = Row<'mailTemplates'>;

const placeholder = /\{([a-zA-Z]+(?:\.[a-zA-Z]+)*)\}/g;
const longestSubject = 200;
const languages = Object.keys(languageNames) as Language[];

const template = z
  .object({
    kind: z.enum(mailKinds),
    language: z.enum(languages, `must be one of ${languages.join(', ')}`),
    subject: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(longestSubject, `must be at most ${longestSubject} characters`)
      .refine((text) => toHeaderText(text) === text, 'must be one line, without control characters'),
    body: longText
      .trim()
      .nullish()
      .transform((text) => text || null),
  })
  .superRefine(({ kind, subject, body }, context) => {
    const known: string[] = listPlaceholders(kind);
    for (const [field, text] of Object.entries({ subject, body })) {
      for (const name of listUnknown(text ?? '', known)) {
        const message = `has the unknown placeholder {${name}}${formatSuggestions(name, known)}`;
        context.addIssue({ code: 'custom', path: [field], message });
      }
    }
  });

const listUnknown = (text: string, known: string[]): string[] => [
  ...new Set(
    Array.from(text.matchAll(placeholder), ([, name]) => name!).filter((name) => !known.includes(name)),
  ),
];

/** The tenant's text of a mail. */
export interface MailDraft {
  subject: string;
  body: string | null;
}

/** Checks a text that is not saved. Error: `validation_failed`. */
export const parseMailDraft = (kind: MailKind, language: Language, input: unknown): MailDraft =>
  parseInput(template, { ...(input as object), kind, language });

/** Checks a text of a kind of mail in a language. Error: `validation_failed`. */
export const parseMailTemplate = (input: unknown) => parseInput(template, input);

/** Sets the tenant's text of a kind of mail in a language. Error: `validation_failed`. */
export async function updateMailTemplate(unit: UnitOfWork, input: unknown): Promise<TemplateRow> {
  const { kind, language, subject, body } = parseMailTemplate(input);
  const known = await unit.one('mailTemplates', { kind, language });
  if (known) return unit.change('mailTemplates', known, { subject, body });
  const { now: createdAt } = unit;
  const values = { kind, language, subject, body, createdAt, updatedAt: createdAt };
  return unit.create('mailTemplates', { id: unit.id('mtpl'), ...values });
}

/** Deletes the tenant's text; the standard text is used from then on. Error: `mail_template_not_found`. */
export async function deleteMailTemplate(unit: UnitOfWork, id: string): Promise<TemplateRow> {
  return unit.remove('mailTemplates', await findMailTemplate(unit, id));
}

/** Returns the template with this id. Error: `mail_template_not_found`. */
export const findMailTemplate = async (reads: Reads, id: string): Promise<TemplateRow> =>
  (await reads.one('mailTemplates', { id })) ?? refuse('mail_template_not_found');

/** Lists the tenant's templates; newest first by default. Errors: `validation_failed`, `cursor_invalid`. */
export function listMailTemplates(tenant: TenantScope, args: PageArgs): Promise<Page<TemplateRow>> {
  const list = { name: 'mailTemplates', table: 'mailTemplates' as const, where: {} };
  return readPage(tenant, { ...list, by: ['createdAt', 'id'] }, args);
}

/** The text of a mail before its facts are filled in. */
export interface MailWording {
  subject: string;
  heading: string;
  body: string;
  action: string | null;
}

/** Returns the wording of a mail: the draft or that of the tenant if there is one, otherwise the standard one. */
export async function findWording(
  reads: Reads,
  kind: MailKind,
  text: MailText,
  language: Language,
  draft?: MailDraft,
): Promise<MailWording> {
  const standard = mailTexts[language].mails[text];
  const own = draft ?? (await reads.one('mailTemplates', { kind, language }));
  return own ? { ...standard, subject: own.subject, body: own.body ?? standard.body } : standard;
}

/** Replaces the placeholders of a text; a fact that the mail does not have is a dash. */
export const fillPlaceholders = (
  text: string,
  facts: WrittenFacts,
  write: (fact: string) => string = (fact) => fact,
): string =>
  text.replace(placeholder, (whole, name: string) => (isFactName(name) ? write(facts[name] ?? '–') : whole));

const isFactName = (name: string): name is FactName => (factNames as readonly string[]).includes(name);

/** The fields that sellers and customers share: names, addresses and tax ids, as documents show them. */
import * as z from 'zod';
import { isAddressScheme, isRegisterScheme } from '../lib/partySchemes.ts';
import { taxIdParsers } from '../lib/taxIds.ts';
import { countryCode } from '../lib/validation.ts';
import type { TaxId } from '../storage/model/common.ts';
import { coded } from '../lib/issueCodes.ts';

const lineLength = 200;
export const mostTaxIds = 5;
const taxIdTypes = Object.keys(taxIdParsers) as TaxId['type'][];

// Control characters and marks of direction would change the text around them on documents.
const unprintable = /[\p{Cc}\p{Bidi_Control}]/u;

const buildPrinted = (most: number) =>
  z
    .string()
    .trim()
    .max(most, `must be at most ${most} characters`)
    .refine((text) => !unprintable.test(text), 'must be one line, without control characters');

/** One line of a document. */
export const printedText = buildPrinted(lineLength);

// The same, but for tabs and the ends of lines.
const unprintableInLines = /[^\P{Cc}\t\n\r]|\p{Bidi_Control}/u;

/** Several lines of a document. */
export const printedLines = z
  .string()
  .trim()
  .max(1000, 'must be at most 1000 characters')
  .refine((text) => !unprintableInLines.test(text), 'must not contain control characters');

/** One line of a document that must not be empty. */
export const printedName = printedText.min(1, 'must not be empty');

/** The description of a charge. */
export const printedDescription = buildPrinted(500).min(1, 'must not be empty');

/** Returns text of another system as a line of a document. */
export const toPrintedText = (text: string): string =>
  text.replaceAll(new RegExp(unprintable, 'gu'), ' ').trim();

/** One line of a document that may be missing; an empty text is null. */
export const printedLine = printedText.nullish().transform((text) => text || null);

/** A postal address. An address without a region or a city is valid: many countries have none. */
export const address = z.object({
  line1: printedLine,
  line2: printedLine,
  city: printedLine,
  postalCode: printedLine,
  region: printedLine,
  country: countryCode,
});

const buildSchemeId = (isKnown: (code: string) => boolean, list: string) =>
  z.object({
    scheme: z.string().refine(isKnown, `must be a code of the list ${list}, such as 0088`),
    value: printedName.max(100, 'must be at most 100 characters'),
  });

/** Where a party receives electronic documents: an address and its scheme. */
export const electronicAddress = buildSchemeId(isAddressScheme, 'EAS')
  .nullish()
  .transform((given) => given ?? null);

/** The entry of a party in a register, and the scheme of the register. */
export const legalRegistration = buildSchemeId(isRegisterScheme, 'ISO 6523 ICD')
  .nullish()
  .transform((given) => given ?? null);

const taxId = z
  .object({
    type: z.enum(taxIdTypes, `must be one of ${taxIdTypes.join(', ')}`),
    value: z.string(),
  })
  .transform(({ type, value }, context): TaxId => {
    const parsed = taxIdParsers[type](value);
    if (parsed !== undefined) return { type, value: parsed };
    context.addIssue({
      code: 'custom',
      path: ['value'],
      message: describeForm(type),
      params: { code: 'not_a_tax_id' },
    });
    return z.NEVER;
  });

const describeForm = (type: TaxId['type']): string =>
  type === 'other'
    ? 'must be 1 to 50 letters, digits, spaces and ./_-'
    : `must be a tax id of the type ${type}; its form or its check digits do not fit`;

/** The tax ids of a party, in their printed form. */
export const taxIds = z
  .array(taxId)
  .max(mostTaxIds, `must be at most ${mostTaxIds}`)
  .refine(
    (ids) => new Set(ids.map(({ type, value }) => `${type} ${value}`)).size === ids.length,
    coded('must name each tax id once', 'repeated'),
  );

/** A language of documents: a BCP 47 tag in its canonical form. */
export const locale = z
  .string()
  .max(35, 'must be at most 35 characters')
  .transform((tag, context) => {
    try {
      return Intl.getCanonicalLocales(tag)[0] ?? null;
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a BCP 47 language tag, such as de or fr-CA' });
      return z.NEVER;
    }
  });

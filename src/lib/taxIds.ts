/** The form of tax ids. It does not show whether an id is registered. */
import { checkVAT, countries, norway, switzerland, unitedKingdom, type Country } from 'jsvat';
import { isMemberState } from './countries.ts';
import { vatIdForms } from './vatIdForms.ts';

const memberStates = countries.filter(({ codes }) => isMemberState(codes[0]!));
const byPrefix = new Map(memberStates.map((country) => [findPrefix(country), country]));

/** The prefix of VAT ids: the code of the country, but EL for Greece. */
function findPrefix({ codes }: Country): string {
  return codes[0] === 'GR' ? 'EL' : codes[0]!;
}

const compact = (text: string) => text.replace(/[\s.-]/g, '').toUpperCase();

function parseVatId(text: string, country: Country | undefined): string | undefined {
  const id = compact(text);
  return country && /^[A-Z0-9]+$/.test(id) && checkVAT(id, [country]).isValid ? id : undefined;
}

function parseEuVatId(text: string): string | undefined {
  // Belgian ids had nine digits until 2005; VIES knows them with a 0 before.
  const id = compact(text)
    .replace(/^GR/, 'EL')
    .replace(/^BE(?=\d{9}$)/, 'BE0');
  const prefix = id.slice(0, 2);
  if (Object.hasOwn(vatIdForms, prefix) && vatIdForms[prefix]!.matches(id.slice(2))) return id;
  return parseVatId(id, byPrefix.get(prefix));
}

/** Northern Ireland has the ids of Great Britain, with the prefix XI in trade of goods with the Union. */
function parseGbVatId(text: string): string | undefined {
  const id = compact(text);
  return parseVatId(id.replace(/^XI/, 'GB'), unitedKingdom) && id;
}

function parseEin(text: string): string | undefined {
  const digits = text.trim().replace('-', '');
  return /^\d{9}$/.test(digits) ? `${digits.slice(0, 2)}-${digits.slice(2)}` : undefined;
}

/** Other ids have forms of their own, such as `12/345/67890`. */
function parseOther(text: string): string | undefined {
  const id = text.trim();
  return /^[\p{L}\p{N}][\p{L}\p{N} ./_-]{0,49}$/u.test(id) ? id : undefined;
}

/** For each type of tax id: parses it to its printed form, without spaces; undefined if it is malformed. */
export const taxIdParsers = {
  eu_vat: parseEuVatId,
  gb_vat: parseGbVatId,
  ch_vat: (text) => parseVatId(text, switzerland),
  no_vat: (text) => parseVatId(text, norway),
  us_ein: parseEin,
  other: parseOther,
} as const satisfies Record<string, (text: string) => string | undefined>;

/** Returns the member state of a well-formed EU VAT id, as ISO 3166-1 alpha-2; undefined for any other text. */
export function findVatCountry(text: string): string | undefined {
  return byPrefix.get(parseEuVatId(text)?.slice(0, 2) ?? '')?.codes[0];
}

const vatTypes = { EU: 'eu_vat', GB: 'gb_vat', XI: 'gb_vat', CH: 'ch_vat', NO: 'no_vat' } as const;

/** Whether a tax id of this type is a VAT id. */
export const isVatType = (type: string): boolean => Object.values<string>(vatTypes).includes(type);

/** Returns the type of a VAT id by its prefix; `eu_vat` for every prefix that is not of another type. */
export function findVatType(text: string): (typeof vatTypes)[keyof typeof vatTypes] {
  const prefix = compact(text).slice(0, 2);
  return Object.hasOwn(vatTypes, prefix) ? vatTypes[prefix as keyof typeof vatTypes] : vatTypes.EU;
}

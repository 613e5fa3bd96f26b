/** Places as VAT sees them: which belong to the territory of the European Union (Directive 2006/112/EC, articles 5 to 7). */
import { isMemberState } from '../../lib/countries.ts';
import type { Address, ProductKind } from '../../storage/model/common.ts';
import { territories, type Territory } from './euRates.ts';

export interface VatPlace {
  /** The country of the address. */
  ownCountry: string;
  /** The country whose VAT applies. */
  country: string;
  region: string | null;
  /** Letters and digits only, in upper case. */
  postcode: string;
  /** Whether it belongs to the VAT territory of the European Union. */
  isInUnion: boolean;
  /** The territory with rates of its own that it belongs to. */
  territory?: Territory;
}

/**
 * Countries and territories with codes of their own where the VAT of another one applies, with their postcodes: Monaco and the
 * Isle of Man (article 7), and the French departments where VAT is charged.
 */
const parts: Record<string, { country: string; postcode?: string }> = {
  MC: { country: 'FR' },
  IM: { country: 'GB' },
  GP: { country: 'FR', postcode: '971' },
  MQ: { country: 'FR', postcode: '972' },
  RE: { country: 'FR', postcode: '974' },
};

/** Places that the Post of the United Kingdom serves, but that are no part of it for VAT: Jersey, Guernsey, and the bases in Cyprus. */
const britishPostcodes: [start: RegExp, country: string][] = [
  [/^JE\d/, 'JE'],
  [/^GY\d/, 'GG'],
  [/^(BFPO5[78]$|BF12A[TU]$)/, 'CY'],
];

/** The code of Northern Ireland in returns, and in the VAT ids of its businesses. */
export const northernIrelandCode = 'XI';

/** Whether a code of a place is that of a member state, or of Northern Ireland, which is treated as one for goods. */
export const isUnionCode = (code: string): boolean => isMemberState(code) || code === northernIrelandCode;

/**
 * Returns the place of an address. Northern Ireland belongs to the Union for goods alone (Protocol on Ireland and Northern
 * Ireland, article 8).
 */
export function locate(
  { country: given, region, postalCode }: Address,
  kind: ProductKind | null = null,
): VatPlace {
  const postcode = normalizePostcode(postalCode ?? '', given);
  const country = (given === 'GB' && britishPostcodes.find(([start]) => start.test(postcode))?.[1]) || given;
  const own = {
    ownCountry: country,
    region: region === null ? null : normalizeRegion(region, country),
    postcode,
  };
  if (kind === 'goods' && country === 'GB' && /^BT\d/.test(postcode))
    return { ...own, country: northernIrelandCode, isInUnion: true };
  const part = parts[country];
  const vatCountry = part?.country ?? country;
  const territory = findTerritory(vatCountry, part?.postcode ?? postcode);
  return {
    ...own,
    country: vatCountry,
    isInUnion: isMemberState(vatCountry) && territory?.isInUnion !== false,
    ...(territory && { territory }),
  };
}

/** Whether there is a standard rate of a member state in a place: in the Union, and in some territories outside of it. */
export const hasStandardRate = ({ country, isInUnion, territory }: VatPlace): boolean =>
  isInUnion || (isMemberState(country) && territory !== undefined && territory.rates.length > 0);

/** Whether goods that are sent from one place to another leave the territory of the directive, or of a part outside of it. */
export const isExport = (from: VatPlace, to: VatPlace): boolean =>
  !(from.isInUnion && to.isInUnion) &&
  (from.country !== to.country || from.territory?.name !== to.territory?.name);

const findTerritory = (country: string, postcode: string): Territory | undefined =>
  territories.find(
    (each) => each.country === country && each.postcodes.some((start) => postcode.startsWith(start)),
  );

/** Returns a postcode as letters and digits, without the code of the country before digits: `A-6691` is `6691`. */
export function normalizePostcode(postcode: string, country: string): string {
  const compact = postcode.toUpperCase().replace(/[^A-Z0-9]/g, '');
  if (!isMemberState(country)) return compact;
  const prefix = [country, country[0]!].find(
    (each) => /^\d/.test(compact.slice(each.length)) && compact.startsWith(each),
  );
  return prefix === undefined ? compact : compact.slice(prefix.length);
}

/** Returns a region in upper case, without the code of the country: `us-ca` is `CA`. */
export function normalizeRegion(region: string, country: string): string {
  const code = region.trim().toUpperCase();
  return code.startsWith(`${country}-`) ? code.slice(country.length + 1) : code;
}

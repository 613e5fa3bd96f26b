/** Places as VAT sees them: which belong to the territory of the European Union, and their standard rates. */
import { isMemberState } from '../../lib/countries.ts';
import type { Address } from '../../storage/model/common.ts';
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

/** Countries and territories with codes of their own where the VAT of a member state applies, with their postcodes. */
const parts: Record<string, { country: string; postcode?: string }> = {
  MC: { country: 'FR' },
  GP: { country: 'FR', postcode: '971' },
  MQ: { country: 'FR', postcode: '972' },
  RE: { country: 'FR', postcode: '974' },
};

/** Returns the place of an address. */
export function locate({ country, region, postalCode }: Address): VatPlace {
  const part = parts[country];
  const postcode = normalizePostcode(postalCode ?? '', country);
  const vatCountry = part?.country ?? country;
  const territory = findTerritory(vatCountry, part?.postcode ?? postcode);
  return {
    ownCountry: country,
    country: vatCountry,
    region: region === null ? null : normalizeRegion(region, country),
    postcode,
    isInUnion: isMemberState(vatCountry) && territory?.rates.length !== 0,
    ...(territory && { territory }),
  };
}

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

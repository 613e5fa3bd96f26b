/** What a browser knows of countries and time zones, as choices of a form. */
import type { Choice } from '../../design/Field.tsx';

/** Codes that CLDR names and ISO 3166-1 does not list as countries. */
const noCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
const codes = letters.flatMap((first) => letters.map((second) => first + second));

/** Returns the countries, by their names in a language. */
export function listCountries(language: string): Choice[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  return codes
    .filter((code) => !noCountries.has(code) && Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`)
    .flatMap((value) => ({ value, label: names.of(value) ?? '' }))
    .filter(({ label }) => label !== '')
    .toSorted((a, b) => a.label.localeCompare(b.label, language));
}

/** Returns the time zones, with that of the browser among them. */
export const listTimeZones = (): Choice[] =>
  [...new Set(['UTC', findTimeZone(), ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
    value,
    label: value,
  }));

/** Returns the time zone of the browser. */
export const findTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the country of the browser's first language that names one; '' without. */
export const guessCountry = (): string =>
  navigator.languages.map((tag) => new Intl.Locale(tag).region).find((region) => region !== undefined) ?? '';

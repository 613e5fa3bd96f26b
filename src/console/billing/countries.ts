import { useMemo } from 'react';
import type { Choice } from '../design/Field.tsx';
import { useLanguage } from '../texts/language.tsx';

/** Codes that CLDR names and ISO 3166-1 does not list as countries. */
const noCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
const codes = letters.flatMap((first) => letters.map((second) => first + second));

/** Returns the countries, by their names in a language. */
function listCountries(language: string): Choice[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  return codes
    .filter((code) => !noCountries.has(code) && Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`)
    .flatMap((value) => ({ value, label: names.of(value) ?? '' }))
    .filter(({ label }) => label !== '')
    .toSorted((a, b) => a.label.localeCompare(b.label, language));
}

/** Returns the countries as choices, after one named `none`, with a code that the browser may not know. */
export function useCountries(known: string, none = '–'): Choice[] {
  const { language } = useLanguage();
  return useMemo(() => {
    const choices = [{ value: '', label: none }, ...listCountries(language)];
    const isListed = choices.some(({ value }) => value === known);
    return isListed ? choices : [...choices, { value: known, label: known }];
  }, [language, known, none]);
}

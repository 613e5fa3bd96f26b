import { useMemo } from 'react';
import { useTenant } from '../data/session.tsx';
import type { Choice } from '../design/Field.tsx';
import { useLanguage } from '../texts/language.tsx';

/** Returns the currencies: the code and the name in a language. */
function listCurrencies(language: string): Choice[] {
  const names = new Intl.DisplayNames(language, { type: 'currency' });
  return Intl.supportedValuesOf('currency').map((code) => ({
    value: code.toLowerCase(),
    label: `${code} – ${names.of(code)}`,
  }));
}

/** Returns the currencies as choices, with one that the browser may not know. */
export function useCurrencies(known: string): Choice[] {
  const { language } = useLanguage();
  return useMemo(() => {
    const choices = listCurrencies(language);
    const isListed = known === '' || choices.some(({ value }) => value === known);
    return isListed ? choices : [{ value: known, label: known.toUpperCase() }, ...choices];
  }, [language, known]);
}

/** Returns the currency that forms begin with: that of the tenant, or a guess by the time zone of its billing. */
export function useDefaultCurrency(): string {
  const { defaultCurrency, timeZone } = useTenant();
  return defaultCurrency ?? (timeZone.startsWith('Europe/') ? 'eur' : 'usd');
}

import { useFormat } from '../texts/format.ts';
import { getDirection, useLanguage, useTexts, type Language } from '../texts/language.tsx';
import { texts } from './texts.ts';

interface DescribedLine {
  /** Left out where all kinds have descriptions of the server. */
  kind?: string;
  description: string;
}

type Parts = (typeof texts)['en']['lineParts'];

/** `3 × Team, every 2 months`: the units, the product, and the part of it that the line charges. */
const described = /^(?:(\d+) × )?(.+), (?:every (\d+) (day|week|month|year)s|([a-z -]+))$/s;

/**
 * Says in a language of the console what a line charges; the API has it in English. What somebody else wrote, such as the
 * description of a one-off charge, stays as it is.
 */
export function describeLine(
  { kind, description }: DescribedLine,
  language: Language,
  parts: Parts,
  writeNumber: (value: number) => string,
): string {
  const found = kind === 'item' || language === 'en' ? null : described.exec(description);
  const [, units, product = '', count, unit, name = ''] = found ?? [];
  const part = unit ? parts.every(writeNumber(Number(count)), unit) : parts.names[name];
  // Names in Latin letters do not turn what is around them.
  const isolate = (text: string) => (getDirection(language) === 'rtl' ? `\u2068${text}\u2069` : text);
  if (!found || part === undefined) return isolate(description);
  const named = isolate(product);
  return `${units ? `${writeNumber(Number(units))} × ` : ''}${named}${parts.comma}${part}`;
}

/** Returns a function that says in the language of the console what a line charges. */
export function useLineWords(): (line: DescribedLine) => string {
  const t = useTexts(texts);
  const format = useFormat();
  const { language } = useLanguage();
  return (line) => {
    if (line.kind !== 'balance')
      return describeLine(line, language, t.lineParts, (value) => format.number(value));
    if (language === 'en') return line.description;
    return line.description.startsWith('Paid') ? t.fromBalance : t.toBalance;
  };
}

/** The texts of the pages: all languages have all of them, with the same values within. */
import { describe, expect, it } from 'vitest';
import { checkoutTexts } from '../../../src/pages/checkout/texts.ts';
import { portalTexts } from '../../../src/pages/portal/texts.ts';
import { pageTexts } from '../../../src/pages/shared/texts.ts';
import { languageNames, type Language } from '../../../src/lib/language.ts';
import { lineTexts } from '../../../src/billing/invoices/texts.ts';
import { choosePlural, createTranslator } from '../../../src/lib/texts.ts';
import { mailTexts } from '../../../src/outgoing/mails/texts.ts';

const categories = new Set(['zero', 'one', 'two', 'few', 'many', 'other']);

/** Texts by name, and groups of them. */
interface Texts {
  [name: string]: string | Texts;
}

/** `reasons` has an `other` too, among others that are no categories. */
const isPlural = (text: string | Texts): text is Texts =>
  typeof text === 'object' && 'other' in text && Object.keys(text).every((key) => categories.has(key));

/** Lists the texts of all groups by their whole names. */
const flatten = (texts: Texts, prefix = ''): Record<string, string> =>
  Object.assign(
    {},
    ...Object.entries(texts).map(([name, text]) => {
      if (typeof text === 'string') return { [prefix + name]: text };
      // Languages have different forms for numbers; all have this one.
      return flatten(isPlural(text) ? { other: text['other']! } : text, `${prefix}${name}.`);
    }),
  ) as Record<string, string>;

const flattenAll = (texts: Readonly<Record<Language, Texts>>) =>
  Object.fromEntries(Object.entries(texts).map(([language, own]) => [language, flatten(own)])) as Readonly<
    Record<Language, Record<string, string>>
  >;

const catalogues: Record<string, Readonly<Record<Language, Record<string, string>>>> = {
  checkout: flattenAll(checkoutTexts),
  portal: flattenAll(portalTexts),
  pages: pageTexts,
};
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted();

/** Lists the plurals of a catalogue by their names. */
const listPlurals = (texts: Texts, prefix = ''): [name: string, plural: Texts][] =>
  Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text === 'string') return [];
    return isPlural(text)
      ? [[prefix + name, text] as [string, Texts]]
      : listPlurals(text, `${prefix}${name}.`);
  });

const pluralCatalogues: Record<string, Readonly<Record<Language, Texts>>> = {
  checkout: checkoutTexts,
  portal: portalTexts,
  mails: Object.fromEntries(
    Object.entries(mailTexts).map(([language, { every }]) => [language, { every }]),
  ) as unknown as Readonly<Record<Language, Texts>>,
};

/** Returns the categories of whole numbers from 1 to 400 in a language (CLDR). */
const listCategories = (language: Language): string[] => {
  const rules = new Intl.PluralRules(language);
  return [...new Set(Array.from({ length: 400 }, (_, index) => rules.select(index + 1)))].toSorted();
};

it.each(Object.entries(pluralCatalogues))('the plurals of %s have a text for each number', (_, texts) => {
  for (const language of Object.keys(languageNames) as Language[]) {
    for (const [name, plural] of listPlurals(texts[language])) {
      const own = listCategories(language);
      const foreign = Object.keys(plural).filter(
        (category) => category !== 'other' && !own.includes(category),
      );
      expect(foreign, `${language} ${name}`).toEqual([]);
      // A form serves other numbers than its own only if it shows the number.
      for (const category of own)
        if (plural[category] === undefined)
          expect(plural['other'], `${language} ${name}`).toContain('{count}');
      if (language === 'ar')
        expect(Object.keys(plural).toSorted(), name).toEqual(['few', 'many', 'one', 'other', 'two']);
    }
  }
});

describe.each(Object.entries(catalogues))('the texts of %s', (_, texts) => {
  it('are in each language', () => {
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(languageNames).toSorted());
  });

  it.each(Object.keys(languageNames) as Language[])('are complete in %s', (language) => {
    const own = texts[language];
    expect(Object.keys(own).toSorted()).toEqual(Object.keys(texts.en).toSorted());
    const differing = Object.entries(texts.en).filter(
      ([key, text]) => String(placeholders(text)) !== String(placeholders(own[key]!)),
    );
    expect(differing).toEqual([]);
    expect(Object.entries(own).filter(([, text]) => text.trim() !== text || text === '')).toEqual([]);
  });

  it.each([
    ['fa', /\p{Script=Arabic}/u],
    ['ps', /\p{Script=Arabic}/u],
    ['ar', /\p{Script=Arabic}/u],
    ['he', /\p{Script=Hebrew}/u],
  ] as const)('are in the script of the language: %s', (language, script) => {
    // The names of standards and the signs between values have no translation.
    const withoutLetters = /^(IBAN|BIC|\{count\} × \{price\}|\{product\})$/;
    const foreign = Object.entries(texts[language]).filter(
      ([, text]) => !script.test(text) && !withoutLetters.test(text),
    );
    expect(foreign).toEqual([]);
  });
});

it.each([
  ['fr', 1, '{price} par semaine'],
  ['fr', 3, '{price} toutes les {count} semaines'],
  ['ps', 1, '{price} په اونۍ کې'],
  ['ps', 2, '{price} په هرو {count} اونیو کې'],
  ['ar', 1, '{price} أسبوعيًا'],
  ['ar', 2, '{price} كل أسبوعين'],
  ['ar', 3, '{price} كل {count} أسابيع'],
  ['ar', 12, '{price} كل {count} أسبوعًا'],
  ['ar', 100, '{price} كل {count} أسبوع'],
  ['he', 1, '{price} לשבוע'],
  ['he', 2, '{price} כל שבועיים'],
  ['he', 3, '{price} כל {count} שבועות'],
] as const)('have the plural forms of the language: %s, %i weeks', (language, count, text) => {
  expect(choosePlural(language, portalTexts[language].per.Weekly, count)).toBe(text);
});

it.each([
  ['en', 'Invoice 2026-00042'],
  ['fa', 'صورت‌حساب \u20682026-00042\u2069'],
  ['ar', 'الفاتورة \u20682026-00042\u2069'],
  ['he', 'חשבונית \u20682026-00042\u2069'],
] as const)('keep the order of a number: %s', (language, text) => {
  const { fill, texts } = createTranslator(portalTexts, language, 'UTC');
  expect(fill(texts.invoice, { number: '2026-00042' })).toBe(text);
});

it('from right to left, names of lines begin with a word of the language: a Latin name would turn them', () => {
  const lines = (['fa', 'ps', 'ar', 'he'] as const).flatMap((language) =>
    Object.values(portalTexts[language].lines).filter((text) => text !== '{product}'),
  );
  const documents = [lineTexts.fa, lineTexts.ar, lineTexts.he].flatMap((texts) =>
    Object.values(texts).filter((text) => text.includes('{of}')),
  );
  expect(lines.length + documents.length).toBeGreaterThan(30);
  expect([...lines, ...documents].filter((text) => text.startsWith('{'))).toEqual([]);
});

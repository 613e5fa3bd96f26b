/** The texts of the pages: all languages have all of them, with the same values within. */
import { describe, expect, it } from 'vitest';
import { checkoutTexts } from '../../../src/pages/checkout/texts.ts';
import { portalTexts } from '../../../src/pages/portal/texts.ts';
import { pageTexts } from '../../../src/pages/shared/texts.ts';
import { languageNames, type Language } from '../../../src/lib/language.ts';
import { choosePlural } from '../../../src/lib/texts.ts';

/** Texts by name, and groups of them. */
interface Texts {
  [name: string]: string | Texts;
}

/** Lists the texts of all groups by their whole names. */
const flatten = (texts: Texts, prefix = ''): Record<string, string> =>
  Object.assign(
    {},
    ...Object.entries(texts).map(([name, text]) =>
      typeof text === 'string' ? { [prefix + name]: text } : flatten(text, `${prefix}${name}.`),
    ),
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

  it('are in the script of the language', () => {
    // The names of standards and the signs between values have no translation.
    const withoutLetters = /^(IBAN|BIC|\{count\} × \{price\}|\{product\})$/;
    for (const language of ['fa', 'ps'] as const) {
      const foreign = Object.entries(texts[language]).filter(
        ([, text]) => !/\p{Script=Arabic}/u.test(text) && !withoutLetters.test(text),
      );
      expect(foreign).toEqual([]);
    }
  });
});

it.each([
  ['fr', 1, '{price} par semaine'],
  ['fr', 3, '{price} toutes les {count} semaines'],
  ['ps', 1, '{price} په اونۍ کې'],
  ['ps', 2, '{price} په هرو {count} اونیو کې'],
] as const)('have the plural forms of the language: %s, %i weeks', (language, count, text) => {
  expect(choosePlural(language, portalTexts[language].per.Weekly, count)).toBe(text);
});

/** Texts in the reader's language. `{name}` in a text stands for a value. */
import { html, type Html } from './html.ts';
import { createFormats, getDirection, type Formats, type Language, type Translated } from './language.ts';

/** What replaces `{name}` in a text, by name. */
type Values<Value> = Readonly<Record<string, Value>>;

/** A text for each category of numbers that a language has (CLDR): `other` serves those that are left out. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** The names of the texts, without those of groups of texts. */
export type TextName<Texts> = {
  [Name in keyof Texts]: Texts[Name] extends string ? Name : never;
}[keyof Texts];

/** Writes texts in one language. */
export interface Translator<Texts> {
  language: Language;
  texts: Texts;
  formats: Formats;
  /** Returns a text as HTML. Values that are text are escaped, and isolated from the direction around them. */
  say: (key: TextName<Texts>, values?: Values<string | Html>) => Html;
  /** Returns a text for a number of something as HTML. */
  sayCount: (plural: Plural, count: number, values?: Values<string | Html>) => Html;
  /** Returns a text without markup. Values are isolated where the language is written from right to left. */
  fill: (text: string, values: Values<string>) => string;
  /** Returns a text without markup, for titles. Values are isolated from the direction around them. */
  write: (key: TextName<Texts>, values?: Values<string>) => string;
}

/** Creates a translator, with dates in a time zone, and numbers as the reader's locale writes them, if it is known. */
export function createTranslator<Texts extends object>(
  translated: Translated<Texts>,
  language: Language,
  timeZone: string,
  readerLocale?: string | null,
): Translator<Texts> {
  const texts = translated[language];
  const isRightToLeft = getDirection(language) === 'rtl';
  const find = (key: TextName<Texts>) => texts[key] as string;
  return {
    language,
    texts,
    formats: createFormats(language, timeZone, readerLocale),
    say: (key, values = {}) => fillHtml(find(key), values),
    sayCount: (plural, count, values = {}) => fillHtml(choosePlural(language, plural, count), values),
    fill: (text, values) =>
      replaceNames(text, (name) => (isRightToLeft ? isolate(values[name]!) : values[name]!)),
    write: (key, values = {}) => replaceNames(find(key), (name) => isolate(values[name]!)),
  };
}

const placeholder = /\{(\w+)\}/g;

const replaceNames = (text: string, findValue: (name: string) => string): string =>
  text.replace(placeholder, (_, name: string) => findValue(name));

/** Returns a text with its values as they are. A page isolates the sentence as a whole. */
export const fillText = (text: string, values: Values<string>): string =>
  replaceNames(text, (name) => values[name]!);

/** Returns the text of a language for a number of something. */
export const choosePlural = (language: Language, plural: Plural, count: number): string =>
  plural[new Intl.PluralRules(language).select(count)] ?? plural.other;

/** The first strong isolate and its end (Unicode UAX #9), for text that has no markup. */
const isolate = (text: string) => `\u2068${text}\u2069`;

function fillHtml(text: string, values: Values<string | Html>): Html {
  // Of the parts, each second is the name of a placeholder.
  const parts = text.split(placeholder).map((part, index) => {
    if (index % 2 === 0) return part;
    const value = values[part]!;
    return typeof value === 'string' ? html`<bdi>${value}</bdi>` : value;
  });
  return html`${parts}`;
}

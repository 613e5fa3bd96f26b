/** The texts of a page in the reader's language, and the values within them. */
import { html, type Html } from './html.ts';
import { createFormats, type Formats, type Language, type Translated } from './language.ts';

/** What replaces `{name}` in a text, by name. */
type Values = Readonly<Record<string, string | Html>>;

/** The names of the texts, without those of groups of texts. */
type TextName<Texts> = { [Name in keyof Texts]: Texts[Name] extends string ? Name : never }[keyof Texts];

/** Writes texts in one language. */
export interface Translator<Texts> {
  language: Language;
  texts: Texts;
  formats: Formats;
  /** Returns a text as HTML. Values that are text are escaped, and isolated from the direction around them. */
  say: (key: TextName<Texts>, values?: Values) => Html;
  /** Returns a text without markup, for titles. */
  write: (key: TextName<Texts>, values?: Readonly<Record<string, string>>) => string;
}

/** Creates a translator, with dates in a time zone. */
export function createTranslator<Texts extends object>(
  translated: Translated<Texts>,
  language: Language,
  timeZone: string,
): Translator<Texts> {
  const texts = translated[language];
  const find = (key: TextName<Texts>) => texts[key] as string;
  return {
    language,
    texts,
    formats: createFormats(language, timeZone),
    say: (key, values = {}) => fillHtml(find(key), values),
    write: (key, values = {}) => find(key).replace(placeholder, (_, name: string) => isolate(values[name]!)),
  };
}

const placeholder = /\{(\w+)\}/g;

/** The first strong isolate and its end (Unicode UAX #9), for text that has no markup. */
const isolate = (text: string) => `\u2068${text}\u2069`;

function fillHtml(text: string, values: Values): Html {
  // Of the parts, each second is the name of a placeholder.
  const parts = text.split(placeholder).map((part, index) => {
    if (index % 2 === 0) return part;
    const value = values[part]!;
    return typeof value === 'string' ? html`<bdi>${value}</bdi>` : value;
  });
  return html`${parts}`;
}

/** The texts of the documents in all languages that they have. */
import { ar } from './texts/ar.ts';
import { cs } from './texts/cs.ts';
import { da } from './texts/da.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fa } from './texts/fa.ts';
import { fi } from './texts/fi.ts';
import { fr } from './texts/fr.ts';
import { he } from './texts/he.ts';
import { it } from './texts/it.ts';
import { nl } from './texts/nl.ts';
import { pl } from './texts/pl.ts';
import { pt } from './texts/pt.ts';
import { sv } from './texts/sv.ts';

/** The texts of the documents in a language. */
export type DocumentTexts = typeof en;

export const documentTexts = { en, de, fr, es, it, nl, pl, pt, sv, da, fi, cs, fa, ar, he };

/** A language that documents have. */
export type DocumentTag = keyof typeof documentTexts;

/** Whether a locale is the language of a document alone, without a region. */
export const isDocumentTag = (locale: string): locale is DocumentTag => Object.hasOwn(documentTexts, locale);

/** Returns the language of a document whose locale has the language `tag`: English for those without texts. */
export const chooseTag = (tag: string | undefined): DocumentTag =>
  tag !== undefined && Object.hasOwn(documentTexts, tag) ? (tag as DocumentTag) : 'en';

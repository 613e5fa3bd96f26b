/** The texts of the documents in all languages that they have. */
import { ar } from './texts/ar.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';
import { he } from './texts/he.ts';

/** The texts of the documents in a language. */
export type DocumentTexts = typeof en;

export const documentTexts = { en, de, fr, fa, ar, he };

/** A language that documents have. */
export type DocumentTag = keyof typeof documentTexts;

/** Returns the language of a document whose locale has the language `tag`: English for those without texts. */
export const chooseTag = (tag: string | undefined): DocumentTag =>
  tag !== undefined && Object.hasOwn(documentTexts, tag) ? (tag as DocumentTag) : 'en';

import { ar } from './texts/ar.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';
import { he } from './texts/he.ts';

/** The texts of the lines of documents, in the languages that documents have. */
export const lineTexts = { en, de, fr, fa, ar, he };

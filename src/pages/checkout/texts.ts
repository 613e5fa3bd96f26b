/** The texts of the pay page in all languages. */
import type { Translated } from '../../lib/language.ts';
import type { TextName, Translator } from '../../lib/texts.ts';
import { ar } from './texts/ar.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';
import { he } from './texts/he.ts';
import { ps } from './texts/ps.ts';

/** The texts of the pay page in a language. */
export type CheckoutTexts = typeof en;

/** The name of a text of the pay page. */
export type TextKey = TextName<CheckoutTexts>;

/** Writes the texts of the pay page in the reader's language. */
export type PayTranslator = Translator<CheckoutTexts>;

export const checkoutTexts: Translated<CheckoutTexts> = { en, de, fr, es, fa, ps, ar, he };

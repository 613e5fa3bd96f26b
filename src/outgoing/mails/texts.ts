import type { Translated } from '../../lib/language.ts';
import { ar } from './texts/ar.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';
import { he } from './texts/he.ts';
import { ps } from './texts/ps.ts';

/** All texts of the mails in a language. */
export type MailTexts = typeof en;

/** The standard texts by language. */
export const mailTexts: Translated<MailTexts> = { en, de, fr, es, fa, ps, ar, he };

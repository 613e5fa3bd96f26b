import type { Translated } from '../../../lib/language.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fa } from './fa.ts';
import { fr } from './fr.ts';
import { ps } from './ps.ts';
import type { MailTexts } from './types.ts';

/** The standard texts by language. */
export const mailTexts: Translated<MailTexts> = { en, de, fr, es, fa, ps };

import { defineTextGroups } from '../../texts/language.tsx';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';

/** The texts of credit types, of the terms of credit grants, and of automatic top-ups. */
export const {
  period: periodTexts,
  type: typeTexts,
  terms: termTexts,
  topUp: topUpTexts,
} = defineTextGroups({ en, de, fr, fa });

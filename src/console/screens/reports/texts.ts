import { defineTextGroups } from '../../texts/language.tsx';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';

export const {
  reports: texts,
  movements: movementTexts,
  tax: taxTexts,
  returns: returnTexts,
  accounting: accountingTexts,
} = defineTextGroups({ en, de, fr, fa });

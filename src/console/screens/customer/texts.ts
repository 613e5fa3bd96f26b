import { defineTextGroups } from '../../texts/language.tsx';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';

export const {
  customer: texts,
  eInvoice: eInvoiceTexts,
  grant: grantTexts,
  note: noteTexts,
  person: personTexts,
  sell: sellTexts,
  session: sessionTexts,
  usage: usageTexts,
} = defineTextGroups({ en, de, fr, fa });

import { defineTextGroups } from '../../texts/language.tsx';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';

export const {
  settings: texts,
  blocked: blockedTexts,
  brand: brandTexts,
  mail: mailTexts,
  policy: policyTexts,
  provider: providerTexts,
  tax: taxTexts,
  team: teamTexts,
  tenant: tenantTexts,
} = defineTextGroups({ en, de, fr, fa });

import { defineTexts } from '../../texts/language.tsx';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';
import { usage } from './texts/usage.ts';

export const texts = defineTexts({ en, de, fr, fa });
export const usageTexts = defineTexts(usage);

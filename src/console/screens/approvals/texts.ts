import { defineTexts } from '../../texts/language.tsx';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';

export const texts = defineTexts({ en, de, fr, fa });

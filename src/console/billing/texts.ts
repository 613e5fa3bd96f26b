import { defineTexts } from '../texts/language.tsx';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';

/** The texts of lines, previews and the dialogs about money. */
export const texts = defineTexts({ en, de, fr, fa });

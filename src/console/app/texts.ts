import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';
import { defineTexts } from '../texts/language.tsx';

/** The texts of the shell: navigation, menus, session. Each screen has its own. */
export const texts = defineTexts({ en, de, fr, fa });

import { de } from './de.ts';
import { en } from './en.ts';
import { fa } from './fa.ts';
import { fr } from './fr.ts';
import { defineTexts } from './language.tsx';

/** The texts of the shell: navigation, menus, session. Each screen has its own. */
export const texts = defineTexts({ en, de, fr, fa });

import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';

/** Who caused an event and, by its type, what happened; `{}` becomes the name and the amount of the record. */
export const texts = { en, de, fr, fa };

import { ar } from './texts/ar.ts';
import { cs } from './texts/cs.ts';
import { da } from './texts/da.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fa } from './texts/fa.ts';
import { fi } from './texts/fi.ts';
import { fr } from './texts/fr.ts';
import { he } from './texts/he.ts';
import { it } from './texts/it.ts';
import { nl } from './texts/nl.ts';
import { pl } from './texts/pl.ts';
import { pt } from './texts/pt.ts';
import { sv } from './texts/sv.ts';

/** The texts of the lines of documents, in the languages that documents have. */
export const lineTexts = { en, de, fr, es, it, nl, pl, pt, sv, da, fi, cs, fa, ar, he };

import type { Translated } from '../../lib/language.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';
import { ps } from './texts/ps.ts';
import type { PortalTexts } from './texts/types.ts';

/** The words of the portal by language. */
export const portalTexts: Translated<PortalTexts> = { en, de, fr, es, fa, ps };

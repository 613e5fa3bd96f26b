import type { Translated } from '../../../lib/language.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fa } from './fa.ts';
import { fr } from './fr.ts';
import { ps } from './ps.ts';
import type { PortalTexts } from './types.ts';

/** The words of the portal by language. */
export const portalTexts: Translated<PortalTexts> = { en, de, fr, es, fa, ps };

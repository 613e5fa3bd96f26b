/** The texts of the portal in all languages. */
import type { Translated } from '../../lib/language.ts';
import { ar } from './texts/ar.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';
import { he } from './texts/he.ts';
import { ps } from './texts/ps.ts';

/** The texts of the portal in a language. */
export type PortalTexts = typeof en;

/** The messages about the last request. */
export type Notice = keyof PortalTexts['notices'];

/** Why a request was refused. */
export type Problem = keyof PortalTexts['problems'];

export const portalTexts: Translated<PortalTexts> = { en, de, fr, es, fa, ps, ar, he };

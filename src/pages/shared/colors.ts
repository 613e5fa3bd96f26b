/** The colours of pages, made from the colour of a tenant: `#rrggbb`. */
import { fitColor, fitButton, getLuminance } from '../../lib/contrast.ts';
import type { Accent, Palette } from './tokens.ts';

const white = '#ffffff';
const black = '#000000';
/** The text on bright colours. */
const ink = '#14161a';

/**
 * Makes the accent of a theme from a tenant's colour. The button has the colour itself where text on it can be read, and
 * otherwise the nearest darker one; links and borders have the nearest one that can be read on the page.
 */
export function createAccent(color: string, { page, card, raised }: Palette): Accent {
  const isDark = getLuminance(card) < getLuminance(ink) + 0.1;
  const accentText = fitColor(color, isDark ? white : black, [page, card, raised]);
  const { background, text } = fitButton(color, ink);
  return { accent: background, onAccent: text, accentText };
}

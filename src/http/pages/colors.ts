/** Colours and their contrast, as WCAG 2.2 defines it. Colours are text: `#rrggbb`. */
import { getContrast, getLuminance, readChannels } from '../../lib/contrast.ts';
import type { Accent, Palette } from './tokens.ts';

const white = '#ffffff';
const black = '#000000';
/** The text on bright colours. */
const ink = '#14161a';

/** The least contrast of text (WCAG 2.2, 1.4.3). */
const leastContrast = 4.5;
/** From this contrast with white on, a colour is darkened until white can be read on it; brighter ones get dark text. */
const nearWhiteContrast = 3;

/** Mixes a colour with a share (0 to 1) of another. */
function mix(color: string, other: string, share: number): string {
  const others = readChannels(other);
  const mixed = readChannels(color).map((channel, index) =>
    Math.round(channel + (others[index]! - channel) * share),
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Mixes a colour with as little of another as gives it the least contrast on each of the backgrounds. */
function fitColor(color: string, other: string, backgrounds: string[]): string {
  for (let percent = 0; percent < 100; percent += 2) {
    const mixed = mix(color, other, percent / 100);
    if (backgrounds.every((background) => getContrast(mixed, background) >= leastContrast)) return mixed;
  }
  return other;
}

/**
 * Makes the accent of a theme from a tenant's colour. The button has the colour itself where text on it can be read, and
 * otherwise the nearest darker one; links and borders have the nearest one that can be read on the page.
 */
export function createAccent(color: string, { page, card, raised }: Palette): Accent {
  const isDark = getLuminance(card) < getLuminance(ink) + 0.1;
  const accentText = fitColor(color, isDark ? white : black, [page, card, raised]);
  if (getContrast(color, white) < nearWhiteContrast) return { accent: color, onAccent: ink, accentText };
  return { accent: fitColor(color, black, [white]), onAccent: white, accentText };
}

/** Colours and their contrast, as WCAG 2.2 defines it. Colours are text: `#rrggbb`. */
import type { Accent, Palette } from './tokens.ts';

const white = '#ffffff';
const black = '#000000';
/** The text on bright colours. */
const ink = '#14161a';

/** The least contrast of text (WCAG 2.2, 1.4.3). */
const leastContrast = 4.5;
/** From this contrast with white on, a colour is darkened until white can be read on it; brighter ones get dark text. */
const nearWhiteContrast = 3;

/** Returns the ratio of the luminances of two colours: 1 for equal ones, 21 for black and white. */
export function getContrast(one: string, other: string): number {
  const [dark, light] = [getLuminance(one), getLuminance(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

/** The relative luminance of WCAG 2.2, from 0 to 1. */
function getLuminance(color: string): number {
  const [red, green, blue] = readChannels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

const readChannels = (color: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));

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

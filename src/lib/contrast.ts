/** The contrast of colours, as WCAG 2.2 defines it. Colours are text: `#rrggbb`. */

/** Returns the ratio of the luminances of two colours: 1 for equal ones, 21 for black and white. */
export function getContrast(one: string, other: string): number {
  const [dark, light] = [getLuminance(one), getLuminance(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

/** Returns the relative luminance of WCAG 2.2, from 0 to 1. */
export function getLuminance(color: string): number {
  const [red, green, blue] = readChannels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** Returns the red, green and blue of a colour, 0 to 255 each. */
const readChannels = (color: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));

const white = '#ffffff';
const black = '#000000';

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
export function fitColor(color: string, other: string, backgrounds: string[]): string {
  for (let percent = 0; percent < 100; percent += 2) {
    const mixed = mix(color, other, percent / 100);
    if (backgrounds.every((background) => getContrast(mixed, background) >= leastContrast)) return mixed;
  }
  return other;
}

/** Returns the colours of a button: white on the colour or the nearest darker one, or `ink` on a bright colour. */
export function fitButton(color: string, ink: string): { background: string; text: string } {
  if (getContrast(color, white) < nearWhiteContrast) return { background: color, text: ink };
  return { background: fitColor(color, black, [white]), text: white };
}

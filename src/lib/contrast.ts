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
export const readChannels = (color: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));

/** Colours and their contrast, as WCAG 2.2 defines it. */

/** Returns the ratio of the luminances of two colours (`#rrggbb`): 1 for equal ones, 21 for black and white. */
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

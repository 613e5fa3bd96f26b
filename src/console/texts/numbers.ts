/** Whether a text is a decimal as the schema takes it. */
export const isDecimal = (text: string): boolean => /^\d+([.]\d+)?$/.test(text);

/**
 * Returns a number that somebody typed as the schema takes it: `1.290,00`, `1,290.00` and `1 290` are `1290.00` and `1290`.
 * One mark before three digits groups them only where the language groups by it: `1.290` is 1290 in German, and in English a
 * decimal, which is refused for a currency with two. A text that is no number is returned as it was typed.
 */
export function readDecimal(text: string, language: string = document.documentElement.lang): string {
  const typed = toLatinDigits(text.trim());
  const digits = typed.replaceAll(/[\s'’٬]/g, '');
  if (!/^\d[\d.,]*$/.test(digits)) return typed;
  const marks = digits.replaceAll(/\d/g, '');
  if (marks === '') return digits;
  const last = marks.at(-1)!;
  const isGroup = new Set(marks).size === 1 && (marks.length > 1 || last === findMark('group', language));
  const [whole = '', fraction] = isGroup ? [digits] : splitAtLast(digits, last);
  const groups = whole.split(isGroup ? last : last === ',' ? '.' : ',');
  const isGrouped = groups.every((group, index) => (index === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(group));
  if (isGrouped || groups.length === 1)
    return fraction === undefined ? groups.join('') : `${groups.join('')}.${fraction}`;
  // In English, commas separate groups of three digits. `29,90` has no such group, so the comma is a decimal point.
  return marks.length === 1 ? digits.replace(last, '.') : typed;
}

/** Writes a decimal of the schema so that `readDecimal` reads it in the same language: `1.290` is `1,290` in German. */
export const writeDecimal = (decimal: string, language: string = document.documentElement.lang): string =>
  decimal.replace('.', findMark('decimal', language) ?? '.');

/**
 * Returns a whole number that somebody typed, or null for an empty text. What is no number is returned as it was typed, and the
 * server refuses it: NaN would be sent as null, which means that nothing was typed.
 */
export function readWhole(text: string): number | null {
  if (text.trim() === '') return null;
  const digits = readDecimal(text);
  return /^-?\d{1,15}$/.test(digits) ? Number(digits) : (digits as unknown as number);
}

function splitAtLast(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}

const findMark = (type: 'group' | 'decimal', language: string): string | undefined =>
  new Intl.NumberFormat(language || 'en', { numberingSystem: 'latn' })
    .formatToParts(1234567.8)
    .find((part) => part.type === type)?.value;

/** Returns a text with Latin digits for Persian and Arabic ones, which people may type, and for their decimal separator. */
const toLatinDigits = (text: string): string =>
  text
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace('٫', '.');

/** Lines of CSV as RFC 4180 has them. */

/** What a spreadsheet takes for the beginning of a formula, also behind spaces and marks that do not show. */
const formula =
  /^[\p{White_Space}\p{Cc}\p{Cf}]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b]/u;

/** A text, or a number that stays one although it may be below 0. */
export type CsvValue = string | { decimal: string };

/** Writes a line. A text that a spreadsheet would execute gets an apostrophe before it. */
export const formatCsvLine = (values: readonly CsvValue[]): string =>
  `${values.map((value) => (typeof value === 'string' ? quote(disarm(value)) : value.decimal)).join(',')}\r\n`;

/** Puts an apostrophe before a text that a spreadsheet would execute. */
export const disarm = (text: string): string => (formula.test(text) ? `'${text}` : text);

const quote = (text: string): string => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

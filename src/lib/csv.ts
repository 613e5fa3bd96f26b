/** Lines of CSV as RFC 4180 has them. */

/** What a spreadsheet takes for the beginning of a formula, also behind spaces and marks that do not show. */
const formula =
  /^[\p{White_Space}\p{Cc}\p{Cf}]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b]/u;

/** Writes a line. A text that a spreadsheet would execute gets an apostrophe before it. */
export const formatCsvLine = (values: readonly string[]): string =>
  `${values.map((value) => quote(formula.test(value) ? `'${value}` : value)).join(',')}\r\n`;

const quote = (text: string): string => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The rows of a CSV text by the names in its first line (RFC 4180: fields in quotes may hold commas and line ends). */
export function rowsOfCsv(text: string): Record<string, string>[] {
  const [names, ...rows] = parseFields(text.replace(/^\uFEFF/, ''));
  if (!names) return [];
  return rows
    .filter((row) => row.length > 1 || row[0] !== '')
    .map((row) => Object.fromEntries(names.map((name, index) => [name.trim(), (row[index] ?? '').trim()])));
}

function parseFields(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // A field in quotes, or one without; then what ends it.
  const form = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y;
  while (form.lastIndex < text.length) {
    const at = form.lastIndex;
    const found = form.exec(text);
    if (!found) throw new Error(`The CSV cannot be read from character ${at} on.`);
    const [, quoted, plain, end] = found;
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === ',' && form.lastIndex < text.length) continue;
    if (end === ',') row.push('');
    rows.push(row);
    row = [];
  }
  return rows;
}

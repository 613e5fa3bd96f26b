import { parse } from 'csv-parse/sync';

/**
 * Parses CSV text into rows keyed by the names in its first line. Throws an Error that names the line it cannot parse.
 */
export function parseCsv(text: string): Record<string, string>[] {
  const [names, ...rows] = parseLines(text);
  if (!names) return [];
  return rows.map((row) =>
    Object.fromEntries(names.map((name, index) => [name.trim(), (row[index] ?? '').trim()])),
  );
}

function parseLines(text: string): string[][] {
  try {
    return parse(text, {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    throw new Error(`The CSV cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

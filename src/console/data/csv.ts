import type { AnyVariables, Client, TypedDocumentNode } from 'urql';
import { useLanguage, type Language } from '../texts/language.tsx';
import { getHeaders } from './client.ts';
import { readProblem, type Problem } from './errors.ts';
import type { Connection } from './pages.ts';

/** A value of a CSV file: a number or an amount is written as one, a text never as a formula. */
export type CsvValue = string | number | { decimal: string } | null | undefined;

interface CsvColumn<Row> {
  header: string;
  csv: (row: Row) => CsvValue;
}

/** How a file separates its values, and its decimals. */
export interface CsvStyle {
  separator: ',' | ';';
  point: '.' | ',';
}

/** RFC 4180, as programs read it. */
export const plainStyle: CsvStyle = { separator: ',', point: '.' };

/**
 * What a spreadsheet expects in each language: with a decimal comma, Excel takes `;` between values, and would read 1.10 as the
 * first of October. A line `sep=;` would do the first alone, and makes Excel ignore the mark of UTF-8.
 */
const styles: Record<Language, CsvStyle> = {
  en: plainStyle,
  de: { separator: ';', point: ',' },
  fr: { separator: ';', point: ',' },
  fa: plainStyle,
};

/** Returns the style of the files that a spreadsheet of the operator's language opens. */
export const useCsvStyle = (): CsvStyle => styles[useLanguage().language];

interface ExportOptions<Data, Variables extends AnyVariables, Row> {
  client: Client;
  /** The alias of the tenant. */
  tenant: string;
  /** Of the file, without its extension. */
  name: string;
  document: TypedDocumentNode<Data, Variables>;
  connection: (data: Data) => Connection<Row> | null | undefined;
  variables: Record<string, unknown>;
  columns: CsvColumn<Row>[];
  style: CsvStyle;
  signal: AbortSignal;
  onProgress: (rows: number) => void;
}

const pageSize = 100;

/**
 * Loads a list page by page, around the cache, and saves it as a CSV file. Returns the number of rows, or the problem that
 * ended the export.
 */
export async function exportCsv<Data, Variables extends AnyVariables, Row>(
  options: ExportOptions<Data, Variables, Row>,
): Promise<number | Problem> {
  const { client, tenant, name, document, connection, variables, columns, style, signal, onProgress } =
    options;
  const format = (values: CsvValue[]) => formatLine(values, style);
  // The server checks that the operator may export.
  const headers = { ...getHeaders(tenant), 'perennial-export': '1' };
  const context = {
    requestPolicy: 'network-only',
    fetchOptions: { credentials: 'same-origin', headers },
  } as const;
  const parts = [format(columns.map(({ header }) => header))];
  let count = 0;
  let after: string | null | undefined;
  do {
    const page = { ...variables, first: pageSize, after } as unknown as Variables;
    const { data, error } = await client.query(document, page, context).toPromise();
    if (signal.aborted) return count;
    const list = data && connection(data);
    if (error || !list) {
      return error ? readProblem(error) : { reason: 'internal_error', message: '', status: 500, issues: [] };
    }
    parts.push(list.nodes.map((row) => format(columns.map(({ csv }) => csv(row)))).join(''));
    count += list.nodes.length;
    onProgress(count);
    after = list.pageInfo.hasNextPage ? list.pageInfo.endCursor : undefined;
  } while (after);
  saveFile(new Blob(['\ufeff', ...parts], { type: 'text/csv;charset=utf-8' }), `${name}.csv`);
  return count;
}

export type SaveLines = (name: string, lines: CsvValue[][]) => void;

/** Returns a function that saves lines that are there already as a CSV file. */
export function useSaveLines(): SaveLines {
  const style = useCsvStyle();
  return (name, lines) => {
    const parts = lines.map((line) => formatLine(line, style));
    saveFile(new Blob(['\ufeff', ...parts], { type: 'text/csv;charset=utf-8' }), `${name}.csv`);
  };
}

/** Writes a line of RFC 4180, or with the separators of a style. */
export const formatLine = (values: CsvValue[], style: CsvStyle = plainStyle): string =>
  `${values.map((value) => formatValue(value, style)).join(style.separator)}\r\n`;

function formatValue(value: CsvValue, { point }: CsvStyle): string {
  const number = typeof value === 'object' && value ? value.decimal : value;
  if (typeof number === 'number' || number !== value) return String(number).replace('.', point);
  return quote(keepText(number ?? ''));
}

/**
 * What a spreadsheet takes for the beginning of a formula, also in the full width of East Asia, and behind what it skips:
 * spaces, controls, and marks that do not show.
 */
const formula =
  /^[\p{White_Space}\p{Cc}\p{Cf}]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b]/u;

/** Puts an apostrophe before a text that a spreadsheet would execute. A whole negative number is none. */
const keepText = (text: string): string =>
  formula.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;

/** Quotes a text with a separator of any style: a spreadsheet may split at another one than the file has. */
const quote = (text: string): string =>
  /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Saves a file in the folder for downloads. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

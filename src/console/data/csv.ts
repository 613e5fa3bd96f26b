import type { AnyVariables, Client, TypedDocumentNode } from 'urql';
import { getHeaders } from './client.ts';
import { readProblem, type Problem } from './errors.ts';
import type { Connection } from './pages.ts';

interface CsvColumn<Row> {
  header: string;
  csv: (row: Row) => string | number | null | undefined;
}

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
  const { client, tenant, name, document, connection, variables, columns, signal, onProgress } = options;
  // The server checks that the operator may export.
  const headers = { ...getHeaders(tenant), 'perennial-export': '1' };
  const context = {
    requestPolicy: 'network-only',
    fetchOptions: { credentials: 'same-origin', headers },
  } as const;
  const parts = [formatLine(columns.map(({ header }) => header))];
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
    parts.push(list.nodes.map((row) => formatLine(columns.map(({ csv }) => csv(row)))).join(''));
    count += list.nodes.length;
    onProgress(count);
    after = list.pageInfo.hasNextPage ? list.pageInfo.endCursor : undefined;
  } while (after);
  saveFile(new Blob(['\ufeff', ...parts], { type: 'text/csv;charset=utf-8' }), `${name}.csv`);
  return count;
}

/** Saves lines that are there already as a CSV file. */
export function saveLines(name: string, lines: (string | number | null | undefined)[][]): void {
  saveFile(new Blob(['\ufeff', ...lines.map(formatLine)], { type: 'text/csv;charset=utf-8' }), `${name}.csv`);
}

/** Writes a line of RFC 4180. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function formatLine(values: (string | number | null | undefined)[]): string {
  const fields = values.map((value) => {
    if (typeof value === 'number') return String(value);
    const text = value ?? '';
    const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${fields.join(',')}\r\n`;
}

/** Saves a file in the folder for downloads. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

import { refuse } from '../../lib/errors.ts';
import type { Service } from '../../tenancy/service.ts';
import { toLine, readPages, countRows, createTableSums, tableNames, type TableSums } from './tableScan.ts';

/** The first line of a tenant's file: its format and version. */
export interface Header {
  perennial: 'tenant';
  version: 1;
  tenant: string;
}

/** The last line: the row counts and hashes of a complete file. */
export interface Trailer {
  end: true;
  tables: TableSums;
}

/** Writes text to the destination; resolves when the destination accepts more. */
export type Sink = (text: string) => Promise<void>;

/**
 * Writes a tenant's data as of one instant as JSON lines: a header, one line per row, and a trailer with the expected
 * counts. Reports the number of rows written to `progress`. Error: `validation_failed` for an unknown tenant.
 */
export function exportTenant(
  { store }: Pick<Service, 'store'>,
  alias: string,
  write: Sink,
  progress: (rows: number) => void,
): Promise<{ rows: number; tables: TableSums }> {
  return store.snapshot(async (queries) => {
    const found = await queries.select('tenants', { where: { alias }, limit: 1 });
    if (found.length === 0) {
      refuse('validation_failed', { path: 'tenant', message: `there is no tenant ${alias}` });
    }
    const header: Header = { perennial: 'tenant', version: 1, tenant: alias };
    await write(`${JSON.stringify(header)}\n`);
    const sum = createTableSums();
    let rows = 0;
    for (const name of tableNames) {
      for await (const page of readPages(queries, name, alias)) {
        let text = '';
        for (const row of page) {
          const line = toLine(name, row);
          sum.add(name, line);
          text += `{"table":"${name}","row":${line}}\n`;
        }
        await write(text);
        rows += page.length;
        progress(rows);
      }
    }
    const trailer: Trailer = { end: true, tables: sum.sums() };
    await write(`${JSON.stringify(trailer)}\n`);
    return { rows: countRows(trailer.tables), tables: trailer.tables };
  });
}

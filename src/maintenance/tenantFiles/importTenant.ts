import { toInstant } from '../../lib/time.ts';
import type { Bulk } from '../../storage/store.ts';
import type { TenantTable } from '../../storage/model/rowTypes.ts';
import type { Service } from '../../tenancy/service.ts';
import type { Header, Trailer } from './exportTenant.ts';
import { deriveGivenBack } from './deriveReturns.ts';
import { upgradeRow } from './upgradeRows.ts';
import { readLine, type JsonRow } from './jsonl.ts';
import { countRows, createTableSums, tableNames, type TableSums } from './tableScan.ts';

/** A line of the file that cannot be imported, and why. */
interface Fault {
  line: number;
  message: string;
}

interface Imported {
  tenant: string;
  rows: number;
  tables: TableSums;
  faults: Fault[];
  /** The number of faulty lines; `faults` lists the first of them. */
  faulty: number;
}

const mostFaults = 100;
const rowsAtOnce = 512;

/** Rolls the transaction back and carries its outcome. */
class RolledBack extends Error {
  constructor(readonly outcome: Imported) {
    super('Nothing was kept.');
  }
}

/**
 * Imports a tenant from the lines of its file. Imports nothing if any line is faulty or `isTrial` is set, but still
 * checks every line and reports the faulty ones. Files of earlier releases are accepted; derived columns are computed
 * as the migrations would. Reports the number of rows read to `progress`. Error: `unavailable` if the database cannot
 * be written to.
 */
export async function importTenant(
  { store, clock }: Pick<Service, 'store' | 'clock'>,
  lines: AsyncIterable<string>,
  isTrial: boolean,
  progress: (rows: number) => void,
): Promise<Imported> {
  const now = toInstant(clock.nowMs());
  try {
    return await store.load(async (bulk) => {
      const outcome = await importLines(bulk, lines, now, progress);
      if (isTrial || outcome.faulty > 0) throw new RolledBack(outcome);
      return outcome;
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome;
    throw error;
  }
}

interface Waiting {
  name: TenantTable;
  rows: { line: number; row: JsonRow }[];
}

async function importLines(
  bulk: Bulk,
  lines: AsyncIterable<string>,
  now: string,
  progress: (rows: number) => void,
): Promise<Imported> {
  const faults: Fault[] = [];
  let faulty = 0;
  const blame = (line: number, message: string) => {
    faulty += 1;
    if (faults.length < mostFaults) faults.push({ line, message });
  };
  const sum = createTableSums();
  let tenant = '';
  let trailer: Trailer | undefined;
  let number = 0;
  let waiting: Waiting = { name: 'tenants', rows: [] };
  // After an unreadable row, rows that refer to it would be reported as well.
  let isReadable = true;
  let lacksGivenBack = false;
  const flush = async () => {
    if (isReadable) await insertRows(bulk, waiting, blame);
    waiting = { ...waiting, rows: [] };
  };
  for await (const line of lines) {
    number += 1;
    const reading = readLine(line);
    if (reading.kind === 'fault') {
      isReadable = false;
      blame(number, reading.message);
    } else if (trailer) blame(number, 'follows the last line of the export');
    else if (number === 1) {
      tenant = await readHeader(bulk, reading, blame);
      // Without a valid header no other line can be imported.
      if (faulty > 0) return { tenant, rows: 0, tables: {}, faults, faulty };
    } else if (reading.kind === 'other') trailer = readTrailer(reading.value, number, blame);
    else {
      const { name, row } = reading;
      sum.add(name, reading.text);
      lacksGivenBack ||= reading.lacksGivenBack;
      const owner = name === 'tenants' ? 'alias' : 'tenantAlias';
      if (row[owner] !== tenant) blame(number, `${name} belongs to another tenant`);
      else {
        if (name !== waiting.name || waiting.rows.length === rowsAtOnce) await flush();
        waiting.name = name;
        waiting.rows.push({ line: number, row: upgradeRow(name, row, now) });
      }
      if (number % 1000 === 0) progress(number);
    }
  }
  await flush();
  if (lacksGivenBack && faulty === 0) await deriveGivenBack(bulk.queries, tenant);
  const tables = sum.sums();
  for (const message of listTrailerDifferences(tables, trailer, faulty > 0)) blame(number, message);
  return {
    tenant,
    rows: countRows(tables),
    tables,
    faults: faults.toSorted((a, b) => a.line - b.line),
    faulty,
  };
}

type Blame = (line: number, message: string) => void;

async function readHeader(bulk: Bulk, reading: object, blame: Blame): Promise<string> {
  const header = ('value' in reading ? reading.value : {}) as Partial<Header>;
  if (header.perennial !== 'tenant' || typeof header.tenant !== 'string') {
    blame(1, 'is not the first line of a file written by `perennial export`');
    return '';
  }
  if (header.version !== 1) blame(1, `has version ${String(header.version)}; this release reads version 1`);
  const there = await bulk.queries.select('tenants', { where: { alias: header.tenant }, limit: 1 });
  if (there.length > 0) blame(1, `the tenant ${header.tenant} exists already`);
  return header.tenant;
}

function readTrailer(value: Record<string, unknown>, line: number, blame: Blame): Trailer | undefined {
  if (value['end'] === true) return value as unknown as Trailer;
  blame(line, 'is neither a row nor the last line of an export');
  return undefined;
}

/** Lists the differences between the trailer and the rows read. */
function listTrailerDifferences(
  tables: TableSums,
  trailer: Trailer | undefined,
  isFaulty: boolean,
): string[] {
  if (!trailer) return ['the file is incomplete: its last line is missing'];
  // A file with faulty lines differs from its trailer anyway.
  if (isFaulty) return [];
  return tableNames.flatMap((name) => {
    const [is, should] = [tables[name], trailer.tables[name]];
    if (is?.rows !== should?.rows)
      return [`${name} has ${is?.rows ?? 0} rows; expected ${should?.rows ?? 0}`];
    return is?.sha256 === should?.sha256 ? [] : [`${name} was changed after the export`];
  });
}

/** Inserts rows in bulk; if that fails, one by one, to find the rows that cannot be inserted. */
async function insertRows(bulk: Bulk, { name, rows }: Waiting, blame: Blame): Promise<void> {
  if (rows.length === 0) return;
  const { queries } = bulk;
  try {
    await bulk.attempt(() =>
      queries.insertMany(
        name,
        rows.map(({ row }) => row),
      ),
    );
    return;
  } catch (error) {
    if (!isConstraintError(error)) throw error;
  }
  for (const { line, row } of rows) {
    try {
      await bulk.attempt(() => queries.insert(name, row));
    } catch (error) {
      if (!isConstraintError(error)) throw error;
      blame(line, `${name}: ${getDriverError(error).message}`);
    }
  }
}

/** Returns the driver's error; Drizzle wraps it. */
function getDriverError(error: unknown): Error & { code?: string } {
  const { cause } = error as { cause?: unknown };
  return (cause instanceof Error ? cause : error) as Error;
}

/** Whether a constraint of the database failed: SQLITE_CONSTRAINT…, or SQLSTATE classes 22 and 23. */
const isConstraintError = (error: unknown) =>
  /^(SQLITE_CONSTRAINT|22|23)/.test(getDriverError(error).code ?? '');

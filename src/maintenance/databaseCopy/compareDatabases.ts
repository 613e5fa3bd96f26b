import { createHash } from 'node:crypto';
import { mergeJoin } from './copy.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { getPrimaryKey, isSameRow, tables, toRowText, type AnyRow } from '../../storage/query/tableMeta.ts';
import { tableDeclarations, type TableName } from '../../storage/model/rowTypes.ts';
import type { Store } from '../../storage/store.ts';

const mostNamed = 5;

/** A value of each database; the source is first. */
type Sides<T> = [from: T, to: T];

interface TableComparison {
  table: string;
  rows: Sides<number>;
  /** SHA-256 over all rows in key order. */
  hash: Sides<string>;
  /** The keys of the first differing rows, with the difference. */
  differences: string[];
}

interface MoneyComparison {
  tenant: string;
  currency: string;
  /** The table and column: `invoices.totalMinor`. */
  column: string;
  minorUnits: Sides<string>;
}

/** The result of a comparison of two databases. */
export interface Comparison {
  equal: boolean;
  tables: TableComparison[];
  money: MoneyComparison[];
}

/**
 * Compares a snapshot with a database: the row count and hash of each table, and the money of each tenant in each
 * currency.
 */
export function compareDatabases(
  source: Queries,
  to: Store,
  onTable: (table: string) => void = () => {},
): Promise<Comparison> {
  return to.snapshot(async (target) => {
    const found: TableComparison[] = [];
    const sums: Sums = new Map();
    for (const name of tables) {
      onTable(name);
      found.push(await compareTable(name, source, target, sums));
    }
    const money = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(toMoneyComparison);
    const equal = found.every(isEqual) && money.every(({ minorUnits: [a, b] }) => a === b);
    return { equal, tables: found, money };
  });
}

/** Sums of money by tenant, currency and column. */
type Sums = Map<string, Sides<bigint>>;

async function compareTable(
  name: TableName,
  source: Queries,
  target: Queries,
  sums: Sums,
): Promise<TableComparison> {
  const rows: Sides<number> = [0, 0];
  const hashes = [createHash('sha256'), createHash('sha256')] as const;
  const differences: string[] = [];
  for await (const pair of mergeJoin(name, source, target)) {
    for (const place of [0, 1] as const) {
      const row = place === 0 ? pair.ours : pair.theirs;
      if (!row) continue;
      rows[place] += 1;
      hashes[place].update(`${toRowText(row)}\n`);
      addMoney(sums, name, row, place);
    }
    if (differences.length < mostNamed) differences.push(...listDifferences(name, pair));
  }
  return { table: name, rows, hash: [hashes[0].digest('hex'), hashes[1].digest('hex')], differences };
}

const isEqual = ({ rows, hash }: TableComparison) => rows[0] === rows[1] && hash[0] === hash[1];

function listDifferences(name: TableName, { ours, theirs }: { ours?: AnyRow; theirs?: AnyRow }): string[] {
  const key = getPrimaryKey(name, (ours ?? theirs)!).join(' ');
  if (!theirs) return [`${key} is missing`];
  if (!ours) return [`${key} is too many`];
  if (isSameRow(ours, theirs)) return [];
  const columns = Object.keys(ours).filter(
    (column) => !isSameRow({ value: ours[column] }, { value: theirs[column] }),
  );
  return [`${key} differs in ${columns.join(', ')}`];
}

/** Adds the money columns of a row to the sums of its tenant and currency. */
function addMoney(sums: Sums, name: TableName, row: AnyRow, place: 0 | 1): void {
  for (const [column, { kind }] of Object.entries<{ kind: string }>(tableDeclarations[name].columns)) {
    const amount = row[column];
    if (kind !== 'money' || typeof amount !== 'bigint') continue;
    const key = JSON.stringify([row['tenantAlias'], row['currency'], `${name}.${column}`]);
    const sum = sums.get(key) ?? [0n, 0n];
    sum[place] += amount;
    sums.set(key, sum);
  }
}

function toMoneyComparison([key, [from, to]]: [string, Sides<bigint>]): MoneyComparison {
  const [tenant, currency, column] = JSON.parse(key) as [string, string, string];
  return { tenant, currency, column, minorUnits: [String(from), String(to)] };
}

import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { Match, Queries } from '../../storage/query/queries.ts';
import {
  compareKeys,
  getPrimaryKey,
  keyNames,
  iterateRows,
  isSameRow,
  tables,
  type AnyRow,
} from '../../storage/query/tableMeta.ts';
import { tableDeclarations, type TableName } from '../../storage/model/rowTypes.ts';
import type { Bulk, Store } from '../../storage/store.ts';

const rowsPerWrite = 1000;

/** The progress of a copy. */
export interface CopyStep {
  table: string;
  rows: number;
  total: number;
}

/** The number of rows that a copy added, changed and removed. */
export interface Copied {
  added: number;
  changed: number;
  removed: number;
}

/**
 * Makes `to` equal to the snapshot `source`: adds, changes and removes rows in key order, in batches that are durable
 * one by one. Equal rows stay untouched, so an interrupted copy can be repeated and a later copy catches up. Nothing
 * else may use `to` meanwhile. Throws an Error if `to` has tenants that `source` does not have, because `to` is then
 * not a copy of it.
 */
export async function copyRows(
  source: Queries,
  to: Store,
  onStep: (step: CopyStep) => void = () => {},
): Promise<Copied> {
  const done: Copied = { added: 0, changed: 0, removed: 0 };
  await refuseForeignTarget(source, to);
  // Extra rows go first, because they may conflict with copied rows. Rows that others refer to can only be removed
  // after those are changed.
  const left = await removeExtra(source, to, done);
  for (const name of tables) await copyTable(name, source, to, done, onStep);
  for (const { name, rows } of left) await remove(to, name, rows, done);
  return done;
}

async function refuseForeignTarget(source: Queries, to: Store): Promise<void> {
  const own = new Set((await source.select('tenants', { where: {} })).map(({ alias }) => alias));
  const foreign = (await to.fresh.select('tenants', { where: {} })).filter(({ alias }) => !own.has(alias));
  if (foreign.length === 0) return;
  const aliases = foreign.map(({ alias }) => alias).join(', ');
  throw new Error(
    `The target is no copy of the source, which has no tenant ${aliases}: nothing was changed.`,
  );
}

interface Extra {
  name: TableName;
  rows: AnyRow[];
}

/** Removes rows that only the target has. Returns the rows that cannot be removed yet because others refer to them. */
async function removeExtra(source: Queries, to: Store, done: Copied): Promise<Extra[]> {
  const left: Extra[] = [];
  for (const name of tables.toReversed()) {
    const extra: AnyRow[] = [];
    await to.snapshot(async (target) => {
      if ((await target.count(name, {})) === 0) return;
      for await (const { ours, theirs } of mergeJoin(name, source, target))
        if (theirs && !ours) extra.push(theirs);
    });
    const rows = await removeUnreferenced(to, name, extra, done);
    if (rows.length > 0) left.unshift({ name, rows });
  }
  return left.toReversed();
}

async function removeUnreferenced(
  to: Store,
  name: TableName,
  rows: AnyRow[],
  done: Copied,
): Promise<AnyRow[]> {
  if (rows.length === 0) return [];
  const left = await to.load((bulk) =>
    attemptEach(bulk, rows, (row) => bulk.queries.remove(name, matchRow(name, row))),
  );
  done.removed += rows.length - left.length;
  return left;
}

/** Attempts a change of each row. Returns the rows for which it failed, and which stay as they were. */
async function attemptEach(
  { attempt }: Bulk,
  rows: AnyRow[],
  change: (row: AnyRow) => MaybePromise<unknown>,
): Promise<AnyRow[]> {
  const failed: AnyRow[] = [];
  for (const row of rows) await attempt(() => change(row)).catch(() => failed.push(row));
  return failed;
}

const remove = (to: Store, name: TableName, rows: AnyRow[], done: Copied): Promise<void> =>
  to.load(async ({ queries }) => {
    for (const row of rows) done.removed += await queries.remove(name, matchRow(name, row));
  });

async function copyTable(
  name: TableName,
  source: Queries,
  to: Store,
  done: Copied,
  onStep: (step: CopyStep) => void,
): Promise<void> {
  const total = await source.count(name, {});
  const added: AnyRow[] = [];
  const changed: AnyRow[] = [];
  const postponed: AnyRow[] = [];
  const flush = async () => {
    done.changed += changed.length;
    await to.load(async (bulk) => {
      postponed.push(...(await updateRows(bulk, name, changed.splice(0))));
      await bulk.queries.insertMany(name, added);
    });
    done.added += added.splice(0).length;
  };
  let rows = 0;
  await to.snapshot(async (target) => {
    for await (const { ours, theirs } of mergeJoin(name, source, target)) {
      if (!ours) continue;
      rows += 1;
      if (!theirs) added.push(ours);
      else if (!isSameRow(ours, theirs)) changed.push(ours);
      if (added.length + changed.length === rowsPerWrite) await flush();
      if (rows % rowsPerWrite === 0) onStep({ table: name, rows, total });
    }
  });
  if (added.length + changed.length > 0) await flush();
  await updatePostponed(to, name, postponed);
  onStep({ table: name, rows, total });
}

const hasUniqueIndex = (name: TableName): boolean =>
  Object.values<{ unique?: boolean }>(tableDeclarations[name].keys.indexes ?? {}).some(
    ({ unique }) => unique === true,
  );

/**
 * Updates rows. Returns those that must wait because another row still has what is unique to them, for example the place in
 * a group that a customer's earlier subscription has left.
 */
async function updateRows(bulk: Bulk, name: TableName, rows: AnyRow[]): Promise<AnyRow[]> {
  if (hasUniqueIndex(name))
    return attemptEach(bulk, rows, (row) => bulk.queries.update(name, matchRow(name, row), row));
  await updateEach(bulk, name, rows);
  return [];
}

async function updateEach({ queries }: Bulk, name: TableName, rows: AnyRow[]): Promise<void> {
  for (const row of rows) await queries.update(name, matchRow(name, row), row);
}

/** Updates rows that had to wait for others, until none is left. Throws the database's error if none can be updated. */
async function updatePostponed(to: Store, name: TableName, rows: AnyRow[]): Promise<void> {
  if (rows.length === 0) return;
  const waiting = await to.load((bulk) => updateRows(bulk, name, rows));
  if (waiting.length < rows.length) return updatePostponed(to, name, waiting);
  await to.load((bulk) => updateEach(bulk, name, rows));
}

/** Iterates over the rows of both databases in key order and pairs rows with equal keys. */
export async function* mergeJoin(
  name: TableName,
  source: Queries,
  target: Queries,
): AsyncGenerator<{ ours?: AnyRow; theirs?: AnyRow }> {
  const [left, right] = [iterateRows(source, name), iterateRows(target, name)];
  let [ours, theirs] = [await left.next(), await right.next()];
  while (ours || theirs) {
    const order = !theirs
      ? -1
      : !ours
        ? 1
        : compareKeys(getPrimaryKey(name, ours), getPrimaryKey(name, theirs));
    yield { ours: order <= 0 ? ours : undefined, theirs: order >= 0 ? theirs : undefined };
    if (order <= 0) ours = await left.next();
    if (order >= 0) theirs = await right.next();
  }
}

const matchRow = (name: TableName, row: AnyRow): Match<any> =>
  Object.fromEntries(keyNames(name).map((key) => [key, row[key]]));

import type Database from 'better-sqlite3';
import type { Written } from './writers.ts';

type Writes = Written['writes'];

/** Where a write is found: its table, the column that keeps the client's own name of it, and its traces. */
const places = {
  customers: ['customers', 'associated_id', 'CustomerEvent'],
  products: ['products', 'name', 'ProductEvent'],
  intents: ['intents', 'order_number', 'IntentEvent'],
} as const;

/** Compares the responses to clients with the database file, and checks the file itself. */
export function checkWrites(disk: Database.Database, writes: Writes, acknowledged: Set<Writes[number]>) {
  const found = { lost: 0, doubled: 0, withoutTrace: 0, doubledPeriods: 0, damaged: 0 };
  const created = disk
    .prepare(
      `SELECT tenant_alias || json_extract(payload, '$.resourceId') FROM traces
       WHERE json_extract(payload, '$.action') = 'created'`,
    )
    .pluck()
    .all();
  const traced = new Set(created);
  found.doubled += created.length - traced.size;
  for (const [kind, [table, column]] of Object.entries(places)) {
    const rows = disk.prepare(`SELECT tenant_alias, id, ${column} AS marker FROM ${table}`).all() as Row[];
    const own = rows.filter(({ tenant_alias: alias }) => alias === 'acme');
    const ids = new Map(own.map(({ id, marker }) => [marker, id]));
    found.doubled += own.length - ids.size;
    found.withoutTrace += rows.filter(({ tenant_alias: alias, id }) => !traced.has(alias + id)).length;
    const acknowledgedWrites = writes.filter((write) => write.kind === kind && acknowledged.has(write));
    found.lost += acknowledgedWrites.filter(({ id, marker }) => ids.get(marker) !== id).length;
  }
  found.doubledPeriods = countRows(
    disk,
    `SELECT 1 FROM invoices WHERE billing_reason <> 'plan_change'
     GROUP BY tenant_alias, subscription_id, cycle_start HAVING count(*) > 1`,
  );
  found.doubledPeriods += countRows(
    disk,
    `SELECT 1 FROM payments WHERE kind = 'charge' AND status = 'succeeded'
     GROUP BY tenant_alias, invoice_id HAVING count(*) > 1`,
  );
  const said = disk.pragma('integrity_check', { simple: true });
  const orphans = disk.pragma('foreign_key_check') as unknown[];
  found.damaged = (said === 'ok' ? 0 : 1) + orphans.length;
  return found;
}

interface Row {
  tenant_alias: string;
  id: string;
  marker: string;
}

const countRows = (disk: Database.Database, text: string) =>
  Number(disk.prepare(`SELECT count(*) FROM (${text})`).pluck().get());

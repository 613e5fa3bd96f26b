/** VAT ids that an earlier release checked are listed by their status, have evidence, and are asked about again. */
import { expect, it } from 'vitest';
import { readMigrations } from '../../src/storage/migrate.ts';
import { engine, scratchDatabase } from '../support/engines.ts';
import { migrateRows } from '../support/migrated.ts';

const at = '2026-01-31T10:00:00.000Z';
const check = (status: string) =>
  `'{"value":"FR1","status":"${status}","checkedAt":"${at}","consultation":"WAPI-1"}'`;
const checks: [id: string, check: string, dueAt: string][] = [
  ['cus_a', check('valid'), 'null'],
  ['cus_b', check('invalid'), 'null'],
  ['cus_c', check('unavailable'), `'${at}'`],
  ['cus_d', 'null', `'${at}'`],
  ['cus_e', 'null', 'null'],
];
const flag = engine === 'sqlite' ? '1' : 'true';
const statements = [
  `insert into tenants (alias, name, timezone, test, cursor_secret, retry_days, has_webhooks, created_at, updated_at)
     values ('acme', 'Acme', 'UTC', ${flag}, 's', '[]', ${flag}, '${at}', '${at}');`,
  ...checks.map(
    ([id, vatIdCheck, dueAt]) => `
      insert into customers (tenant_alias, id, associated_id, first_name, last_name, email, metadata, created_at, updated_at,
        vat_id_check, vat_id_check_due_at)
      values ('acme', '${id}', '${id}', 'Ada', 'Byron', 'a@example.org', '{}', '${at}', '${at}', ${vatIdCheck}, ${dueAt});`,
  ),
].join('\n');

it('the migration fills the status, the evidence and the next question', async () => {
  const all = readMigrations(`drizzle/${engine}`);
  const filling = all.findIndex((migration) =>
    migration.statements.some((each) => each.includes('vat_id_checks')),
  );
  expect(filling).toBeGreaterThan(0);
  const scratch = await scratchDatabase(engine, true);
  try {
    await migrateRows(scratch, all, filling, statements);
    const customers = await scratch.backdoor.all(
      'select id, vat_id_status, vat_id_check_due_at from customers order by id',
    );
    expect(customers.map((row: any) => [row.id, row.vat_id_status])).toEqual([
      ['cus_a', 'valid'],
      ['cus_b', 'invalid'],
      ['cus_c', 'unavailable'],
      ['cus_d', 'unavailable'],
      ['cus_e', null],
    ]);
    const dueMs = customers.map((row: any) => row.vat_id_check_due_at && Date.parse(row.vat_id_check_due_at));
    const afterDays = (dueMs[0] - Date.parse(at)) / 86_400_000;
    expect([afterDays >= 80, afterDays < 90]).toEqual([true, true]);
    expect(dueMs.slice(1)).toEqual([null, Date.parse(at), Date.parse(at), null]);
    const answers = await scratch.backdoor.all('select * from vat_id_checks order by customer_id');
    expect(answers.map((row: any) => ({ ...row, checked_at: Date.parse(row.checked_at) }))).toEqual(
      ['a', 'b'].map((letter) => ({
        tenant_alias: 'acme',
        id: `vic_${letter}`,
        customer_id: `cus_${letter}`,
        vat_id: 'FR1',
        status: letter === 'a' ? 'valid' : 'invalid',
        checked_at: Date.parse(at),
        consultation: 'WAPI-1',
        requester: null,
        name: null,
        address: null,
      })),
    );
  } finally {
    await scratch.drop();
  }
});

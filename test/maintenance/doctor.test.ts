/** The doctor finds each thing that is made wrong behind the program's back, and nothing in books that are right. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { busyTenant } from '../support/busyTenant.ts';
import { perennial } from '../support/cli.ts';

let app: TestApp;
let alias: string;

beforeAll(async () => {
  app = await startApp();
  alias = (await busyTenant(app)).alias;
});
afterAll(() => app.close());

const examine = async () => {
  const said = await perennial(app.database, ['doctor', '--json']);
  expect(said.code).toBe(said.json.findings.length === 0 ? 0 : 1);
  return said.json as { findings: any[]; examined: any };
};

it('finds no faults in a correct database', async () => {
  const { findings, examined } = await examine();
  expect(findings).toEqual([]);
  expect(examined).toMatchObject({ tenants: 1, subscriptions: 3 });
  expect(examined.invoices).toBeGreaterThan(5);
  expect((await perennial(app.database, ['doctor'])).out).toMatch(
    /^Checked 1 tenant, 3 subscriptions, \d+ invoices and \d+ traces\.\nNo problems found\.\n$/,
  );
});

describe('finds a fault and suggests a repair', () => {
  const rows: [check: string, spoil: string, restore: string][] = [
    [
      'billed_count',
      'update subscriptions set billed_count = billed_count + 1',
      'update subscriptions set billed_count = billed_count - 1',
    ],
    [
      'invoice_total',
      'update invoices set total_minor = total_minor + 1',
      'update invoices set total_minor = total_minor - 1',
    ],
    [
      'line_amount',
      "update invoice_lines set amount_minor = amount_minor + 1 where kind = 'CYCLE'",
      "update invoice_lines set amount_minor = amount_minor - 1 where kind = 'CYCLE'",
    ],
    [
      'agreed_price',
      'update intents set amount_minor = amount_minor + 1 where quantity is not null',
      'update intents set amount_minor = amount_minor - 1 where quantity is not null',
    ],
    [
      'agreed_price',
      'update subscriptions set quantity = quantity + 1 where quantity is not null',
      'update subscriptions set quantity = quantity - 1 where quantity is not null',
    ],
    [
      'agreed_price',
      'update subscriptions set amount_minor = amount_minor + 1 where quantity is null',
      'update subscriptions set amount_minor = amount_minor - 1 where quantity is null',
    ],
    [
      'agreed_price',
      'update subscriptions set quantity = 2 where pricing is null',
      'update subscriptions set quantity = null where pricing is null',
    ],
    [
      'alerts',
      `update subscriptions set spend_alerted = '{"periodStart":"2026-01-01T00:00:00.000Z","amountMinor":"5"}'`,
      'update subscriptions set spend_alerted = null',
    ],
    [
      'alerts',
      `insert into limit_alerts (tenant_alias, id, customer_id, feature, period_start, percent)
       select alias, 'lia_1', 'cus_1', 'calls', '2026-01-01T00:00:00.000Z', 50 from tenants`,
      'delete from limit_alerts',
    ],
    [
      'invoice_numbers',
      'update invoices set number = 1000 where number = 1',
      'update invoices set number = 1 where number = 1000',
    ],
    ['payments', 'update invoices set refunded_minor = 1', 'update invoices set refunded_minor = 0'],
    [
      'traces',
      "update customers set last_name = last_name || '!'",
      "update customers set last_name = replace(last_name, '!', '')",
    ],
    [
      'open_invoice',
      "update subscriptions set open_invoice_id = 'inv_x' where open_invoice_id is null",
      "update subscriptions set open_invoice_id = null where open_invoice_id = 'inv_x'",
    ],
    [
      'balance',
      "update balance_entries set remaining_minor = remaining_minor + 1 where kind = 'credit'",
      "update balance_entries set remaining_minor = remaining_minor - 1 where kind = 'credit'",
    ],
    [
      'reference',
      "update tax_rates set id = 'txr_lost' where tax_code = 'books'",
      "update tax_rates set id = (select tax_rate_id from customers where tax_rate_id is not null) where id = 'txr_lost'",
    ],
    ['reference', "update logos set base64 = 'A' || base64", 'update logos set base64 = substr(base64, 2)'],
    ['reference', "update logos set id = 'lost' || id", 'update logos set id = substr(id, 5)'],
    [
      'request_under_way',
      `insert into idempotency (tenant_alias, idempotency_key, field, request_hash, outcome, owner, claimed_until, created_at) select alias, 'k', 'f', 'h', null, 'o', '2026-01-01T00:00:06.000Z', '2026-01-01T00:00:00.000Z' from tenants`,
      "delete from idempotency where idempotency_key = 'k'",
    ],
  ];
  it.each(rows)('%s', async (check, spoil, restore) => {
    await app.backdoor.execute(spoil);
    const { findings } = await examine();
    const own = findings.filter((finding) => finding.check === check);
    expect(own.length, JSON.stringify(findings)).toBeGreaterThan(0);
    for (const finding of own) {
      expect(finding).toEqual({
        tenant: alias,
        check,
        subject: expect.any(String),
        found: expect.any(String),
        repair: expect.stringMatching(/\.$/),
      });
    }
    const said = await perennial(app.database, ['doctor']);
    expect(said).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Found (1 problem|\d+ problems); nothing was changed\.\n$/),
    });
    expect(said.out).toContain(`How to repair:\n`);
    await app.backdoor.execute(restore);
    expect((await examine()).findings).toEqual([]);
  });
});

it('finds overdue work and periods billed twice', async () => {
  const spoil = "update subscriptions set due_at = '2026-03-01T00:00:00.000Z' where due_at is not null";
  await app.backdoor.execute(spoil);
  expect((await examine()).findings.map(({ check }) => check)).toContain('overdue');
  await app.backdoor.execute(
    "update invoice_lines set period_start = '2026-01-31T10:00:00.000Z' where kind = 'CYCLE'",
  );
  const checks = (await examine()).findings.map(({ check }) => check);
  expect(checks).toContain('periods');
});

/** Disputes and refunds from the provider reach followers at once, and leave a database whole: by export, import and copy. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { perennial } from '../support/cli.ts';
import { engine as own, scratchDatabase, type Engine, type Scratch } from '../support/engines.ts';
import { findFaults } from '../support/faults.ts';
import { follow, listen } from '../support/follow.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-reversals-'));
const scratches: Scratch[] = [];
let app: TestApp;
let books: Books;
let url: string;

beforeAll(async () => {
  app = await startApp();
  books = await openBooks(app, '2026-01-31T10:00:00.000Z');
  url = await listen(app);
});
afterAll(async () => {
  await app.close();
  for (const scratch of scratches) await scratch.drop();
  rmSync(folder, { recursive: true });
});

const ofInvoices = 'query ($id: ID) { invoices(subscriptionId: $id) { nodes { id payments { id } } } }';
const simulateDispute = `mutation ($id: ID!, $status: DisputeStatus!) {
  simulateDispute(id: $id, input: { status: $status }) { id kind status dispute { status reason evidenceDueAt } }
}`;
const simulateRefund =
  'mutation ($id: ID!, $amount: MoneyInput) { simulateRefund(id: $id, input: { amount: $amount }) { id } }';

/** A subscription of 50; returns the id of its first charge. */
async function charge(): Promise<string> {
  const id = await books.subscribe(await books.shop.customer(), await books.plan(50));
  return (await books.client.graphql(ofInvoices, { id })).invoices.nodes[0].payments[0].id;
}

it('a dispute appears to a follower as it is opened, and again as it is decided', async () => {
  const id = await charge();
  const following = await follow(url, books.client, { filter: { activityType: 'PaymentEvent' } });
  try {
    for (const status of ['needs_response', 'lost'])
      await books.client.graphql(simulateDispute, { id, status });
    await books.client.graphql(simulateRefund, {
      id: await charge(),
      amount: { amount: 20, currency: 'afn' },
    });
    const shown = () =>
      following.events.map(
        ({ payload: { action, object } }) => `${action} ${object.dispute?.status ?? object.status}`,
      );
    await expect
      .poll(shown)
      .toEqual([
        'dispute_opened needs_response',
        'dispute_lost lost',
        'succeeded succeeded',
        'refund_succeeded succeeded',
      ]);
    expect(following.errors).toEqual([]);
  } finally {
    await following.stop();
  }
});

// The server of PostgreSQL belongs to its own tests.
const targets: Engine[] = own === 'postgres' ? ['sqlite', 'postgres'] : ['sqlite'];

describe('the books with disputes and refunds', () => {
  /** The rows of payments and invoices in an exported file that have a value in a column of reversals. */
  const readKept = (file: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /"(disputeStatus|disputeReason|evidenceDueAt|withdrawnMinor)":"/.test(line));
  const exportTo = async (database: string | undefined, name: string) => {
    const file = path.join(folder, name);
    const said = await perennial(database, ['export', '--tenant', books.alias, file, '--json']);
    expect(said, said.err).toMatchObject({ code: 0, err: '' });
    return { file, tables: said.json.tables };
  };
  const scratch = async (engine: Engine, isBare = false) => {
    const made = await scratchDatabase(engine, isBare);
    scratches.push(made);
    return made.url;
  };

  it.each(targets)('come by export and import to %s, and by copy', async (engine) => {
    for (const status of ['needs_response', 'under_review', 'lost', 'won'])
      await books.client.graphql(simulateDispute, { id: await charge(), status });
    expect(await findFaults(app, books.alias)).toEqual([]);
    const source = await exportTo(app.database, `${engine}-source.jsonl`);
    const kept = readKept(source.file);
    for (const status of ['needs_response', 'under_review', 'lost', 'won'])
      expect(kept.join('\n')).toContain(`"disputeStatus":"${status}"`);
    for (const column of ['disputeReason', 'evidenceDueAt', 'withdrawnMinor'])
      expect(kept.join('\n')).toContain(`"${column}":"`);

    const imported = await scratch(engine);
    const said = await perennial(imported, ['import', source.file, '--json']);
    expect(said, said.err).toMatchObject({ code: 0, json: { kept: true, tables: source.tables } });
    expect(readKept((await exportTo(imported, `${engine}-imported.jsonl`)).file)).toEqual(kept);
    expect((await perennial(imported, ['doctor', '--json'])).json).toMatchObject({ findings: [] });

    const copied = await scratch(engine, true);
    const copy = await perennial(undefined, ['copy', '--from', app.database, '--to', copied, '--json']);
    expect(copy, copy.err).toMatchObject({ code: 0, json: { equal: true } });
    expect(readKept((await exportTo(copied, `${engine}-copied.jsonl`)).file)).toEqual(kept);
  });
});

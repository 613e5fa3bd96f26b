/** What the migration makes of books that were written before lines counted what they gave back. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks } from '../support/books.ts';
import { engine } from '../support/engines.ts';
import { findFaults } from '../support/faults.ts';

const folder = `drizzle/${engine}`;
/** The statements that fill in the new columns, wherever the migrations have them. */
const statements = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .toSorted()
  .flatMap((file) => readFileSync(`${folder}/${file}`, 'utf8').split('--> statement-breakpoint'))
  .filter((text) =>
    /UPDATE "(invoice_lines|intents)" SET "(credited_line_id|credited_minor|refunded_minor)"/.test(text),
  );

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

it('the migration sets the returned amount of every line, and the books add up', async () => {
  expect(statements).toHaveLength(4);
  const books = await openBooks(app, '2026-01-01');
  const plans = async (groupId: string, ...amounts: number[]) =>
    Promise.all(amounts.map((amount) => books.plan(amount, { groupId, recurring: { frequency: 'Yearly' } })));
  const refund =
    'mutation ($id: ID!, $amount: MoneyInput) { refundInvoice(id: $id, input: { amount: $amount }) { id } }';
  for (let count = 0; count < 3; count++) {
    const customer = await books.shop.customer();
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const [first, second, third] = await plans(groupId, 100, 200, 400);
    const id = await books.subscribe(customer, first);
    await books.advance(`2026-0${2 + count}-01`);
    await books.subscribe(customer, second);
    await books.client.graphql(refund, {
      id: (await books.invoices(id))[0].id,
      amount: { amount: 1.5, currency: 'afn' },
    });
    await books.advance(`2026-0${2 + count}-10`);
    if (count === 0) await books.subscribe(customer, third);
    else await books.shop.confirm((await books.shop.intent(customer, third)).intentId, 'manual');
  }
  const before = await app.backdoor.dump(books.alias);
  await app.backdoor.execute(
    'UPDATE invoice_lines SET credited_line_id = null, credited_minor = null, refunded_minor = null',
  );
  await app.backdoor.execute(
    `UPDATE intents SET credited_line_id = null, credited_minor = null, given_back_minor = null
     WHERE status = 'processing'`,
  );
  expect(await findFaults(app, books.alias)).not.toEqual([]);
  for (const statement of statements) await app.backdoor.execute(statement);
  expect(await app.backdoor.dump(books.alias)).toBe(before);
  expect(await findFaults(app, books.alias)).toEqual([]);
});

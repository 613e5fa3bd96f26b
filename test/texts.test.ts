/** What people read on a terminal: one of something is not called many, and nothing is said in riddles. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCount } from '../src/cli/progress.ts';
import { filesIn, root } from './sourceFiles.ts';
import { startApp, type TestApp } from './support/app.ts';
import { perennial } from './support/cli.ts';
import { engine } from './support/engines.ts';

it.each([
  [0, '0 tenants'],
  [1, '1 tenant'],
  [2, '2 tenants'],
  [1234567, '1,234,567 tenants'],
])('%d of something is %s', (count, text) => {
  expect(formatCount(count, 'tenant')).toBe(text);
});

it('a noun may have a plural of its own', () => {
  expect([formatCount(1, 'entry', 'entries'), formatCount(2, 'entry', 'entries')]).toEqual([
    '1 entry',
    '2 entries',
  ]);
});

it('no text of a command puts a count before a noun that is always plural', () => {
  const plurals =
    /\$\{[^}]*\} (rows|tenants|customers|products|prices|subscriptions|invoices|traces|problems|errors|faults|items|tables|sums|records|things)\b/;
  const found = filesIn('src/cli').flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (plurals.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

describe('with one tenant', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
    await app.tenant({ alias: 'acme' });
  });
  afterAll(() => app.close());

  it('doctor counts one tenant and no subscriptions', async () => {
    const said = await perennial(app.database, ['doctor']);
    expect(said.out).toMatch(
      /^Checked 1 tenant, 0 subscriptions, 0 invoices and \d+ traces\.\nNo problems found\.\n$/,
    );
  });

  it('doctor finds one problem, and says how to repair it', async () => {
    await app.backdoor.execute("update tenants set name = 'Other'");
    const said = await perennial(app.database, ['doctor']);
    expect(said.err).toBe('Found 1 problem; nothing was changed.\n');
    expect(said.out).toContain('acme traces acme: differs from its last trace\n');
    expect(said.out).toMatch(/\nHow to repair:\n {2}traces: The database was changed by something other/);
    await app.backdoor.execute("update tenants set name = 'acme'");
  });
});

describe('bill', () => {
  it('reports that nothing was due, or the processed number', async () => {
    const app = await startApp();
    const { database } = app;
    try {
      const acme = await app.tenant({ alias: 'acme' });
      const { createProduct: product } = await acme.graphql(`mutation {
        createProduct(input: { name: "Pro", description: "", prices: [{ details: { amount: 5, currency: "usd" } }] })
          { id prices { id } }
      }`);
      const { createCustomer: customer } = await acme.graphql(`mutation {
        createCustomer(input: { associatedId: "a", email: "a@example.com", firstName: "A", lastName: "B" }) { id }
      }`);
      await acme.graphql(
        'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
        {
          input: {
            customerId: customer.id,
            associatedCustomerId: 'a',
            productId: product.id,
            priceId: product.prices[0].id,
            receiptUrl: 'https://shop.example',
          },
        },
      );
      await app.backdoor.execute("update intents set expires_at = '2026-01-01T00:00:00.000Z'");
      // A file has one owner, which is the command then.
      if (engine === 'sqlite') await app.service.store.close();
      expect((await perennial(database, ['bill'])).out).toBe('Processed 1 due item.\n');
      expect((await perennial(database, ['bill'])).out).toBe('Nothing was due.\n');
    } finally {
      await app.close();
    }
  });
});

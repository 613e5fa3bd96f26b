/** A server for the tests of adopters: a subscription that renews while the clock is moved, with its webhooks. */
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { beforeAll, expect, it } from 'vitest';
import { build, program } from '../support/program.ts';
import { importSdk } from '../support/sdk.ts';

const { startPerennial } = await importSdk('testing');

beforeAll(build);

const listFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('perennial-test-'));

it('bills a subscription to a time, with the webhooks of all that happens', async () => {
  const before = listFolders();
  const billing = await startPerennial({ program, clock: '2026-01-31' });
  try {
    const { client } = billing;
    const product = await client.products.create({
      name: 'Pro',
      description: '',
      prices: [
        { details: { decimal: '10.00', currency: 'usd' }, recurring: { frequency: 'Monthly', period: 1 } },
      ],
    });
    const customer = await client.customers.create({
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      associatedId: 'ada',
    });
    const intent = await client.intents.create({
      customerId: customer.id,
      productId: product.id,
      priceId: product.prices[0].id,
      receiptUrl: 'https://shop.example/thanks',
    });
    const { subscriptionId } = await client.intents.confirm(intent.id, { paymentMethod: 'sandbox_ok' });
    const created = await billing.waitForWebhook('subscription.created');
    expect(created.data.payload.resourceId).toBe(subscriptionId);

    await billing.advanceTo('2026-05-01');
    const paid: string[] = [];
    for await (const invoice of client.invoices.list({ order: 'ASC' }))
      paid.push(`${invoice.status} ${invoice.total.decimal}`);
    expect(paid).toEqual(Array(4).fill('paid 10.00'));
    await expect
      .poll(() => billing.webhooks.filter(({ name }: any) => name === 'invoice.paid').length)
      .toBe(4);
    const sequences = billing.webhooks
      .filter(({ data }: any) => data.payload.object.subscriptionId === subscriptionId)
      .map(({ sequence }: any) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a: number, b: number) => a - b));

    const ended = await client.subscriptions.cancel(subscriptionId, { atPeriodEnd: true });
    expect(ended).toMatchObject({ status: 'active', cancelAtPeriodEnd: true });
    await billing.advanceTo(new Date('2026-06-01'));
    expect(await client.subscriptions.retrieve(subscriptionId)).toMatchObject({ status: 'cancelled' });
  } finally {
    await billing.stop();
  }
  await expect(fetch(billing.url)).rejects.toThrow();
  expect(listFolders().filter((name) => !before.includes(name))).toEqual([]);
});

it('says what failed if the program does not start', async () => {
  const before = listFolders();
  await expect(startPerennial({ program: '/nowhere/perennial.mjs' })).rejects.toThrow(
    '/nowhere/perennial.mjs',
  );
  const env = { PERENNIAL_LOG_LEVEL: 'nothing' };
  await expect(startPerennial({ program, env })).rejects.toThrow('LOG_LEVEL');
  expect(existsSync(program)).toBe(true);
  expect(listFolders().filter((name) => !before.includes(name))).toEqual([]);
});

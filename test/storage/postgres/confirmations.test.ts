/** Payments that providers in the process make, and those by balance, confirmed at two gateways of one database at once. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp, type App } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startApp, testSecretKey, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { confirmDocument } from '../../support/shop.ts';

let app: TestApp;
let second: App;
let books: Books;

beforeAll(async () => {
  const settings = { rateLimitPerSecond: '10000', secretKey: testSecretKey };
  app = await startApp(settings);
  // The requests of a busy machine may wait for each other for longer than the tests' own limit.
  const database = app.database.replace(/lock_timeout=\d+/, 'lock_timeout=20000');
  const config = readConfig(
    { database, databaseConnections: '4', logLevel: 'silent', testMails: 'off', ...settings },
    {},
  );
  second = await createApp(config, { scheduler: false, log: pino({ level: 'silent' }) });
  books = await openBooks(app, '2026-01-31');
});
afterAll(async () => {
  expect(await findFaults(app, books.alias)).toEqual([]);
  await second.close();
  await app.close();
});

/** Confirms an intent at one of the gateways; returns its status, or the reason why not. */
async function confirm(gateway: number, id: string, method: string): Promise<string> {
  const payload = { query: confirmDocument, variables: { id, method } };
  const headers = { 'api-key': books.client.apiKey };
  for (let tries = 0; tries < 100; tries++) {
    const { server } = [app, second][gateway % 2]!;
    const { body } = await server.inject({ method: 'POST', url: '/graphql', headers, payload });
    const { data, errors } = JSON.parse(body);
    const result = data?.confirmIntent?.status ?? errors[0].extensions.reason;
    if (result !== 'unavailable') return result;
  }
  return 'unavailable';
}

const order = async (customer: any, price: any) =>
  (await books.shop.intent(customer, price)).intentId as string;
const credit = (customer: any, amount: number) =>
  books.client.graphql('mutation ($input: GrantCreditInput!) { grantCredit(input: $input) { id } }', {
    input: { customerId: customer.id, amount: { amount, currency: 'afn' }, reason: 'gift' },
  });
const listPayments = (intentId: string | string[]) =>
  app.service.store.fresh.select('payments', { where: { tenantAlias: books.alias, intentId } });
const listInvoices = async (customerId: string) =>
  (await app.service.store.fresh.select('invoices', { where: { tenantAlias: books.alias, customerId } })).map(
    ({ intentId, status }) => `${intentId} ${status}`,
  );

describe('50 confirmations of one intent at two gateways', () => {
  it.each([
    ['sandbox_ok', 0, 'succeeded', 1],
    // Its payment is recorded when the money is there.
    ['manual', 0, 'processing', 0],
    // The balance pays all of it, or a part.
    ['sandbox_ok', 80, 'succeeded', 0],
    ['sandbox_ok', 20, 'succeeded', 1],
  ])('by %s with a balance of %d bill once: %s', async (method, balance, result, payments) => {
    const customer = await books.shop.customer();
    if (balance > 0) await credit(customer, balance);
    const id = await order(customer, await books.plan(50));
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => confirm(index, id, method)));
    expect(answers.filter((answer) => answer === result)).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'intent_not_payable')).toHaveLength(49);
    expect(await listPayments(id)).toHaveLength(payments);
    expect(await listInvoices(customer.id)).toEqual([`${id} ${result === 'processing' ? 'open' : 'paid'}`]);
  });
});

it('ten intents of a customer, confirmed by both gateways, are billed once each, and the balance once', async () => {
  const customer = await books.shop.customer();
  await credit(customer, 120);
  const ids = await Promise.all(
    Array.from({ length: 10 }, async () => order(customer, await books.plan(50))),
  );
  const answers = await Promise.all(
    ids.flatMap((id) =>
      [0, 1, 0, 1].map(async (gateway) => [id, await confirm(gateway, id, 'sandbox_ok')] as const),
    ),
  );
  for (const id of ids) {
    const own = answers.filter(([answered]) => answered === id).map(([, result]) => result);
    expect(own.toSorted()).toEqual([...Array(3).fill('intent_not_payable'), 'succeeded']);
  }
  expect((await listInvoices(customer.id)).toSorted()).toEqual(ids.map((id) => `${id} paid`).toSorted());
  const payments = await listPayments(ids);
  const paid = payments.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  expect([payments.length, paid]).toEqual([8, 38000n]);
});

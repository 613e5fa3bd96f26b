/** Providers that answer in the process: a payment with them is begun, made and recorded by one unit of work. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commits, type Commit } from '../../src/runtime/commitChannel.ts';
import type { Outcome, PaymentProvider } from '../../src/providers/provider.ts';
import { sandbox } from '../../src/providers/sandbox.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { findFaults } from '../support/faults.ts';
import { confirmDocument } from '../support/shop.ts';

let app: TestApp;
let books: Books;
let units = 0;
const count = (commit: unknown) => {
  units += (commit as Commit).units;
};
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
  books = await openBooks(app, '2026-01-31');
  commits.subscribe(count);
});
afterAll(async () => {
  commits.unsubscribe(count);
  expect(await findFaults(app, books.alias)).toEqual([]);
  await app.close();
});

const savedDocument = `mutation ($id: ID!, $method: ID!) {
  confirmIntent(id: $id, input: { paymentMethodId: $method }) { status failureReason }
}`;

/** Sends a mutation; returns the status of its record or its reason, and the number of units of work that it took. */
async function send(document: string, variables: Record<string, unknown>, key?: string) {
  units = 0;
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const { body, text } = await books.client.post(document, variables, headers);
  const [record] = Object.values<any>(body.data ?? {});
  return { result: record?.status ?? body.errors?.[0].extensions.reason, units, text };
}

const order = async (customer: any, fields?: object) =>
  (await books.shop.intent(customer, await books.plan(50), fields)).intentId as string;

/** Subscribes a customer with a method; returns the id of the saved method. */
async function saveMethod(customer: any, method: string): Promise<string> {
  await books.subscribe(customer, await books.plan(5), method);
  const { customer: found } = await books.client.graphql(
    'query ($id: ID!) { customer(id: $id) { paymentMethods { nodes { id } } } }',
    { id: customer.id },
  );
  return found.paymentMethods.nodes[0].id;
}

/** Gives a customer a balance. */
async function credit(customer: any, amount: number): Promise<void> {
  const input = { customerId: customer.id, amount: { amount, currency: 'afn' }, reason: 'gift' };
  await books.client.graphql('mutation ($input: GrantCreditInput!) { grantCredit(input: $input) { id } }', {
    input,
  });
}

describe('a payment with a chosen method', () => {
  it.each([
    ['sandbox_ok', 'succeeded'],
    ['sandbox_declined', 'payment_failed'],
    ['sandbox_requires_action', 'requires_action'],
    ['manual', 'processing'],
  ])('%s takes one unit: %s', async (method, result) => {
    const id = await order(await books.shop.customer());
    expect(await send(confirmDocument, { id, method })).toMatchObject({ result, units: 1 });
  });

  it('that owes nothing yet takes one unit', async () => {
    const id = await order(await books.shop.customer(), { startDate: '2026-03-01' });
    expect(await send(confirmDocument, { id, method: 'sandbox_ok' })).toMatchObject({
      result: 'succeeded',
      units: 1,
    });
  });

  it('that the balance pays takes one unit, which saves the method too', async () => {
    const customer = await books.shop.customer();
    await credit(customer, 80);
    const id = await order(customer);
    expect(await send(confirmDocument, { id, method: 'sandbox_ok' })).toMatchObject({
      result: 'succeeded',
      units: 1,
    });
    const { customer: found } = await books.client.graphql(
      `query ($id: ID!) {
        customer(id: $id) { paymentMethods { nodes { id } } activeSubscriptions { paymentMethod { id } } }
      }`,
      { id: customer.id },
    );
    expect(found.activeSubscriptions.map((each: any) => each.paymentMethod)).toEqual(
      found.paymentMethods.nodes,
    );
  });

  it('of 50 requests at once is made by one of them', async () => {
    const id = await order(await books.shop.customer());
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => send(confirmDocument, { id, method: 'sandbox_ok' })),
    );
    const refused = answers.filter(({ result }) => result === 'intent_not_payable');
    expect(refused).toHaveLength(49);
    expect(answers.map(({ result }) => result)).toContain('succeeded');
    const where = { tenantAlias: books.alias, intentId: id };
    expect(await app.service.store.fresh.select('payments', { where })).toHaveLength(1);
  });
});

it.each([
  ['sandbox_ok', 'succeeded'],
  ['sandbox_ok_then_declined', 'payment_failed'],
])('a payment with the saved method %s takes one unit: %s', async (saved, result) => {
  const customer = await books.shop.customer();
  const method = await saveMethod(customer, saved);
  const id = await order(customer);
  expect(await send(savedDocument, { id, method })).toMatchObject({ result, units: 1 });
});

describe('a request with an idempotency key', () => {
  // The response is kept by a unit of its own, and so is a refusal before it.
  it.each([
    ['sandbox_ok', 'succeeded', 2],
    ['sandbox_declined', 'payment_failed', 3],
    ['manual', 'processing', 2],
  ])('%s keeps what the unit has recorded, and is answered alike again: %s', async (method, result, most) => {
    const [id, key] = [await order(await books.shop.customer()), randomUUID()];
    const first = await send(confirmDocument, { id, method }, key);
    expect(first).toMatchObject({ result, units: most });
    const again = await Promise.all([1, 2].map(() => send(confirmDocument, { id, method }, key)));
    expect(again.map(({ text }) => text)).toEqual([first.text, first.text]);
    const where = { tenantAlias: books.alias, resourceId: id };
    const traces = await app.service.store.fresh.select('traces', { where });
    expect(traces.filter(({ payload }) => payload['action'] === 'payment_started')).toHaveLength(1);
  });
});

describe('a provider outside of the process', () => {
  const succeed = async ({ idempotencyKey }: { idempotencyKey: string }): Promise<Outcome> => ({
    status: 'succeeded',
    reference: idempotencyKey,
    methodReference: 'far',
  });
  const far: PaymentProvider = { ...sandbox, name: 'far', start: succeed, charge: succeed, resume: succeed };
  delete far.isInProcess;

  it('is asked between two units', async () => {
    app.service.payments.charging = [far];
    const id = await order(await books.shop.customer());
    expect(await send(confirmDocument, { id, method: 'far_1' })).toMatchObject({
      result: 'succeeded',
      units: 2,
    });
  });

  it('that begins to answer in the process continues what was begun', async () => {
    const unreached = async () => {
      throw new Error('nobody there');
    };
    app.service.payments.charging = [{ ...far, start: unreached }];
    const [id, key] = [await order(await books.shop.customer()), randomUUID()];
    expect(await send(confirmDocument, { id, method: 'far_1' }, key)).toMatchObject({
      result: 'unavailable',
    });
    app.service.payments.charging = [{ ...far, isInProcess: true }];
    expect(await send(confirmDocument, { id, method: 'far_1' }, key)).toMatchObject({ result: 'succeeded' });
    const where = { tenantAlias: books.alias, intentId: id };
    const payments = await app.service.store.fresh.select('payments', { where });
    expect(payments.map(({ status, reference }) => [status, reference])).toEqual([['succeeded', `${id}_1`]]);
  });
});

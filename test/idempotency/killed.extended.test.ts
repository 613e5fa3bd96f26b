/** The program is killed, or stopped, while keyed mutations are under way: their repeats go on, and nothing is done twice. */
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { engine } from '../support/engines.ts';
import { openKillable, repeat, type Killable } from '../support/killable.ts';
import { build, call } from '../support/program.ts';
import { isLong, sampled } from '../support/sample.ts';
import { confirmDocument } from '../support/shop.ts';

const chargePath = '/v1/payment_intents';
const refundPath = '/v1/refunds';
const count = 5;
const minuteMs = 60_000;

let killable: Killable;
beforeAll(build);
beforeEach(async () => {
  killable = await openKillable();
});
afterEach(() => killable.close());

/** Intents, each for a customer of its own. */
async function intents(): Promise<string[]> {
  const { send } = killable;
  const prices = [{ details: { amount: 50, currency: 'usd' } }];
  const { product, prices: made } = await send('/api/v1/products', {
    tenantAlias: 'acme',
    name: 'Pro',
    description: '',
    prices,
  });
  const ids = Array.from({ length: count }, async (_, index) => {
    const names = { email: 'a@example.com', firstName: 'A', lastName: 'L', associatedId: `c${index}` };
    const customer = await send('/api/v1/customers', { tenantAlias: 'acme', ...names });
    const order = { customerId: customer.id, associatedCustomerId: customer.associatedId };
    const bought = { productId: product.id, priceId: made[0].id, receiptUrl: 'https://example.com/' };
    return (await send('/api/v1/subscriptions/intent', { tenantAlias: 'acme', ...order, ...bought }))
      .intentId;
  });
  return Promise.all(ids);
}

const confirm = (id: string) =>
  killable.send(
    '/graphql',
    { query: confirmDocument, variables: { id, method: 'pm_card_visa' } },
    `confirm ${id}`.replace(' ', '-'),
  );
const refund = (id: string) =>
  killable.send(
    '/graphql',
    { query: `mutation { refundInvoice(id: "${id}") { id status } }` },
    `refund-${id}`,
  );

/** Performs a mutation for each of several, ends the program while the provider has them all, and repeats them. */
async function interrupt(
  path: string,
  ids: string[],
  work: (id: string) => Promise<any>,
  end: () => unknown,
) {
  await killable.interrupt(
    path,
    ids.map((id) => () => work(id)),
    end,
  );
  await killable.restart();
  return Promise.all(ids.map((id) => repeat(() => work(id))));
}

const ends: [string, () => unknown][] = [
  ['kill -9', () => killable.running().process.kill('SIGKILL')],
  ['a stop that does not wait for ever', () => killable.running().process.kill('SIGTERM')],
];

// What a dead process has claimed on PostgreSQL is waited for.
const chosen = sampled(ends, 2, engine === 'postgres' ? 0 : 1);

it.each(chosen)(
  'payments and refunds that %s interrupts are gone on with, each made once',
  async (_, end) => {
    const { stripe, rows, listUnderWay } = killable;
    const ids = await intents();
    const paid = await interrupt(chargePath, ids, confirm, end);
    expect(paid.map((answer) => answer.data?.confirmIntent?.status ?? answer)).toEqual(
      ids.map(() => 'succeeded'),
    );
    expect(stripe.moved.map(({ kind, amount }) => `${kind} ${amount}`)).toEqual(ids.map(() => 'charge 5000'));
    expect(await rows('SELECT count(*) FROM subscriptions UNION ALL SELECT count(*) FROM payments')).toEqual([
      [String(count)],
      [String(count)],
    ]);
    expect(await listUnderWay()).toEqual([]);

    const invoices = (await rows('SELECT id FROM invoices ORDER BY id')).map(([id]) => id!);
    const refunded = await interrupt(refundPath, invoices, refund, end);
    expect(refunded.map((answer) => answer.data?.refundInvoice?.id ?? answer)).toEqual(invoices);
    const refunds = stripe.moved.filter(({ kind }) => kind === 'refund');
    expect(refunds.map(({ amount }) => amount)).toEqual(ids.map(() => 5000));
    expect(
      await rows("SELECT count(*) FROM payments WHERE kind = 'refund' AND status = 'succeeded'"),
    ).toEqual([[String(count)]]);
    expect(await listUnderWay()).toEqual([]);
    expect((await call(['doctor'], killable.settings)).findings).toEqual([]);
  },
);

const abandoned =
  'an interrupted request without a repeat is reported by doctor until the server releases it';
it.runIf(isLong || engine === 'sqlite')(abandoned, async () => {
  const { rows, examine } = killable;
  const [id] = await intents();
  await killable.interrupt(chargePath, [() => confirm(id!)], async () => {
    await expect.poll(killable.listUnderWay).toHaveLength(1);
    killable.running().process.kill('SIGKILL');
  });
  const claims = () => rows('SELECT idempotency_key FROM idempotency WHERE claimed_until IS NOT NULL');
  expect(await claims()).toHaveLength(1);

  // A claim that has just been interrupted may still be completed; one that ended minutes ago was left behind.
  expect(await examine()).toMatchObject({ code: 0, findings: [] });
  const earlier = new Date(Date.now() - 10 * minuteMs).toISOString();
  await killable.scratch.backdoor.execute(
    `UPDATE idempotency SET claimed_until = '${earlier}' WHERE claimed_until IS NOT NULL`,
  );
  expect(await examine()).toMatchObject({
    code: 1,
    findings: [{ check: 'request_under_way', subject: `confirm-${id}` }],
  });
  await killable.restart();
  await expect.poll(claims).toEqual([]);
  expect(await examine()).toMatchObject({ code: 0, findings: [] });
});

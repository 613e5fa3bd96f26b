/** The program is killed while saved methods are charged for one-off invoices and changes: each is charged exactly once. */
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { engine } from '../support/engines.ts';
import { openKillable, repeat, type Killable } from '../support/killable.ts';
import { build } from '../support/program.ts';
import { sampled } from '../support/sample.ts';
import { confirmDocument } from '../support/shop.ts';

const chargePath = '/v1/payment_intents';
const each = 2;
const minuteMs = 60_000;

let killable: Killable;
beforeAll(build);
beforeEach(async () => {
  killable = await openKillable();
});
afterEach(() => killable.close());

const billDocument = `mutation ($id: ID!) {
  createInvoice(input: { customerId: $id, items: [{ amount: { amount: 7, currency: "usd" }, description: "Work" }], collect: automatic }) {
    status total { amount }
  }
}`;
const changeDocument = `mutation ($id: ID!) {
  changeSubscription(id: $id, input: { quantity: 3, billing: charge_now }) { quantity }
}`;

interface Subscribed {
  customerId: string;
  subscriptionId: string;
}

/** Customers with a saved method and one seat of 10 a month. */
async function subscribe(count: number): Promise<Subscribed[]> {
  const { graphql } = killable;
  const seat = { model: 'per_unit', details: { amount: 10, currency: 'usd' } };
  const product = await graphql(
    `
      mutation ($seat: CreatePriceInput!) {
        createProduct(input: { name: "Team", description: "", prices: [$seat] }) {
          id
          prices {
            id
          }
        }
      }
    `,
    { seat },
  );
  const all = Array.from({ length: count }, async (_, index) => {
    const names = { email: 'a@example.com', firstName: 'A', lastName: 'L', associatedId: `c${index}` };
    const customer = await graphql(
      'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
      { input: names },
    );
    const order = { customerId: customer.id, productId: product.id, priceId: product.prices[0].id };
    const intent = await graphql(
      'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
      { input: { ...order, receiptUrl: 'https://example.com/' } },
    );
    const { subscriptionId } = await graphql(confirmDocument, { id: intent.id, method: 'pm_card_visa' });
    return { customerId: customer.id, subscriptionId };
  });
  return Promise.all(all);
}

/** Bills a charge to some customers at once, and changes the subscriptions of the others. */
const prepareWorks = (subscribed: Subscribed[]) =>
  subscribed.map(({ customerId, subscriptionId }, index) => {
    const [query, id] = index < each ? [billDocument, customerId] : [changeDocument, subscriptionId];
    return () => killable.send('/graphql', { query, variables: { id } }, `work-${index}`);
  });

const answered = [
  ...Array.from({ length: each }, () => ({ createInvoice: { status: 'paid', total: { amount: 7 } } })),
  ...Array.from({ length: each }, () => ({ changeSubscription: { quantity: 3 } })),
];

/** Lets a process start in the past what is under way, so that the scheduler takes it for abandoned. */
async function age(): Promise<void> {
  const earlier = new Date(Date.now() - 10 * minuteMs).toISOString();
  for (const [table, column] of [
    ['invoices', 'charge_started_at'],
    ['intents', 'asked_at'],
    ['idempotency', 'claimed_until'],
  ])
    await killable.scratch.backdoor.execute(
      `UPDATE ${table} SET ${column} = '${earlier}' WHERE ${column} IS NOT NULL`,
    );
}

const finishes: [how: string, finish: (works: (() => Promise<any>)[]) => Promise<void>][] = [
  [
    'is sent again',
    async (works) => {
      const answers = await Promise.all(works.map((work) => repeat(work)));
      expect(answers.map(({ data }) => data)).toEqual(answered);
    },
  ],
  [
    'is left to the scheduler',
    async () => {
      const countCharged = () =>
        killable.rows(
          `SELECT (SELECT count(*) FROM invoices WHERE status = 'paid') AS paid,
          (SELECT count(*) FROM subscriptions WHERE quantity = 3) AS changed`,
        );
      // Two first bills and two further ones of each kind of work.
      await expect.poll(countCharged, { timeout: 20_000 }).toEqual([[String(4 * each), String(each)]]);
    },
  ],
];

// One way in the short run: another one on each database.
it.each(sampled(finishes, 2, engine === 'postgres' ? 1 : 0))(
  'a charge that was interrupted and %s is made once',
  async (how, finish) => {
    const works = prepareWorks(await subscribe(2 * each));
    await killable.interrupt(chargePath, works, () => killable.running().process.kill('SIGKILL'));
    if (how === 'is left to the scheduler') await age();
    await killable.restart();
    await finish(works);

    const { stripe, rows } = killable;
    const amounts = stripe.moved.map(({ kind, amount }) => `${kind} ${amount}`).toSorted();
    const first = Array.from({ length: 2 * each }, () => 'charge 1000');
    const charges = Array.from({ length: each }, () => ['charge 700', 'charge 2000']).flat();
    expect(amounts).toEqual([...first, ...charges].toSorted());
    expect(new Set(stripe.moved.map(({ key }) => key)).size).toBe(4 * each);
    expect(await rows("SELECT count(*) FROM payments WHERE status = 'succeeded'")).toEqual([
      [String(4 * each)],
    ]);
    const listClaims = () => rows('SELECT idempotency_key FROM idempotency WHERE claimed_until IS NOT NULL');
    await expect.poll(listClaims).toEqual([]);
    expect(await killable.examine()).toEqual({ code: 0, findings: [] });
    // A repeat after the end is answered as the first request would have been.
    expect((await Promise.all(works.map((work) => repeat(work)))).map(({ data }) => data)).toEqual(answered);
    expect(await killable.listUnderWay()).toEqual([]);
    expect(stripe.moved).toHaveLength(4 * each);
  },
);

/** Promotional credit of orders: what the payment page shows, what payments in progress reserve, and what comes back. */
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { openBooks } from '../../../support/books.ts';
import { findFaults } from '../../../support/faults.ts';
import { afn, ask } from '../../../support/oneOff.ts';
import { readText } from '../../../support/pages.ts';
import { payPath } from '../../../support/payLinks.ts';
import { openTaxed, parties } from '../../../support/taxes.ts';
import { inject } from '../../../support/world.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'http://pay.test', rateLimitPerSecond: '1000000' });
});
afterAll(() => app.close());

type Books = Pick<Awaited<ReturnType<typeof openBooks>>, 'client' | 'shop' | 'plan' | 'alias'>;

async function open(books: Books) {
  const customer = await books.shop.customer();
  const grant = async (amount: number, input: object = {}): Promise<string> => {
    const terms = { name: 'Welcome', category: 'promotional', amount: afn(amount), ...input };
    const document = 'mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }';
    const given = { input: { customerId: customer.id, ...terms } };
    return (await books.client.graphql(document, given)).createCreditGrant.id;
  };
  const history = async (id: string): Promise<string> => {
    const document = `query ($id: ID!) { creditGrant(id: $id) {
      remaining { amount } uses(order: ASC) { nodes { kind amount { amount } line { kind } } } } }`;
    const { uses, remaining } = (await books.client.graphql(document, { id })).creditGrant;
    const texts = uses.nodes.map(
      ({ kind, amount, line }: any) => `${kind} ${amount.amount}${line ? ` of ${line.kind}` : ''}`,
    );
    return [...texts, `left ${remaining.amount}`].join(', ');
  };
  const order = async (price: any) => (await books.shop.intent(customer, price)).intentId as string;
  const pay = async (id: string, method?: string) => (await books.shop.confirm(id, method)).status as string;
  const mutate = async (field: string, id: string) =>
    (await books.client.post(`mutation ($id: ID!) { ${field}(id: $id) { __typename } }`, { id })).body;
  return { ...books, customer, grant, history, order, pay, mutate };
}

type Customer = Awaited<ReturnType<typeof open>>;
const openCustomer = async () => open(await openBooks(app, '2026-01-01'));
const expectSound = async ({ alias }: { alias: string }) => expect(await findFaults(app, alias)).toEqual([]);

/** `paid 44: cycle 44`, oldest first. */
const bills = async ({ client, customer }: Customer): Promise<string[]> => {
  const document = `query ($id: ID!) { invoices(customerId: $id, order: ASC, first: 50) { nodes {
    status total { amount } lines { kind amount { amount } } } } }`;
  const { invoices } = await client.graphql(document, { id: customer.id });
  return invoices.nodes.map(
    ({ status, total, lines }: any) =>
      `${status} ${total.amount}: ${lines.map(({ kind, amount }: any) => `${kind} ${amount.amount}`).join(', ')}`,
  );
};

test.each<[what: string, grant: number, shown: string[], bill: string]>([
  [
    'a part',
    6,
    [
      'Subtotal AFN 50.00',
      'Welcome −AFN 6.00',
      'Tax (24%) AFN 10.56',
      'Due today AFN 54.56',
      'Pay AFN 54.56',
    ],
    'paid 54.56: cycle 44',
  ],
  ['the whole', 80, ['Welcome −AFN 50.00', 'Due today AFN 0.00'], 'paid 0: cycle 0'],
])(
  'promotional credit pays %s of an order before its tax, as the page says',
  async (_, amount, shown, bill) => {
    const taxed = await openTaxed(app, '2026-01-01', 'DE');
    await taxed.addRate('24', 'special');
    const payer = await open(taxed);
    await taxed.move(payer.customer, parties['german']!);
    const price = await taxed.plan(50);
    await taxed.setTaxCode(price.productId, 'special');
    const grant = await payer.grant(amount);
    const intentId = await payer.order(price);
    const page = readText((await inject(app, { url: await payPath(app, intentId), headers: {} })).text);
    for (const each of shown) expect(page).toContain(each);
    expect(await payer.pay(intentId)).toBe('succeeded');
    expect(await bills(payer)).toEqual([bill]);
    const used = Math.min(50, amount);
    expect(await payer.history(grant)).toBe(`use ${used} of cycle, left ${amount - used}`);
    await expectSound(taxed);
  },
);

it('a payment in progress reserves what it uses, whatever expires, and no other order takes it', async () => {
  const books = await openBooks(app, '2026-01-01');
  const payer = await open(books);
  const grant = await payer.grant(30, { expiresAt: '2026-01-01T00:10:00Z' });
  const first = await payer.order(await payer.plan(20));
  expect(await payer.pay(first, 'sandbox_requires_action')).toBe('requires_action');
  const second = await payer.order(await payer.plan(20));
  expect(await payer.pay(second)).toBe('succeeded');
  const refused = await payer.mutate('voidCreditGrant', grant);
  expect(refused.errors[0].extensions.reason).toBe('credit_grant_in_use');
  await books.advance('2026-01-01T00:11:00Z');
  await payer.mutate('resumeIntent', first);
  expect(await bills(payer)).toEqual(['paid 10: cycle 10', 'paid 0: cycle 0']);
  expect(await payer.history(grant)).toBe('use 10 of cycle, use 20 of cycle, left 0');
  await expectSound(payer);
});

it('what a payment has reserved is free after it is declined', async () => {
  const payer = await openCustomer();
  const grant = await payer.grant(6);
  const price = await payer.plan(20);
  const intentId = await payer.order(price);
  await expect(payer.pay(intentId, 'sandbox_declined')).rejects.toThrow('card_declined');
  expect(await payer.history(grant)).toBe('left 6');
  expect(await payer.pay(intentId)).toBe('succeeded');
  expect(await bills(payer)).toEqual(['paid 14: cycle 14']);
  expect(await payer.history(grant)).toBe('use 6 of cycle, left 0');
  await expectSound(payer);
});

it('an order that waits for a transfer uses credit when its invoice is issued, and gives it back when that is void', async () => {
  const payer = await openCustomer();
  const grant = await payer.grant(6);
  const intentId = await payer.order(await payer.plan(20));
  expect(await payer.pay(intentId, 'manual')).toBe('processing');
  expect(await bills(payer)).toEqual(['open 14: cycle 14']);
  expect(await payer.history(grant)).toBe('use 6 of cycle, left 0');
  await payer.mutate('cancelIntent', intentId);
  expect(await payer.history(grant)).toBe('use 6 of cycle, return 6 of cycle, left 6');
  expect(await bills(payer)).toEqual(['void 14: cycle 14']);
  await expectSound(payer);
});

it('fifty orders in parallel use each unit once', async () => {
  const payer = await openCustomer();
  const grant = await payer.grant(30);
  const plans = await Promise.all(Array.from({ length: 50 }, () => payer.plan(1)));
  const orders: string[] = [];
  for (const plan of plans) orders.push(await payer.order(plan));
  expect(new Set(await Promise.all(orders.map((id) => payer.pay(id))))).toEqual(new Set(['succeeded']));
  expect((await bills(payer)).filter((bill) => bill === 'paid 0: cycle 0')).toHaveLength(30);
  expect(await payer.history(grant)).toMatch(/, left 0$/);
  await expectSound(payer);
});

it('a refund of everything gives the credit of an order back', async () => {
  const payer = await openCustomer();
  const grant = await payer.grant(6);
  expect(await payer.pay(await payer.order(await payer.plan(20)))).toBe('succeeded');
  const { invoices } = await payer.client.graphql('{ invoices(first: 1) { nodes { id } } }');
  await ask(payer as never, 'refundInvoice', { id: invoices.nodes[0].id });
  expect(await payer.history(grant)).toBe('use 6 of cycle, return 6 of cycle, left 6');
  await expectSound(payer);
});

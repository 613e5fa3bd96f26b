/** The payment page of a trial: what is due today, what then, and the start without a payment method. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { readText } from '../../support/pages.ts';
import { inject } from '../../support/world.ts';
import { payPath } from '../../support/payLinks.ts';

let app: TestApp;
let client: Client;
let shop: Shop;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'http://pay.test' }, { clock: stoppedClock('2026-02-14T10:00:00.000Z') });
  client = await app.tenant({ alias: 'acme', test: true });
  shop = createShop(client, 'acme');
});
afterAll(() => app.close());

const fee = { amount: 10, currency: 'afn' };

async function newIntent(product: object, fields: object = {}): Promise<string> {
  const { price } = await shop.product(product as any);
  return (await shop.intent(await shop.customer(), price, fields)).intentId;
}

const read = async (id: string) => {
  const { text } = await inject(app, { url: await payPath(app, id) });
  return { text, shown: readText(text) };
};

const submit = async (id: string, path: string, fields: Record<string, string> = {}, token?: string) => {
  const { text } = await read(id);
  const found = token ?? /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  return inject(app, {
    method: 'POST',
    url: `${await payPath(app, id)}${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'pay.test' },
    payload: new URLSearchParams({ token: found, ...fields }).toString(),
  });
};

const withoutMethod = 'without a payment method';
const pages: [name: string, product: object, fields: object, has: string[], hasNot: string[]][] = [
  [
    'a trial',
    { price: { trialDays: 14 } },
    {},
    [
      'Try Pro AFN 50.00 every month Free trial until 28 February 2026',
      'Due today AFN 0.00',
      'Then, from 28 February 2026 AFN 50.00 every month',
      'Start trial',
      `Start trial ${withoutMethod}`,
    ],
    [],
  ],
  [
    'a trial with a fee',
    { price: { trialDays: 14, setupFee: fee } },
    {},
    ['Pro, set-up fee AFN 10.00', 'Due today AFN 10.00', 'Pay AFN 10.00', 'Then, from 28 February 2026'],
    [withoutMethod],
  ],
  [
    'a fee',
    { price: { setupFee: fee } },
    {},
    ['Pro AFN 50.00 Pro, set-up fee AFN 10.00', 'Due today AFN 60.00', 'Then, from 14 March 2026 AFN 50.00'],
    [withoutMethod, 'trial'],
  ],
  [
    'a later trial with a fee',
    { price: { trialDays: 14, setupFee: fee } },
    { startDate: '2026-03-01' },
    [
      'Free trial from 1 March 2026 until 15 March 2026 The first charge includes a set-up fee of AFN 10.00.',
      'Due today AFN 0.00 Then, from 15 March 2026 AFN 50.00 every month',
    ],
    [],
  ],
  [
    'a later start with a fee',
    { price: { setupFee: fee } },
    { startDate: '2026-03-01' },
    [
      'Your subscription starts on 1 March 2026. The first charge includes a set-up fee of AFN 10.00.',
      'Due today AFN 0.00 Then, from 1 March 2026 AFN 50.00 every month',
    ],
    [withoutMethod],
  ],
  [
    'a trial before a stub',
    { price: { trialDays: 14 }, recurring: { executionDate: '2026-03-14' } },
    {},
    [
      'Free trial until 28 February 2026 AFN 24.26 on 28 February 2026 for the time until 13 March 2026.',
      'Then, from 14 March 2026 AFN 50.00 every month',
    ],
    [],
  ],
];

it.each(pages)('shows %s', async (_, product, fields, has, hasNot) => {
  const { shown } = await read(await newIntent(product, fields));
  for (const each of has) expect(shown).toContain(each);
  for (const each of hasNot) expect(shown).not.toContain(each);
});

it('starts a trial without a payment method, and again sends the browser to the receipt only', async () => {
  const id = await newIntent({ price: { trialDays: 14 } });
  const { text } = await read(id);
  const token = /name="token" value="([^"]+)"/.exec(text)![1]!;
  for (let time = 0; time < 2; time++) {
    const answer = await submit(id, '/trial', {}, token);
    expect([answer.status, String(answer.headers['location'])]).toEqual([
      303,
      expect.stringContaining('https://example.com/thanks'),
    ]);
  }
  const { intent } = await client.graphql(
    'query ($id: ID!) { intent(id: $id) { status subscription { status trialEndsAt } } }',
    { id },
  );
  expect(intent).toEqual({
    status: 'succeeded',
    subscription: { status: 'trialing', trialEndsAt: '2026-02-28T10:00:00.000Z' },
  });
});

it('starts nothing where something is due, or with a form of another page', async () => {
  const paying = await newIntent({ price: { trialDays: 14, setupFee: fee } });
  expect((await submit(paying, '/trial')).status).toBe(409);
  const free = await newIntent({ price: { trialDays: 14 } });
  expect((await submit(free, '/trial', {}, 'forged')).status).toBe(403);
  expect((await inject(app, { url: `${await payPath(app, free)}/trial` })).status).toBe(405);
  for (const id of [paying, free]) {
    const { intent } = await client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id });
    expect(intent.status).toBe('requires_payment_method');
  }
});

it('charges the shown fee and saves the method for the end of the trial', async () => {
  const id = await newIntent({ price: { trialDays: 14, setupFee: fee } });
  expect((await submit(id, '', { method: 'sandbox_ok' })).status).toBe(303);
  const { invoices } = await client.graphql('{ invoices(first: 1) { nodes { total { amount } status } } }');
  expect(invoices.nodes).toEqual([{ total: { amount: 10 }, status: 'paid' }]);
});

/** A provider that nothing else knows: its descriptor is all that the server needs. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { declareSettings } from '../../src/config/settings.ts';
import { webAddress } from '../../src/lib/settingSchemas.ts';
import { declareProvider, type OpenedAccount } from '../../src/providers/descriptor.ts';
import { chargingProviders } from '../../src/providers/list.ts';
import type { Charge, Outcome, Refund } from '../../src/providers/provider.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { inject } from '../support/world.ts';

const opened: OpenedAccount[] = [];
const charged: Charge[] = [];
const refunded: Refund[] = [];

const shown = { label: 'Voucher', hint: 'You enter its number.' };
const texts = { en: shown, de: shown, fr: shown, es: shown, fa: shown, ps: shown, ar: shown, he: shown };

const voucher = declareProvider({
  name: 'voucher',
  title: 'Vouchers',
  description: 'Vouchers.',
  addresses: {
    url: { schema: webAddress, default: 'https://vouchers.example', help: 'base URL of the vouchers' },
  },
  secrets: {
    apiKey: {
      description: 'A key.',
      form: /^vk_(test|live)_\w+$/,
      message: 'must be a key of vouchers',
      example: 'vk_…',
    },
  },
  settings: {
    shopName: {
      description: 'The name of the shop.',
      form: /^\w+$/,
      message: 'must be a word',
      example: 'Corner',
      placeholder: 'name',
      help: 'name of the shop on vouchers; no default',
    },
  },
  hardDeclines: new Set(['redeemed']),
  isLive: ({ apiKey = '' }) => apiKey.startsWith('vk_live_'),
  open: async (account) => {
    opened.push(account);
    const toReference = ({ idempotencyKey }: Charge) => `v_${idempotencyKey}`;
    const ask = async (charge: Charge, methodReference: string): Promise<Outcome> => {
      charged.push(charge);
      return { status: 'pending', reference: toReference(charge), methodReference };
    };
    return {
      page: { redirectMethod: 'voucher_page', texts },
      recognizes: (method) => method.startsWith('voucher_'),
      start: ask,
      charge: ask,
      resume: (charge) => ask(charge, 'voucher_1'),
      refund: async (due) => {
        refunded.push(due);
        return { status: 'succeeded', reference: `vr_${due.idempotencyKey}` };
      },
      readCallback: (_, body) => {
        const { tenantAlias, idempotencyKey, amountMinor } = JSON.parse(body.toString());
        const outcome = {
          status: 'succeeded',
          reference: `v_${idempotencyKey}`,
          methodReference: 'voucher_1',
        };
        return {
          kind: 'charge',
          tenantAlias,
          idempotencyKey,
          amountMinor: BigInt(amountMinor),
          outcome: outcome as Outcome,
        };
      },
    };
  },
});
const names = chargingProviders.map(({ name }) => name).join(', ');
const providers = [...chargingProviders, voucher];
const settings = { payments: 'voucher', voucherApiKey: 'vk_test_1', voucherShopName: 'Corner' };

let app: TestApp;
let books: Books;
beforeAll(async () => {
  app = await startApp(settings, { providers });
  books = await openBooks(app, '2026-01-31');
});
afterAll(() => app.close());

/** Calls back as the provider does, about the last charge. */
const callBack = async () => {
  const { tenantAlias, idempotencyKey, amountMinor } = charged.at(-1)!;
  return inject(app, {
    method: 'POST',
    url: '/callbacks/voucher',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ tenantAlias, idempotencyKey, amountMinor: String(amountMinor) }),
  });
};

it('opens the account of the server with its own settings', () => {
  expect(opened).toEqual([
    expect.objectContaining({
      secrets: { apiKey: 'vk_test_1' },
      settings: { shopName: 'Corner' },
      addresses: { url: 'https://vouchers.example' },
      callbackPath: '/callbacks/voucher',
    }),
  ]);
});

it('is offered on the payment page', async () => {
  const { shop, client } = books;
  const { intentId } = await shop.intent(await shop.customer(), await books.plan(50));
  const document = 'query ($id: ID!) { intent(id: $id) { paymentUrl } }';
  const { intent } = await client.graphql(document, { id: intentId });
  const { text } = await inject(app, { method: 'GET', url: new URL(intent.paymentUrl).pathname });
  expect(text).toContain('value="voucher_page"');
  expect(text).toContain('You enter its number.');
});

it('charges, reads callbacks, renews and refunds', async () => {
  const { shop } = books;
  const { intentId } = await shop.intent(await shop.customer(), await books.plan(50));
  expect((await shop.confirm(intentId, 'voucher_1')).status).toBe('processing');
  expect(charged).toMatchObject([{ tenantAlias: books.alias, amountMinor: 5000n, currency: 'afn' }]);
  expect((await callBack()).status).toBe(200);
  const document = 'query ($id: ID!) { intent(id: $id) { status subscriptionId } }';
  const { intent } = await books.client.graphql(document, { id: intentId });
  expect(intent.status).toBe('succeeded');

  await books.advance('2026-02-28');
  expect(charged).toHaveLength(2);
  await callBack();
  expect(await books.bills(intent.subscriptionId)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50']);

  const invoices = await books.invoices(intent.subscriptionId);
  const refund = 'mutation ($id: ID!) { refundInvoice(id: $id) { id } }';
  await books.client.graphql(refund, { id: invoices[0].id });
  expect(refunded).toMatchObject([{ tenantAlias: books.alias, amountMinor: 5000n }]);
});

it('has flags, variables and a word of --payments', () => {
  const { payments, voucherUrl, voucherShopName } = declareSettings(providers) as Record<string, any>;
  expect(payments.help).toContain(`${names}, voucher;`);
  expect(voucherUrl).toMatchObject({ flag: '--voucher-url <url>', variable: 'PERENNIAL_VOUCHER_URL' });
  expect(voucherShopName.flag).toBe('--voucher-shop-name <name>');
  const read = (environment: Record<string, string>) => () => readConfig({}, environment, providers);
  expect(read({ PERENNIAL_PAYMENTS: 'voucher' })).toThrow(
    'PERENNIAL_VOUCHER_API_KEY is invalid: must be a key of vouchers.',
  );
  expect(read({ PERENNIAL_PAYMENTS: 'coupon' })).toThrow(`names of ${names}, voucher separated by`);
  expect(read({ PERENNIAL_PAYMENTS: 'voucher', PERENNIAL_VOUCHER_API_KEY: 'vk_live_1' })()).toMatchObject({
    payments: ['voucher'],
    voucherApiKey: 'vk_live_1',
  });
});

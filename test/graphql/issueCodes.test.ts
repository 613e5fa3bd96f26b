/** The codes of refused fields, which programs say in words of their own. REST has none. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueCodes } from '../../src/lib/issueCodes.ts';
import { filesIn, root } from '../sourceFiles.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';

let app: TestApp;
let books: Books;
let subscriptionId: string;
let invoiceId: string;

beforeAll(async () => {
  app = await startApp();
  books = await openBooks(app, '2026-01-31');
  const customer = await books.shop.customer({ associatedId: 'ada', email: 'ada@example.com' });
  subscriptionId = await books.subscribe(customer, await books.plan(50));
  invoiceId = (await books.invoices(subscriptionId))[0].id;
});
afterAll(() => app.close());

const person = { firstName: 'Ada', lastName: 'Lovelace', email: 'b@example.com', associatedId: 'b' };
const money = (decimal: string) => ({ decimal, currency: 'usd' });
const price = (fields: object) => ({ details: money('1'), ...fields });

type Row = [mutation: string, input: object, issues: object[]];

const createCustomer = 'createCustomer CreateCustomerInput';
const createProduct = 'createProduct CreateProductInput';
const createCoupon = 'createCoupon CreateCouponInput';
const updateTenant = 'updateTenant UpdateTenantInput';
const createEndpoint = 'createWebhookEndpoint CreateWebhookEndpointInput';
const coupon = { name: 'Sale', duration: 'once' };
const product = { name: 'Pro', description: '' };

const rows: Record<string, Row> = {
  'an empty text': [
    createCustomer,
    { ...person, firstName: ' ' },
    [{ path: 'firstName', code: 'required', message: 'must not be empty' }],
  ],
  'a null': [createCustomer, { ...person, firstName: null }, [{ path: 'input.firstName', code: 'required' }]],
  'a long text': [
    createCustomer,
    { ...person, firstName: 'x'.repeat(201), lastName: 'x'.repeat(70_000) },
    [{ path: 'input.lastName', code: 'too_long', limit: 65_536 }],
  ],
  'two long texts': [
    createCustomer,
    { ...person, firstName: 'x'.repeat(201), lastName: 'x'.repeat(201) },
    [
      { path: 'firstName', code: 'too_long', limit: 200 },
      { path: 'lastName', code: 'too_long', limit: 200 },
    ],
  ],
  'metadata with a long text and a long name': [
    createCustomer,
    { ...person, metadata: { a: 'x'.repeat(501), ['k'.repeat(41)]: 'x' } },
    [
      { path: 'metadata.a', code: 'too_long', limit: 500 },
      { path: expect.stringMatching(/^metadata\.k+…$/), code: 'too_long', limit: 40 },
    ],
  ],
  'no e-mail address': [
    createCustomer,
    { ...person, email: 'none' },
    [{ path: 'input.email', code: 'not_an_email' }],
  ],
  'no country': [
    createCustomer,
    { ...person, address: { country: 'XX' } },
    [{ path: 'address.country', code: 'not_a_country' }],
  ],
  'an id that is taken': [
    createCustomer,
    { ...person, associatedId: 'ada' },
    [{ path: 'associatedId', code: 'taken' }],
  ],
  'an amount that is no number': [
    createProduct,
    { ...product, prices: [{ details: money('a lot') }] },
    [{ path: 'input.prices.0.details.decimal', code: 'not_a_number' }],
  ],
  'a negative amount': [
    createProduct,
    { ...product, prices: [{ details: money('-1') }] },
    [{ path: 'prices.0.details.decimal', code: 'not_an_amount' }],
  ],
  'too many decimals': [
    createProduct,
    { ...product, prices: [{ details: money('1.234') }] },
    [{ path: 'prices.0.details.decimal', code: 'too_precise', limit: 2 }],
  ],
  'a large and a small number': [
    createProduct,
    {
      ...product,
      prices: [price({ trialDays: 1_000_000 }), price({ recurring: { frequency: 'Monthly', period: 0 } })],
    },
    [
      expect.objectContaining({
        code: expect.stringMatching(/^too_(large|small)$/),
        limit: expect.any(Number),
      }),
    ],
  ],
  'no whole number': [
    createProduct,
    { ...product, prices: [price({ trialDays: 1.5 })] },
    [{ path: 'input.prices.0.trialDays', code: 'not_a_whole_number' }],
  ],
  'a long list': [
    createProduct,
    { ...product, features: Array(21).fill('x') },
    [{ path: 'features', code: 'too_many', limit: 20 }],
  ],
  'an amount of 0': [
    createCoupon,
    { ...coupon, amountOff: money('0') },
    [{ path: 'amountOff', code: 'not_positive' }],
  ],
  'a day that has passed': [
    createCoupon,
    { ...coupon, percentOff: '10', redeemBy: '2020-01-01T00:00:00Z' },
    [{ path: 'redeemBy', code: 'not_in_future' }],
  ],
  'no address of the web': [
    updateTenant,
    { branding: { termsUrl: 'shop' } },
    [{ path: 'branding.termsUrl', code: 'not_a_url' }],
  ],
  'no address of a mailbox': [
    updateTenant,
    { mail: { replyTo: 'nobody' } },
    [{ path: 'mail.replyTo', code: 'not_an_email' }],
  ],
  'a tax id whose digits do not fit': [
    createCustomer,
    { ...person, taxIds: [{ type: 'eu_vat', value: 'DE123' }] },
    [{ path: 'taxIds.0.value', code: 'not_a_tax_id' }],
  ],
  'no bank account': [
    updateTenant,
    { bankAccount: { accountHolder: 'Acme', iban: 'DE00', bic: 'X' } },
    [
      { path: 'bankAccount.iban', code: 'not_an_iban' },
      { path: 'bankAccount.bic', code: 'not_a_bic' },
    ],
  ],
  'a bank account without a number': [
    updateTenant,
    { bankAccount: { accountHolder: 'Acme' } },
    [{ path: 'bankAccount.iban', code: 'required' }],
  ],
  'no colour': [
    updateTenant,
    { branding: { color: 'green' } },
    [{ path: 'branding.color', code: 'not_a_color' }],
  ],
  'no percentage': [
    createCoupon,
    { ...coupon, percentOff: '101' },
    [{ path: 'percentOff', code: 'not_a_percentage' }],
  ],
  'a code with spaces': [
    'createPromotionCode CreatePromotionCodeInput',
    { couponId: 'none', code: 'BIG SALE' },
    [{ path: 'code', code: 'not_a_code' }],
  ],
  'a pause that is too long': [
    'pauseSubscription PauseSubscriptionInput',
    { resumesAt: '2050-01-01' },
    [{ path: 'resumesAt', code: 'too_far_ahead', limit: 1830 }],
  ],
  'more than was paid': [
    'refundInvoice RefundInvoiceInput',
    { amount: { decimal: '999', currency: 'afn' } },
    [
      {
        path: 'amount',
        code: 'more_than_left',
        left: { amount: 50, decimal: '50.00', currency: 'afn' },
        message: 'at most 50.00 AFN is left: 0.00 AFN was refunded, 0.00 AFN credited',
      },
    ],
  ],
  'an invoice that is paid': [
    'recordPayment RecordPaymentInput',
    { reference: 'x', amount: { decimal: '1', currency: 'afn' } },
    [{ path: 'id', code: 'is_paid', message: 'is paid' }],
  ],
  'a webhook into the network of the server': [
    createEndpoint,
    { url: 'https://10.0.0.7/hook' },
    [{ path: 'url', code: 'not_public' }],
  ],
  'a webhook by another protocol': [
    createEndpoint,
    { url: 'ftp://hooks.example' },
    [{ path: 'url', code: 'not_a_url' }],
  ],
  'a webhook with a long address': [
    createEndpoint,
    { url: `https://hooks.example/${'x'.repeat(2048)}` },
    [{ path: 'url', code: 'too_long', limit: 2048 }],
  ],
  'a webhook with a long query': [
    createEndpoint,
    { url: 'https://hooks.example', query: '#'.repeat(20_001) },
    [{ path: 'query', code: 'too_long', limit: 20_000 }],
  ],
  'a mail server in the network of the server': [
    'configureAccount ConfigureAccountInput',
    { smtp: { url: 'smtp://10.0.0.7:25', fromAddress: 'billing@acme.example' } },
    [{ path: 'smtp.url', code: 'not_public' }],
  ],
  'an unknown coupon': [
    'applyDiscount ApplyDiscountInput',
    { promotionCode: 'NOWHERE' },
    [{ path: 'promotionCode', code: 'unknown' }],
  ],
};

/** The records that mutations change. */
const changed: Record<string, () => string> = {
  pauseSubscription: () => subscriptionId,
  refundInvoice: () => invoiceId,
  recordPayment: () => invoiceId,
};

describe('an issue has a code for', () => {
  it.each(Object.entries(rows))('%s', async (_, [mutation, input, issues]) => {
    const [name, type] = mutation.split(' ') as [string, string];
    const all = name === 'applyDiscount' ? { ...input, subscriptionId } : input;
    const id = changed[name]?.();
    const { body } = await books.client.post(
      id === undefined
        ? `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`
        : `mutation ($id: ID!, $input: ${type}!) { ${name}(id: $id, input: $input) { __typename } }`,
      { id, input: all },
    );
    expect(body.errors[0].extensions.issues).toMatchObject(issues);
  });
});

it('a webhook by http for a live tenant', async () => {
  const live = await app.tenant({ alias: 'live', test: false });
  const { body } = await live.post(
    'mutation { createWebhookEndpoint(input: { url: "http://hooks.example" }) { secret } }',
  );
  expect(body.errors[0].extensions.issues).toMatchObject([{ path: 'url', code: 'not_https' }]);
});

it('the program sends each code', () => {
  const sources = filesIn('src').filter((file) => !file.startsWith('src/console/'));
  const text = sources.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n');
  const unsent = Object.keys(issueCodes).filter(
    (code) => !code.startsWith('is_') && !text.includes(`'${code}'`),
  );
  expect(unsent).toEqual([]);
});

it('the error bodies of REST have none', async () => {
  const { body } = await books.client.rest('POST', '/customers', {
    ...person,
    tenantAlias: books.alias,
    firstName: 'x'.repeat(201),
  });
  expect(body.cause.issues).toEqual([{ path: 'firstName', message: 'must be at most 200 characters' }]);
});

it('docs/errors.md lists all codes', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
  const [, part] = /^## Codes of fields$(.*?)^## /ms.exec(page)!;
  const listed = Array.from(part!.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm), ([, code, text]) => [code, text]);
  expect(Object.fromEntries(listed)).toEqual(issueCodes);
});

/** One code for what every provider calls otherwise: in the interface, to payers, and in the books. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declineCodes, type DeclineCode } from '../../src/lib/declineCodes.ts';
import { findDeclineText } from '../../src/pages/checkout/declineTexts.ts';
import { checkoutTexts } from '../../src/pages/checkout/texts.ts';
import { findDeclineCode } from '../../src/providers/declines.ts';
import { providers } from '../../src/providers/list.ts';
import { schema } from '../../src/app/schema.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';

const codes = Object.keys(declineCodes) as DeclineCode[];

it.each([
  ['stripe', 'lost_card', 'lost_or_stolen'],
  ['stripe', 'invalid_cvc', 'incorrect_cvc'],
  ['stripe', 'revocation_of_authorization', 'mandate_revoked'],
  ['stripe', 'debit_not_authorized', 'mandate_revoked'],
  ['stripe', 'generic_decline', 'card_declined'],
  ['mollie', 'invalid_cvv', 'incorrect_cvc'],
  ['mollie', 'refused_by_issuer', 'do_not_honor'],
  ['mollie', 'AM04', 'insufficient_funds'],
  ['mollie', 'MD01', 'mandate_revoked'],
  ['mollie', 'expired', 'abandoned'],
  // The words of one provider are not those of another.
  ['stripe', 'AM04', 'declined'],
  ['mollie', 'pickup_card', 'declined'],
  ['none', 'no_payment_method', 'no_payment_method'],
  ['voucher', 'insufficient_funds', 'insufficient_funds'],
  ['voucher', 'redeemed', 'declined'],
  ['stripe', 'a code of tomorrow', 'declined'],
  ['stripe', '', 'declined'],
  ['stripe', 'constructor', 'declined'],
  ['__proto__', 'toString', 'declined'],
  ['stripe', 'x'.repeat(10_000), 'declined'],
])('%s: %s is %s', (provider, reason, code) => {
  expect(findDeclineCode(provider, reason)).toBe(code);
});

it.each(providers.map(({ name, declines, hardDeclines }) => ({ name, declines, hardDeclines })))(
  '$name maps each reason once, and every hard decline',
  ({ name, declines = {}, hardDeclines = new Set<string>() }) => {
    const reasons = Object.values(declines).flat();
    expect(reasons.toSorted()).toEqual([...new Set(reasons)].toSorted());
    expect([...hardDeclines].filter((reason) => findDeclineCode(name, reason) === 'declined')).toEqual([]);
  },
);

it.each(codes)('%s tells a payer in every language what to do', (code) => {
  const key = findDeclineText(code);
  const texts = Object.values(checkoutTexts).map((own) => own[key]);
  expect(new Set(texts).size).toBe(Object.keys(checkoutTexts).length);
  expect(texts.join(' ')).not.toMatch(/lost|stolen|fraud/i);
});

it('has the codes and the providers in the schema', () => {
  const listValues = (name: string) =>
    Object.keys((schema.toConfig().types.find((type) => type.name === name) as any).toConfig().values);
  expect(listValues('DeclineCode').toSorted()).toEqual(codes.toSorted());
  expect(listValues('PaymentProvider').toSorted()).toEqual(providers.map(({ name }) => name).toSorted());
});

it('has a row for each code in the guide', () => {
  const guide = readFileSync(path.join(import.meta.dirname, '../../docs/guides/failed-payments.md'), 'utf8');
  const documented = Array.from(guide.matchAll(/^\| `(\w+)` +\| (.+?) +\|/gm), ([, code, when]) => [
    code,
    when,
  ]);
  expect(documented.filter(([code]) => Object.hasOwn(declineCodes, code!))).toEqual(
    Object.entries(declineCodes),
  );
});

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const shown = 'provider declineCode failureReason';
const paymentsDocument = `query ($id: ID!) { payments(customerId: $id, status: failed) { nodes { ${shown} } } }`;
const confirmDocument = `mutation ($id: ID!, $method: String!) {
  confirmIntent(id: $id, input: { paymentMethod: $method }) { id declineCode }
}`;

const subscribe = (books: Books, customer: unknown, method: string, price: unknown) =>
  books.subscribe(customer, price, method);

describe('the sandbox produces', () => {
  let books: Books;
  let plan: any;
  beforeAll(async () => {
    books = await openBooks(app, '2026-01-31');
    plan = await books.plan(50);
  });

  it.each(codes)('%s while the payer is present', async (code) => {
    const { client, shop } = books;
    const customer = await shop.customer();
    const { intentId: id } = await shop.intent(customer, plan);
    const refused = await client.post(confirmDocument, { id, method: `sandbox_declined_${code}` });
    const { reason, issues } = refused.body.errors[0].extensions;
    expect({ reason, issues }).toEqual({
      reason: 'payment_failed',
      issues: [{ path: 'paymentMethod', message: expect.any(String), declineCode: code }],
    });
    const { intent } = await client.graphql(
      'query ($id: ID!) { intent(id: $id) { declineCode failureReason paymentUrl } }',
      { id },
    );
    expect(intent).toMatchObject({ declineCode: code, failureReason: issues[0].message });
    const { payments } = await client.graphql(paymentsDocument, { id: customer.id });
    expect(payments.nodes).toEqual([
      { provider: 'sandbox', declineCode: code, failureReason: issues[0].message },
    ]);
    const paid = await client.graphql(confirmDocument, { id, method: 'sandbox_ok' });
    expect(paid.confirmIntent.declineCode).toBeNull();
  });

  it('the general code for a method that it does not know', async () => {
    const { client, shop } = books;
    for (const method of ['sandbox_declined_', 'sandbox_declined_nonsense', 'sandbox_declined_constructor']) {
      const { intentId: id } = await shop.intent(await shop.customer(), plan);
      const { body } = await client.post(confirmDocument, { id, method });
      expect(body.errors[0].extensions.issues[0]).toMatchObject({
        message: 'unknown_payment_method',
        declineCode: 'no_payment_method',
      });
    }
  });

  it('each code at a renewal, which the lists, the traces and the dunning show', async () => {
    const renewed = await openBooks(app, '2026-01-31');
    const { client, shop } = renewed;
    const price = await renewed.plan(50);
    const ids = new Map<string, DeclineCode>();
    for (const code of codes) {
      const method = `sandbox_ok_then_declined_${code}`;
      ids.set(await subscribe(renewed, await shop.customer(), method, price), code);
    }
    await renewed.advance('2026-03-01');
    const { paymentsToRecover } = await client.graphql(
      `{ paymentsToRecover(first: 50) { nodes {
        declineCode reason subscription { id dunning { retriesStoppedReason retriesStoppedCode } }
      } } }`,
    );
    expect(paymentsToRecover.nodes).toHaveLength(codes.length);
    for (const { declineCode, reason, subscription } of paymentsToRecover.nodes) {
      expect(declineCode).toBe(ids.get(subscription.id));
      const { retriesStoppedReason, retriesStoppedCode } = subscription.dunning;
      expect(retriesStoppedCode).toBe(retriesStoppedReason === null ? null : declineCode);
      if (retriesStoppedReason !== null) expect(retriesStoppedReason).toBe(reason);
    }
    const { traces } = await client.graphql(
      '{ traces(activityType: PaymentEvent, first: 100) { nodes { payload } } }',
    );
    const failed = traces.nodes.filter(({ payload }: any) => payload.action === 'failed');
    const traced = failed.map(({ payload }: any) => payload.object.declineCode);
    expect(traced.toSorted()).toEqual(codes.toSorted());
  });
});

/** The payment methods of a customer: what is shown of them, the default, what a new one pays, and removals. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { requestMethod, resumeRequest } from '../../../src/billing/collection/methodRequests.ts';
import { openBooks, openScope, type Books } from '../../support/books.ts';
import type { FakeStripe } from '../../support/fakeStripe.ts';
import { findFaults } from '../../support/faults.ts';
import { afn, ask } from '../../support/oneOff.ts';
import { startStripeApp, type StripeApp } from '../../support/stripeApp.ts';

let running: StripeApp;
let stripe: FakeStripe;
beforeAll(async () => {
  running = await startStripeApp();
  stripe = running.stripe;
});
afterAll(() => running.close());

const silent = pino({ level: 'silent' });
const fields = 'id provider type brand last4 expiryMonth expiryYear isExpired isDefault removedAt';
const list = `query ($id: ID!) { customer(id: $id) {
  defaultPaymentMethod { id } paymentMethods(order: ASC) { totalCount nodes { ${fields} customer { id } } }
} }`;
const add = `mutation ($customerId: ID!, $method: String!, $makeDefault: Boolean) {
  addPaymentMethod(input: { customerId: $customerId, paymentMethod: $method, makeDefault: $makeDefault }) { ${fields} }
}`;
const choose = `mutation ($id: ID!, $customerId: ID) {
  setDefaultPaymentMethod(id: $id, input: { customerId: $customerId }) { ${fields} }
}`;
const remove = `mutation ($id: ID!) { removePaymentMethod(id: $id) { ${fields} } }`;
const setMethod = `mutation ($id: ID!, $method: String!) {
  setPaymentMethod(id: $id, input: { paymentMethod: $method }) { id }
}`;
const readSubscription = 'query ($id: ID!) { subscription(id: $id) { status paymentMethod { id } } }';

const open = async () => {
  const books = await openBooks(running.app, '2026-01-31');
  return { books, customer: await books.shop.customer() };
};
const listMethods = async ({ client }: Books, { id }: any) =>
  (await client.graphql(list, { id })).customer.paymentMethods.nodes;
const addMethod = async ({ client }: Books, { id: customerId }: any, method: string, makeDefault?: boolean) =>
  (await client.graphql(add, { customerId, method, makeDefault })).addPaymentMethod;
const refusal = (body: any) => {
  const { reason, issues } = body.errors[0].extensions;
  return [reason, issues?.[0]?.path];
};
const chargedTo = async ({ client }: Books, id: string) =>
  (await client.graphql(readSubscription, { id })).subscription;
const chargesOf = (key: RegExp) => stripe.moved.filter((each) => key.test(each.key));
const expectSound = async ({ alias }: Books) => expect(await findFaults(running.app, alias)).toEqual([]);

const listReferences = async ({ alias: tenantAlias }: Books, id?: string) =>
  (await running.app.service.store.fresh.select('paymentMethods', { where: { tenantAlias, id } })).map(
    ({ reference }) => reference.split('/')[1],
  );

/** A customer whose renewal and one-off charge were declined, and a second subscription in good order. */
async function owing() {
  const { books, customer } = await open();
  const declining = 'pm_card_chargeCustomerFail';
  const id = await books.subscribe(customer, await books.plan(50), declining);
  const yearly = await books.plan(9, { recurring: { frequency: 'Yearly' } });
  const other = await books.subscribe(customer, yearly, declining);
  await books.advance('2026-02-28');
  const items = [{ amount: afn(20), description: 'Work' }];
  const { id: invoiceId } = await ask(books, 'createInvoice', { customerId: customer.id, items });
  expect(await chargedTo(books, id)).toMatchObject({ status: 'past_due' });
  return { books, customer, id, other, invoiceId };
}

describe('the methods of a customer', () => {
  it('are shown without their references, the first as the default', async () => {
    const { books, customer } = await open();
    const id = await books.subscribe(customer, await books.plan(50), 'pm_card_visa');
    await addMethod(books, customer, 'pm_sepa_kept');
    const [card, debit] = await listMethods(books, customer);
    expect(card).toMatchObject({
      provider: 'stripe',
      type: 'card',
      brand: 'visa',
      last4: '4242',
      expiryMonth: 12,
      expiryYear: 2034,
      isExpired: false,
      isDefault: true,
      customer: { id: customer.id },
    });
    expect(debit).toMatchObject({ type: 'sepa_debit', last4: '3000', expiryYear: null, isDefault: false });
    expect((await chargedTo(books, id)).paymentMethod).toEqual({ id: card.id });
    const { node } = await books.client.graphql(
      'query ($id: ID!) { node(id: $id) { __typename ... on PaymentMethod { last4 } } }',
      { id: card.id },
    );
    expect(node).toEqual({ __typename: 'PaymentMethod', last4: '4242' });
    const { traces } = await books.client.graphql(
      '{ traces(activityType: PaymentMethodEvent) { nodes { payload } } }',
    );
    expect(traces.nodes).toHaveLength(2);
    const reference = [...stripe.intents.values()].at(-1).payment_method;
    for (const text of ['print_', `/${reference}`]) expect(JSON.stringify(traces)).not.toContain(text);
    await expectSound(books);
  });

  it('are one for the same card given again, under its new reference', async () => {
    const { books, customer } = await open();
    await books.subscribe(customer, await books.plan(50), 'pm_card_visa');
    await books.subscribe(customer, await books.plan(20), 'pm_card_visa');
    await addMethod(books, customer, 'pm_card_visa');
    expect(await listMethods(books, customer)).toHaveLength(1);
    const where = { tenantAlias: books.alias };
    const [kept] = await running.app.service.store.committed.select('paymentMethods', { where });
    expect(kept!.reference).toBe(
      `${stripe.customers.at(-1).id}/${[...stripe.intents.values()].at(-1).payment_method}`,
    );
    await expectSound(books);
  });

  it('expire after the last day of their month', async () => {
    const { books, customer } = await open();
    await addMethod(books, customer, 'pm_card_visa');
    await books.advance('2034-12-31T23:59:59Z');
    expect(await listMethods(books, customer)).toMatchObject([{ isExpired: false }]);
    await books.advance('2035-01-01T00:00:00Z');
    expect(await listMethods(books, customer)).toMatchObject([{ isExpired: true }]);
  });

  it('lose what identifies the card when the customer is erased', async () => {
    const { books, customer } = await open();
    await addMethod(books, customer, 'pm_card_visa');
    const { id: removed } = await addMethod(books, customer, 'pm_sepa_kept');
    await books.client.graphql(remove, { id: removed });
    await books.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: customer.id });
    await runDueWork(running.app.service, silent);
    const dump = await running.app.backdoor.dump(books.alias);
    for (const text of ['"4242', '"3000', 'print_', '/pm_']) expect(dump).not.toContain(text);
    expect(await listMethods(books, customer)).toEqual([]);
    await expectSound(books);
  });

  it('are removed with their customer', async () => {
    const { books, customer } = await open();
    const { id } = await addMethod(books, customer, 'pm_card_visa');
    await books.client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: customer.id });
    const { node } = await books.client.graphql('query ($id: ID!) { node(id: $id) { id } }', { id });
    expect(node).toBeNull();
    await expectSound(books);
  });
});

describe('a new default', () => {
  const changes: Record<string, (owed: Awaited<ReturnType<typeof owing>>) => Promise<unknown>> = {
    'that is added': ({ books, customer }) => addMethod(books, customer, 'pm_card_visa', true),
    'that is chosen': async ({ books, customer }) => {
      const { id, isDefault } = await addMethod(books, customer, 'pm_card_visa');
      expect(isDefault).toBe(false);
      await books.client.graphql(choose, { id, customerId: customer.id });
    },
  };
  it.each(Object.keys(changes))('%s pays at once what the old one did not, once', async (name) => {
    const owed = await owing();
    const { books, customer, id, other, invoiceId } = owed;
    await changes[name]!(owed);
    const [, visa] = await listMethods(books, customer);
    expect(visa.isDefault).toBe(true);
    for (const each of [id, other])
      expect(await chargedTo(books, each)).toEqual({ status: 'active', paymentMethod: { id: visa.id } });
    expect((await books.bills(id)).at(-1)).toBe('2026-02-28 paid 50');
    expect((await books.invoices()).find((each) => each.id === invoiceId).status).toBe('paid');
    expect(chargesOf(new RegExp(invoiceId))).toHaveLength(1);
    await books.client.graphql(choose, { id: visa.id });
    await books.advance('2026-03-01');
    expect(chargesOf(new RegExp(invoiceId))).toHaveLength(1);
    await expectSound(books);
  });

  it('set for one subscription pays the others that the replaced method did not', async () => {
    const { books, customer, id, other, invoiceId } = await owing();
    const plan = await books.plan(7, { recurring: { frequency: 'Weekly' } });
    const third = await books.subscribe(customer, plan, 'pm_card_chargeCustomerFail');
    await books.advance('2026-03-08');
    await books.client.graphql(setMethod, { id: third, method: 'pm_card_visa' });
    const [old, visa] = await listMethods(books, customer);
    expect(visa.isDefault).toBe(true);
    for (const each of [id, third])
      expect(await chargedTo(books, each)).toEqual({ status: 'active', paymentMethod: { id: visa.id } });
    // Nothing of this one is owed, so it keeps its method.
    expect((await chargedTo(books, other)).paymentMethod).toEqual({ id: old.id });
    expect(chargesOf(new RegExp(invoiceId))).toHaveLength(1);
    await expectSound(books);
  });

  it('chosen by 50 requests at once pays once', async () => {
    const { books, customer, id, invoiceId } = await owing();
    const added: { id: string }[] = [];
    for (const method of ['pm_card_visa', 'pm_sepa_kept'])
      added.push(await addMethod(books, customer, method));
    const before = stripe.moved.length;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => books.client.post(choose, { id: added[0]!.id })),
    );
    for (const { body } of answers) expect(body.errors).toBeUndefined();
    expect((await books.bills(id)).at(-1)).toBe('2026-02-28 paid 50');
    expect(chargesOf(new RegExp(invoiceId))).toHaveLength(1);
    expect(stripe.moved).toHaveLength(before + 2);
    await expectSound(books);
  });

  it('whose charges are lost pays them later, once', async () => {
    const { books, customer, id, invoiceId } = await owing();
    const { id: visa } = await addMethod(books, customer, 'pm_card_visa');
    stripe.fail('/v1/payment_intents', 'drop', 'drop', 'drop', 'drop');
    await books.client.graphql(choose, { id: visa });
    expect((await chargedTo(books, id)).status).toBe('past_due');
    await runDueWork(running.app.service, silent);
    expect((await chargedTo(books, id)).status).toBe('active');
    expect((await books.invoices()).find((each) => each.id === invoiceId).status).toBe('paid');
    expect(chargesOf(new RegExp(invoiceId))).toHaveLength(1);
    await expectSound(books);
  });
});

describe('a removal', () => {
  it('is refused for the default of a subscription, and otherwise moves what was charged to it', async () => {
    const { books, customer } = await open();
    const id = await books.subscribe(customer, await books.plan(50), 'pm_card_visa');
    const [visa] = await listMethods(books, customer);
    expect(refusal((await books.client.post(remove, { id: visa.id })).body)).toEqual([
      'payment_method_in_use',
      'id',
    ]);
    const debit = await addMethod(books, customer, 'pm_sepa_kept');
    expect(refusal((await books.client.post(remove, { id: visa.id })).body)[0]).toBe('payment_method_in_use');
    await books.client.graphql(setMethod, { id, method: 'pm_card_chargeCustomerFail' });
    const [, , failing] = await listMethods(books, customer);
    await books.client.graphql(choose, { id: debit.id });
    await books.client.graphql(setMethod, { id, method: 'pm_card_visa' });
    expect((await chargedTo(books, id)).paymentMethod).not.toEqual({ id: failing.id });
    await books.client.graphql(choose, { id: debit.id });
    const [reference] = await listReferences(books, visa.id);
    const { removePaymentMethod: removed } = await books.client.graphql(remove, { id: visa.id });
    expect(removed).toMatchObject({ removedAt: '2026-01-31T00:00:00.000Z', isDefault: false });
    expect((await chargedTo(books, id)).paymentMethod).toEqual({ id: debit.id });
    expect((await listMethods(books, customer)).map((each: any) => each.id)).toEqual([debit.id, failing.id]);
    expect(stripe.detached).toContain(reference);
    for (const document of [remove, choose])
      expect(refusal((await books.client.post(document, { id: visa.id })).body)[0]).toBe(
        'payment_method_not_found',
      );
    await expectSound(books);
  });

  it('stays when the provider cannot be reached', async () => {
    const { books, customer } = await open();
    const { id } = await addMethod(books, customer, 'pm_card_visa');
    const reference = [...stripe.intents.values()].at(-1).payment_method;
    stripe.fail(`/v1/payment_methods/${reference}/detach`, 'error');
    expect((await books.client.graphql(remove, { id })).removePaymentMethod.id).toBe(id);
    expect(await listMethods(books, customer)).toEqual([]);
    expect(stripe.detached).not.toContain(reference);
    // Its next turn is a minute later.
    await runDueWork(running.app.service, silent);
    expect(stripe.detached).not.toContain(reference);
    await books.advance('2026-01-31T00:02:00Z');
    await runDueWork(running.app.service, silent);
    await runDueWork(running.app.service, silent);
    expect(stripe.detached.filter((each) => each === reference)).toEqual([reference]);
    expect(await listQueued(books)).toEqual([]);
  });
});

const listQueued = ({ alias: tenantAlias }: Books) =>
  running.app.service.store.fresh.select('methodDetachments', { where: { tenantAlias } });

describe('Stripe forgets', () => {
  const end = (books: Books, { id }: any, field: string) =>
    books.client.graphql(`mutation ($id: ID!) { ${field}(id: $id) { id } }`, { id });
  const cancelAll = async ({ client }: Books, id: string) =>
    client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', { id });

  it.each(['eraseCustomer', 'deleteCustomer'])('the methods of a customer after %s', async (field) => {
    const { books, customer } = await open();
    const id = await books.subscribe(customer, await books.plan(50), 'pm_card_visa');
    await addMethod(books, customer, 'pm_sepa_kept');
    await cancelAll(books, id);
    const saved = await listReferences(books);
    expect(saved).toHaveLength(2);
    await end(books, customer, field);
    if (field === 'eraseCustomer') expect(await listReferences(books)).toEqual([undefined, undefined]);
    expect(await listQueued(books)).toHaveLength(2);
    await runDueWork(running.app.service, silent);
    expect(stripe.detached).toEqual(expect.arrayContaining(saved));
    expect(await listQueued(books)).toEqual([]);
    await runDueWork(running.app.service, silent);
    for (const each of saved) expect(stripe.detached.filter((one) => one === each)).toHaveLength(1);
  });

  it('a card that was replaced by itself under another reference', async () => {
    const { books, customer } = await open();
    await addMethod(books, customer, 'pm_card_visa');
    const [old] = await listReferences(books);
    await books.advance('2026-02-01');
    await addMethod(books, customer, 'pm_card_visa');
    const [renewed, ...others] = await listReferences(books);
    expect([others, renewed === old]).toEqual([[], false]);
    await runDueWork(running.app.service, silent);
    expect(stripe.detached).toContain(old);
    expect(stripe.detached).not.toContain(renewed);
  });

  it('nothing that the customer has saved again meanwhile', async () => {
    const { books, customer } = await open();
    const { id } = await addMethod(books, customer, 'pm_card_visa');
    const [reference] = await listReferences(books);
    stripe.fail(`/v1/payment_methods/${reference}/detach`, 'error');
    await books.client.graphql(remove, { id });
    await running.app.service.store.transact(books.alias, (queries) =>
      queries.update('paymentMethods', { tenantAlias: books.alias, id }, { removedAt: null }),
    );
    await books.advance('2026-02-02');
    await runDueWork(running.app.service, silent);
    expect([await listQueued(books), stripe.detached.includes(reference!)]).toEqual([[], false]);
  });
});

describe('a method that the payer must confirm', () => {
  it('is saved by the callback, once, and not again after its removal', async () => {
    const { books, customer } = await open();
    const { body } = await books.client.post(add, {
      customerId: customer.id,
      method: 'pm_card_authenticationRequired',
    });
    const made = [...stripe.intents.values()].at(-1);
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'payment_action_required',
      issues: [{ path: 'paymentMethod', actionUrl: made.next_action.redirect_to_url.url }],
    });
    const signed = stripe.callback('setup_intent.succeeded', stripe.finish(made.id, true));
    await Promise.all([running.deliver(signed), running.deliver(signed)]);
    const [method, ...others] = await listMethods(books, customer);
    expect([method.last4, others]).toEqual(['4242', []]);
    await books.client.graphql(remove, { id: method.id });
    await running.deliver(signed);
    expect(await listMethods(books, customer)).toEqual([]);
    await expectSound(books);
  });

  it('is saved by a repeated request with the same idempotency key', async () => {
    const { books, customer } = await open();
    const variables = { customerId: customer.id, method: 'pm_card_visa' };
    const answers = [];
    for (let time = 0; time < 2; time++)
      answers.push((await books.client.post(add, variables, { 'idempotency-key': 'once' })).text);
    expect(answers[0]).toBe(answers[1]);
    expect(await listMethods(books, customer)).toHaveLength(1);
  });
});

describe('a request', () => {
  it('finds nothing of another customer or another tenant', async () => {
    const { books, customer } = await open();
    const { id } = await addMethod(books, customer, 'pm_card_visa');
    const other = await books.shop.customer();
    expect(refusal((await books.client.post(choose, { id, customerId: other.id })).body)).toEqual([
      'payment_method_not_found',
      'customerId',
    ]);
    const stranger = (await open()).books;
    for (const [document, variables] of [
      [remove, { id }],
      [choose, { id }],
      [add, { customerId: customer.id, method: 'pm_card_visa' }],
    ] as const)
      expect(refusal((await stranger.client.post(document, variables)).body)[0]).toMatch(/_not_found$/);
    expect(await listMethods(books, customer)).toMatchObject([{ id, isDefault: true }]);
  });

  it.each([
    ['pm_card_visa_chargeDeclined', 'payment_failed'],
    ['pm_unknown', 'payment_failed'],
    ['', 'validation_failed'],
    ['pm_1/../2', 'payment_failed'],
    ['p'.repeat(10_000), 'validation_failed'],
    ['card', 'payment_action_required'],
  ])('to save %.30j is refused, and saves nothing', async (method, reason) => {
    const { books, customer } = await open();
    const { body } = await books.client.post(add, { customerId: customer.id, method });
    expect(refusal(body)).toEqual([reason, expect.stringMatching(/paymentMethod$/)]);
    expect(await listMethods(books, customer)).toEqual([]);
  });
});

describe('a method that a customer adds on a page', () => {
  const buildReturnPath = (request: string) => `/portal/return?request=${encodeURIComponent(request)}`;
  const scope = (books: Books) => openScope(running.app, books);
  const begin = async (method: string) => {
    const { books, customer } = await open();
    const chosen = { customerId: customer.id as string, method, isDefault: false };
    const result = await requestMethod(await scope(books), chosen, buildReturnPath);
    return { books, customer, result };
  };

  it('is saved at once if the bank asks for nothing', async () => {
    const { books, customer, result } = await begin('pm_card_visa');
    expect(result).toMatchObject({ saved: { last4: '4242' } });
    expect(await listMethods(books, customer)).toMatchObject([{ isDefault: true }]);
  });

  it.each([
    ['by the form', 'ctoken_9001_pm_card_authenticationRequired'],
    ['on the page of the provider', 'card'],
  ])('%s is saved on the return, once, also beside the callback', async (_, method) => {
    const { books, customer, result } = await begin(method);
    if (!('actionUrl' in result)) throw new Error('nothing to confirm');
    const session = method === 'card' ? [...stripe.sessions.values()].at(-1) : undefined;
    const made = session
      ? stripe.completeSession(session.id, 'pm_card_visa')
      : stripe.finish([...stripe.intents.values()].at(-1).id, true);
    const returnUrl = new URL(session?.success_url ?? made.return_url);
    const request = returnUrl.searchParams.get('request')!;
    const resume = async (customerId = customer.id) =>
      resumeRequest(await scope(books), customerId, request, buildReturnPath);
    await running.deliver(stripe.callback('setup_intent.succeeded', made));
    expect(await resume()).toMatchObject({ saved: { last4: '4242' } });
    await resume();
    expect(await listMethods(books, customer)).toHaveLength(1);
    // The text names no customer, so that another one's session begins a request of its own.
    const other = await books.shop.customer();
    await resume(other.id).catch(() => undefined);
    expect(await listMethods(books, other)).toEqual([]);
    await expectSound(books);
  });

  it.each(['', 'x', '2026-01-31T00:00:00.000Z_default_', `2026_default_pm_1`, '../../x'])(
    'returns nothing for the text %j',
    async (text) => {
      const { books, customer } = await begin('pm_card_visa');
      expect(await resumeRequest(await scope(books), customer.id, text, buildReturnPath)).toBeUndefined();
    },
  );
});

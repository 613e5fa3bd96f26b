/** A run in which every event happens, the same each time: the ids, the time and the provider's answers are fixed. */
import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { expect } from 'vitest';
import { importStripe } from '../../src/maintenance/stripeImport/importStripe.ts';
import { recordEInvoiceStatus } from '../../src/billing/invoices/eInvoices.ts';
import { recordChargeReversal } from '../../src/billing/invoices/reversals.ts';
import type { PaymentProvider, Reversal } from '../../src/providers/provider.ts';
import { createOperatorOrigin, transact } from '../../src/tenancy/tenants.ts';
import { createKey, revokeKey, rotateKey } from '../../src/tenancy/apiKeys.ts';
import type { TraceRow } from '../../src/insights/activity/traces.ts';
import { runDueWork } from '../../src/app/scheduler.ts';
import { recordAttemptOutcome } from '../../src/outgoing/webhooks/deliveries.ts';
import { startApp, type Client, type TestApp } from './app.ts';
import { dayMs, stoppedClock, type TestClock } from './clock.ts';
import { createLink, openPortalBrowser } from './portal.ts';
import { createShop, type Shop } from './shop.ts';
import { signInOperator } from './operators.ts';

const quiet = pino({ level: 'silent' });
const monthMs = 31 * dayMs;
const alias = 'acme';

/** Bytes that look random and are the same in each run. */
export function sameBytes() {
  let count = 0;
  return (length: number): Uint8Array => {
    const blocks = Array.from({ length: Math.ceil(length / 32) }, () =>
      createHash('sha256').update(`block ${count++}`).digest(),
    );
    return Buffer.concat(blocks).subarray(0, length);
  };
}

interface Bank extends PaymentProvider {
  /** Moves the money and loses the answer. */
  isUnreachable: boolean;
  refusesRefunds: boolean;
  /** When the cards that it reports expire. */
  expiresAt: string;
}

/** A provider whose answer is in the name of the method. */
function openBank(): Bank {
  const paid = (reference: string, methodReference: string) => {
    const { expiresAt } = bank;
    const card = { type: 'card', brand: 'visa', last4: '4242', expiresAt, fingerprint: null };
    const method = methodReference.startsWith('card') ? { method: card } : {};
    return { status: 'succeeded', reference, methodReference, ...method } as const;
  };
  const bank: Bank = {
    name: 'stripe',
    isUnreachable: false,
    refusesRefunds: false,
    expiresAt: '2027-01-01T00:00:00.000Z',
    start: async ({ idempotencyKey: key }, method) => {
      if (method === 'declined') return { status: 'declined', reason: 'card_declined' };
      if (method === 'debit') return { status: 'pending', reference: key, methodReference: method };
      // A debit is kept at once, and takes its time when it is charged.
      if (method !== 'confirmed') return paid(key, method === 'mandate' ? 'debit' : method);
      return { status: 'requires_action', reference: key, actionUrl: 'https://bank.example/confirm' };
    },
    resume: async ({ idempotencyKey: key }) => paid(key, 'card'),
    charge: async ({ idempotencyKey: key }, method) => {
      if (bank.isUnreachable) throw new Error('The answer was lost.');
      if (method === 'failing') return { status: 'declined', reason: 'card_declined' };
      return method === 'debit'
        ? { status: 'pending', reference: key, methodReference: method }
        : paid(key, method);
    },
    refund: async ({ idempotencyKey: key }) =>
      bank.refusesRefunds
        ? { status: 'declined', reason: 'account_closed' }
        : { status: 'succeeded', reference: key },
  };
  return bank;
}

interface Stage {
  app: TestApp;
  clock: TestClock;
  bank: Bank;
  client: Client;
  shop: Shop;
  run: (mutation: string, id: string) => Promise<any>;
  /** Advances the time and performs due work. */
  pass: (ms: number) => Promise<void>;
  /** A new customer's subscription to a new product. */
  subscribe: (method?: string, fields?: object) => Promise<any>;
}

/** Runs the lives of the records of a tenant; answers the traces of all tenants of the run, in order. */
export async function everyEvent(): Promise<TraceRow[]> {
  const clock = stoppedClock('2026-01-31T10:00:00.000Z');
  const app = await startApp({ rateLimitPerSecond: '10000' }, { clock, randomBytes: sameBytes() });
  try {
    const bank = openBank();
    app.service.payments.charging = [bank];
    const client = await app.tenant({ alias });
    const shop = createShop(client, alias);
    const stage: Stage = {
      app,
      clock,
      bank,
      client,
      shop,
      run: (mutation, id) => client.graphql(`mutation ($id: ID!) { ${mutation} }`, { id }),
      pass: async (ms) => {
        clock.advance(ms);
        await runDueWork(app.service, quiet);
      },
      subscribe: async (method = 'card', fields = {}) => {
        const customer = await shop.customer({ associatedId: `user-${clock.advance(1)}` });
        const { price } = await shop.product({ name: 'Pro', amount: 12.5, currency: 'usd', ...fields });
        const { intentId } = await shop.intent(customer, price);
        return { customer, intentId, id: (await shop.confirm(intentId, method)).subscriptionId };
      },
    };
    const lives = [settings, webhooks, catalog, intents, changes, moves];
    for (const live of [
      ...lives,
      renewals,
      trials,
      refunds,
      reversals,
      discounts,
      imports,
      oneOff,
      waitingChanges,
      taxRates,
      features,
      creditTypes,
      accounts,
      eInvoices,
      documents,
      portal,
      notices,
      methods,
      operators,
      retention,
      customerSessions,
      metadata,
      resets,
      notes,
      sending,
      endings,
      spendAlert,
      unionSales,
      homeCurrency,
      vatIds,
      approvals,
    ])
      await live(stage);
    const where = {};
    return await app.service.store.committed.select('traces', { where, orderBy: ['eventId'] });
  } finally {
    await app.close();
  }
}

async function retention({ app }: Stage) {
  const kept = await app.tenant({ alias: 'acme-kept', test: true, clock: '2026-01-31T10:00:00.000Z' });
  await kept.graphql('mutation { updateTenant(input: { documentRetentionYears: 1 }) { alias } }');
  const { id } = await createShop(kept, 'acme-kept').customer({ associatedId: 'user-kept' });
  await kept.graphql(
    `mutation ($id: ID!) {
      createInvoice(
        input: { customerId: $id, items: [{ amount: { amount: 4, currency: "usd" }, description: "Work" }], collect: send_invoice }
      ) { id }
      eraseCustomer(id: $id) { id }
      advanceClock(input: { to: "2028-01-01" }) { clock }
    }`,
    { id },
  );
}

async function endings({ app }: Stage) {
  const tenant = 'acme-ended';
  const test = await app.tenant({ alias: tenant, test: true, clock: '2026-01-31T10:00:00.000Z' });
  const { id } = await createShop(test, tenant).customer({ associatedId: 'user-ended' });
  const { createCoupon } = await test.graphql(
    'mutation { createCoupon(input: { name: "May", percentOff: "25", duration: repeating, durationInMonths: 1 }) { id } }',
  );
  await test.graphql(
    `mutation ($id: ID!, $couponId: ID!) {
      applyDiscount(input: { customerId: $id, couponId: $couponId }) { id }
      createInvoice(input: { customerId: $id, items: [{ amount: { amount: 4, currency: "usd" }, description: "Work" }] }) { id }
      advanceClock(input: { to: "2026-03-01" }) { clock }
    }`,
    { id, couponId: createCoupon.id },
  );
}

/** Requests for actions that come to each end. */
async function approvals({ app, client, shop, subscribe, run, pass }: Stage) {
  const agent = await app.key(alias, ['read', 'propose']);
  const ask = async (operation: string, fields: object) => {
    const { proposeAction } = await agent.graphql(
      'mutation ($input: ProposeActionInput!) { proposeAction(input: $input) { id preview { version } } }',
      { input: { operation, reason: 'The customer has asked for it.', ...fields } },
    );
    return proposeAction as { id: string; preview: { version: string } };
  };
  const approve = ({ id, preview }: Awaited<ReturnType<typeof ask>>) =>
    client.post(
      `mutation ($id: ID!, $version: String!) {
        approveActionRequest(id: $id, input: { previewVersion: $version }) { status }
      }`,
      { id, version: preview.version },
    );
  const { customer, id: subscriptionId } = await subscribe();
  const amount = { amount: 5, currency: 'usd' };
  const grant = { input: { customerId: customer.id, amount, reason: 'Sorry' } };
  expect((await approve(await ask('grantCredit', grant))).body.data.approveActionRequest.status).toBe(
    'approved',
  );
  const { invoices } = await client.graphql(
    'query ($id: ID) { invoices(subscriptionId: $id) { nodes { id } } }',
    { id: subscriptionId },
  );
  const invoice = invoices.nodes[0].id;
  const changed = await ask('refundInvoice', { id: invoice });
  await run('refundInvoice(id: $id, input: { amount: { amount: 1, currency: "usd" } }) { id }', invoice);
  expect((await approve(changed)).body.errors[0].extensions.reason).toBe('action_request_changed');
  await run('declineActionRequest(id: $id, input: { reason: "One dollar is enough." }) { id }', changed.id);
  await run('withdrawActionRequest(id: $id) { id }', (await ask('grantCredit', grant)).id);
  const { id: deleted } = await shop.customer({ associatedId: 'user-asked' });
  const late = await ask('deleteCustomer', { id: deleted });
  await run('deleteCustomer(id: $id) { id }', deleted);
  expect((await approve(late)).body.data.approveActionRequest.status).toBe('failed');
  await ask('cancelSubscription', { id: subscriptionId });
  await pass(8 * dayMs);
}

async function resets({ app }: Stage) {
  const test = await app.tenant({ alias: 'acme-again', test: true });
  await test.graphql('mutation { resetTenant(input: { confirmation: "acme-again" }) { alias } }');
}

async function settings({ app, client }: Stage) {
  await client.graphql('mutation { updateTenant(input: { name: "Acme Inc." }) { name } }');
  const { key } = await createKey(app.service, { tenant: alias, scope: 'read' });
  await rotateKey(app.service, key.id, dayMs);
  await revokeKey(app.service, key.id);
  const test = await app.tenant({ alias: 'acme-test', test: true, clock: '2026-01-31T10:00:00.000Z' });
  await test.graphql('mutation { advanceClock(input: { to: "2026-02-01" }) { clock } }');
}

async function webhooks({ app, client, run }: Stage) {
  const made = await client.graphql(`mutation { createWebhookEndpoint(input: {
    url: "https://shop.example/hooks", events: ["SubscriptionEvent"]
  }) { endpoint { id } } }`);
  const { id } = made.createWebhookEndpoint.endpoint;
  await run('updateWebhookEndpoint(id: $id, input: { description: "The shop" }) { id }', id);
  await run('rotateWebhookSecret(id: $id) { endpoint { id } }', id);
  await run('testWebhookEndpoint(id: $id) { id }', id);
  const [delivery] = await app.service.store.committed.select('webhookDeliveries', { where: {} });
  const gone = {
    statusCode: 410,
    error: 'answered 410',
    body: '{}',
    durationMs: 12,
    retryAfterMs: 0,
    random: 0,
  };
  await transact(app.service, alias, createOperatorOrigin(app.service), (unit) =>
    recordAttemptOutcome(unit, delivery!, gone),
  );
  await run('deleteWebhookEndpoint(id: $id) { id }', id);
}

async function portal({ app, client, shop }: Stage) {
  const customer = await shop.customer({ associatedId: 'user-portal' });
  const { path } = await createLink(client, { customerId: customer.id });
  const browser = openPortalBrowser(app, 'http://localhost:3000');
  await browser.get(path);
  expect((await browser.submit(path)).status).toBe(303);
}

async function customerSessions({ client, shop }: Stage) {
  const { id } = await shop.customer({ associatedId: 'user-page' });
  const { createCustomerSession } = await client.graphql(
    'mutation ($input: CreateCustomerSessionInput!) { createCustomerSession(input: $input) { session { id } } }',
    { input: { customerId: id, allow: ['change_subscription'] } },
  );
  await client.graphql('mutation ($id: ID!) { revokeCustomerSession(id: $id) { id } }', {
    id: createCustomerSession.session.id,
  });
}

async function sending({ client, run }: Stage) {
  const { invoices } = await client.graphql('{ invoices(first: 1, status: paid) { nodes { id } } }');
  await run('sendInvoice(id: $id) { id }', invoices.nodes[0].id);
}

async function metadata({ client, run }: Stage) {
  const { payments } = await client.graphql('{ payments(first: 1) { nodes { id } } }');
  await run('updatePayment(id: $id, input: { metadata: { ledger: "4711" } }) { id }', payments.nodes[0].id);
}

async function catalog({ client, shop, run }: Stage) {
  const customer = await shop.customer({ associatedId: 'user-1' });
  await run('updateCustomer(id: $id, input: { metadata: { plan: "trial" } }) { id }', customer.id);
  await run('deleteCustomer(id: $id) { id }', customer.id);
  const forgotten = await shop.customer({ associatedId: 'user-5' });
  await run('eraseCustomer(id: $id) { id }', forgotten.id);
  const group = await shop.group();
  await run('updateGroup(id: $id, input: { prorateUpgrades: true }) { id }', group.id);
  const { product, price } = await shop.product({ groupId: group.id, amount: 12.5, currency: 'usd' });
  await run('updateProduct(id: $id, input: { description: "For a whole team." }) { id }', product.id);
  await client.graphql(
    'mutation ($of: ID!, $id: ID!) { updatePrice(id: $id, input: { productId: $of, details: { amount: 15 } }) { id } }',
    { of: product.id, id: price.id },
  );
  await run('archivePrice(id: $id) { id }', price.id);
  await run('unarchivePrice(id: $id) { id }', price.id);
  await run('deleteProduct(id: $id) { id }', product.id);
  await run('deleteGroup(id: $id) { id }', group.id);
}

async function intents({ client, shop, pass, run }: Stage) {
  const customer = await shop.customer({ associatedId: 'user-2' });
  const { price } = await shop.product({ amount: 12.5, currency: 'usd' });
  const intent = async () => (await shop.intent(customer, price)).intentId;
  const given = await intent();
  await shop.confirm(given, 'manual');
  await run('cancelIntent(id: $id) { id }', given);
  await intent();
  await pass(2 * dayMs);
  const debited = await intent();
  await shop.confirm(debited, 'debit');
  const confirmed = (await shop.intent(await shop.customer({ associatedId: 'user-3' }), price)).intentId;
  await client.post(
    'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "declined" }) { id } }',
    {
      id: confirmed,
    },
  );
  await shop.confirm(confirmed, 'confirmed');
  await run('resumeIntent(id: $id) { id }', confirmed);
}

async function notes({ client, shop, run }: Stage) {
  const { id: customerId } = await shop.customer({ associatedId: 'user-note' });
  const { createCustomerNote: note } = await client.graphql(
    'mutation ($input: CreateCustomerNoteInput!) { createCustomerNote(input: $input) { id } }',
    { input: { customerId, text: 'Prefers calls in the morning' } },
  );
  await run('updateCustomerNote(id: $id, input: { text: "Prefers mails" }) { id }', note.id);
  await run('deleteCustomerNote(id: $id) { id }', note.id);
}

async function changes({ app, shop, clock, run, pass, subscribe }: Stage) {
  const cancelled = await subscribe();
  await run('pauseSubscription(id: $id, input: { resumesAt: "2027-01-01" }) { id }', cancelled.id);
  await run('resumeSubscription(id: $id) { id }', cancelled.id);
  await run('cancelSubscription(id: $id, input: { atPeriodEnd: true }) { id }', cancelled.id);
  await run('uncancelSubscription(id: $id) { id }', cancelled.id);
  await run('setPaymentMethod(id: $id, input: { paymentMethod: "card2" }) { id }', cancelled.id);
  await run('cancelSubscription(id: $id) { id }', cancelled.id);

  const { id: groupId } = await shop.group({ prorateUpgrades: true });
  const { customer } = await subscribe('card', { groupId });
  for (const [name, amount] of [
    ['Team', 30],
    ['Basic', 5],
  ] as const) {
    clock.advance(dayMs);
    const { price } = await shop.product({ name, amount, currency: 'usd', groupId });
    await shop.confirm((await shop.intent(customer, price)).intentId, 'card');
  }
  await pass(monthMs);

  const parked = await subscribe();
  const broken = { currentPeriodEnd: '2030-01-01T00:00:00.000Z' };
  await app.service.store.transact(alias, (queries) =>
    queries.update('subscriptions', { tenantAlias: alias, id: parked.id }, broken),
  );
  await pass(monthMs);
}

async function moves({ client, shop, clock, run, subscribe }: Stage) {
  const { id: groupId } = await shop.group({ prorateUpgrades: true });
  const { customer, id } = await subscribe('card', { groupId, amount: 100 });
  const buy = async (name: string, fields: object) => {
    clock.advance(dayMs);
    const { price } = await shop.product({ name, currency: 'usd', ...fields });
    await shop.confirm((await shop.intent(customer, price)).intentId, 'card');
    return price;
  };
  await buy('Basic', { amount: 5, groupId });
  await run('cancelScheduledChange(id: $id) { id }', id);
  // The credit for the rest of the month exceeds the charge: the rest becomes the balance, which pays the next purchase.
  await buy('Saver', { amount: 20, recurring: { frequency: 'Yearly' }, groupId });
  const extra = await buy('Extra', { amount: 12.5 });
  const { invoices } = await client.graphql('{ invoices(first: 1) { nodes { id } } }');
  await run('refundInvoice(id: $id) { id }', invoices.nodes[0].id);

  await shop.intent(await shop.customer({ associatedId: 'user-4' }), extra);
  const to = await shop.group();
  await client.graphql(
    'mutation ($id: ID!, $to: ID!) { updateProduct(id: $id, input: { groupId: $to }) { id } }',
    { id: extra.productId, to: to.id },
  );
}

async function renewals({ client, bank, subscribe, pass, run }: Stage) {
  await subscribe('failing');
  await subscribe('mandate');
  await client.graphql('mutation { updateTenant(input: { paymentTermsDays: 5 }) { name } }');
  await subscribe('manual');
  await pass(2 * dayMs);
  const { invoices } = await client.graphql('{ invoices(first: 1) { nodes { id status } } }');
  const record = 'recordPayment(id: $id, input: { reference: "bank statement 17" }) { id }';
  await run(record, invoices.nodes[0].id);
  await pass(monthMs);
  for (let week = 0; week < 5; week++) await pass(7 * dayMs);
  const lost = await subscribe();
  bank.isUnreachable = true;
  await pass(monthMs);
  await run('cancelSubscription(id: $id) { id }', lost.id);
  bank.isUnreachable = false;
}

/** A trial whose end is announced, and that ends with its first charge. */
async function trials({ pass, subscribe }: Stage) {
  await subscribe('card', { price: { trialDays: 7, setupFee: { amount: 4, currency: 'usd' } } });
  await pass(5 * dayMs);
  await pass(3 * dayMs);
}

/** A reminder of an unpaid invoice, the announcement of a renewal after six months, and cards that expire. */
async function notices({ client, pass, subscribe }: Stage) {
  await client.graphql(
    'mutation { updateTenant(input: { dunning: { finalAction: leave, mailDays: [1], accessGraceDays: 1 } }) { alias } }',
  );
  await subscribe('failing');
  await subscribe('card', { recurring: { frequency: 'Monthly', period: 6 } });
  await pass(monthMs);
  await pass(dayMs);
  await pass(3 * monthMs);
  await pass(monthMs);
}

async function refunds({ bank, client, subscribe, run }: Stage) {
  const { id } = await subscribe();
  const { invoices } = await client.graphql(
    'query ($id: ID) { invoices(subscriptionId: $id) { nodes { id } } }',
    {
      id,
    },
  );
  const invoice = invoices.nodes[0].id;
  bank.refusesRefunds = true;
  await client.post(
    'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 1, currency: "usd" } }) { id } }',
    { id: invoice },
  );
  bank.refusesRefunds = false;
  await run('refundInvoice(id: $id, input: { amount: { amount: 2.5, currency: "usd" } }) { id }', invoice);
}

/** A refund in the dashboard of the provider, and disputes: an inquiry that is withdrawn and won, and one that is lost. */
async function reversals({ app, subscribe, client }: Stage) {
  const { id } = await subscribe();
  const { invoices } = await client.graphql(
    'query ($id: ID) { invoices(subscriptionId: $id) { nodes { payments { id } } } }',
    { id },
  );
  const { id: charge } = invoices.nodes[0].payments[0];
  const report = (reversal: Pick<Reversal, 'type' | 'status'>, reference: string) =>
    transact(app.service, alias, createOperatorOrigin(app.service), async (unit) => {
      const terms = { reference, amountMinor: 400n, currency: 'usd', reason: 'fraudulent' };
      const evidenceDueAt = '2026-03-01T00:00:00.000Z';
      const row = (await unit.one('payments', { id: charge }))!;
      await recordChargeReversal(unit, row, { ...terms, evidenceDueAt, ...reversal } as Reversal);
    });
  await report({ type: 'refund', status: 'succeeded' }, 're_1');
  for (const status of ['inquiry', 'needs_response', 'won'] as const)
    await report({ type: 'dispute', status }, 'du_1');
  await report({ type: 'dispute', status: 'lost' }, 'du_2');
}

/** Two changes that wait for the next invoice: the second shortens the charge of the first. */
async function waitingChanges({ subscribe, run, pass }: Stage) {
  const { id } = await subscribe('card', { price: { model: 'per_unit' } });
  for (const quantity of [3, 5]) {
    await pass(dayMs);
    await run(
      `changeSubscription(id: $id, input: { quantity: ${quantity}, billing: next_invoice }) { id }`,
      id,
    );
  }
}

async function oneOff({ client, clock, subscribe, run, pass }: Stage) {
  const { customer } = await subscribe();
  const amount = { amount: 40, currency: 'usd' };
  const variables = { id: customer.id, amount };
  const add = async (): Promise<string> => {
    const { createInvoiceItem } = await client.graphql(
      `mutation ($id: ID!, $amount: MoneyInput!) {
        createInvoiceItem(input: { customerId: $id, amount: $amount, description: "Data import" }) { id }
      }`,
      variables,
    );
    return createInvoiceItem.id;
  };
  await run('deleteInvoiceItem(id: $id) { id }', await add());
  await add();
  const { createInvoice } = await client.graphql(
    `mutation ($id: ID!, $amount: MoneyInput!) {
      createInvoice(input: { customerId: $id, items: [{ amount: $amount, description: "Training" }], collect: send_invoice }) { id }
    }`,
    variables,
  );
  await run('markInvoiceUncollectible(id: $id) { id }', createInvoice.id);
  await run('voidInvoice(id: $id) { id }', createInvoice.id);
  await client.graphql(
    'mutation ($id: ID!, $amount: MoneyInput!) { grantCredit(input: { customerId: $id, amount: $amount, reason: "An outage" }) { id } }',
    variables,
  );
  await client.graphql(
    'mutation ($id: ID!, $amount: MoneyInput!, $at: DateTime) { grantCredit(input: { customerId: $id, amount: $amount, reason: "A delay", expiresAt: $at }) { id } }',
    { ...variables, at: new Date(clock.nowMs() + dayMs).toISOString() },
  );
  const { createCreditGrant } = await client.graphql(
    `mutation ($id: ID!, $amount: MoneyInput!) {
      createCreditGrant(input: { customerId: $id, name: "Welcome", amount: $amount, category: promotional }) { id }
    }`,
    variables,
  );
  await client.graphql(
    `mutation ($id: ID!, $amount: MoneyInput!) { updateCreditGrant(id: $id, input: { alertBelow: $amount }) { id } }`,
    { ...variables, id: createCreditGrant.id },
  );
  await run('voidCreditGrant(id: $id) { id }', createCreditGrant.id);
  await client.graphql(
    `mutation ($id: ID!, $amount: MoneyInput!) {
      createCreditGrant(
        input: { customerId: $id, name: "Gift", amount: $amount, category: promotional, alertBelow: $amount }
      ) { id }
      createInvoice(input: { customerId: $id, items: [{ amount: $amount, description: "Training" }], collect: send_invoice }) { id }
    }`,
    variables,
  );
  await client.graphql(
    `mutation ($id: ID!, $amount: MoneyInput!, $at: DateTime) {
      createCreditGrant(
        input: {
          customerId: $id
          name: "Package"
          amount: $amount
          category: paid
          expiresAt: $at
          rollover: { percent: "50", expiresAfter: { frequency: Yearly, period: 1 } }
        }
      ) { id }
    }`,
    { ...variables, at: new Date(clock.nowMs() + dayMs).toISOString() },
  );
  await pass(monthMs);
}

/** A credit type, and automatic top-ups: one that sells up to its limit, and one of a customer who cannot pay. */
async function creditTypes({ client, shop, run, pass, subscribe }: Stage) {
  const { createMeter: meter } = await client.graphql(
    'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: count }) { id } }',
  );
  const { createCreditType: type } = await client.graphql(
    'mutation ($id: ID!) { createCreditType(input: { name: "Credits", rates: [{ meterId: $id, credits: "1" }] }) { id } }',
    { id: meter.id },
  );
  await run('updateCreditType(id: $id, input: { name: "AI credits" }) { id }', type.id);
  const set = async (customerId: string, threshold: number): Promise<string> => {
    const money = (amount: number) => ({ amount, currency: 'usd' });
    const input = {
      customerId,
      name: 'Package',
      threshold: money(threshold),
      amount: money(5),
      monthlyLimit: 1,
    };
    const document = 'mutation ($input: SetAutoTopUpInput!) { setAutoTopUp(input: $input) { id } }';
    return (await client.graphql(document, { input })).setAutoTopUp.id;
  };
  const { customer } = await subscribe();
  const id = await set(customer.id, 10);
  await pass(0);
  await set(customer.id, 9);
  await run('removeAutoTopUp(id: $id) { id }', id);
  await set((await shop.customer({ associatedId: 'user-without-card' })).id, 10);
  await pass(0);
}

/** A draft that is finalized, and a paid invoice, a part of which is credited to the balance. */
async function documents({ client, run, subscribe }: Stage) {
  const { id, customer } = await subscribe();
  const { createInvoice } = await client.graphql(
    `mutation ($id: ID!, $amount: MoneyInput!) {
      createInvoice(
        input: { customerId: $id, items: [{ amount: $amount, description: "Training" }], collect: send_invoice, draft: true }
      ) { id }
    }`,
    { id: customer.id, amount: { amount: 40, currency: 'usd' } },
  );
  await run('finalizeInvoice(id: $id) { id }', createInvoice.id);
  const { invoices } = await client.graphql(
    'query ($id: ID) { invoices(subscriptionId: $id) { nodes { id } } }',
    { id },
  );
  await client.graphql(
    `mutation ($id: ID!) {
      createCreditNote(input: { invoiceId: $id, amount: { amount: 2.5, currency: "usd" }, kind: credit, reason: "Late delivery" }) { id }
    }`,
    { id: invoices.nodes[0].id },
  );
}

/** A card that is renewed, and another that is removed. */
async function methods({ bank, client, subscribe, run }: Stage) {
  const { customer } = await subscribe();
  bank.expiresAt = '2031-01-01T00:00:00.000Z';
  const add = `mutation ($id: ID!, $method: String!) {
    addPaymentMethod(input: { customerId: $id, paymentMethod: $method }) { id }
  }`;
  await client.graphql(add, { id: customer.id, method: 'card' });
  const { addPaymentMethod } = await client.graphql(add, { id: customer.id, method: 'card2' });
  await run('removePaymentMethod(id: $id) { id }', addPaymentMethod.id);
}

async function features({ client, shop, run, pass }: Stage) {
  const { id: customerId } = await shop.customer({ associatedId: 'user-feature' });
  const { product } = await shop.product();
  const { createFeature: feature } = await client.graphql(
    'mutation { createFeature(input: { key: "sso", name: "Single sign-on", kind: boolean }) { id } }',
  );
  await run('updateFeature(id: $id, input: { name: "SSO" }) { id }', feature.id);
  const attach = (fields: string) =>
    run(`attachFeature(input: { productId: $id, feature: "sso", ${fields} }) { id }`, product.id);
  await attach('value: true');
  await attach('value: false');
  await run(
    'detachFeature(input: { productId: $id, feature: "sso", reach: next_period }) { id }',
    product.id,
  );
  await run('detachFeature(input: { productId: $id, feature: "sso" }) { id }', product.id);
  const { overrideEntitlement } = await client.graphql(
    'mutation ($id: ID!) { overrideEntitlement(input: { customerId: $id, feature: "sso", value: true }) { id } }',
    { id: customerId },
  );
  await run(
    'overrideEntitlement(input: { customerId: $id, feature: "sso", value: false }) { id }',
    customerId,
  );
  await run('removeEntitlementOverride(id: $id) { id }', overrideEntitlement.id);
  await run('archiveFeature(id: $id) { id }', feature.id);
  await limitAlert(client, customerId);
  await pass(1);
}

/** A limit of which a customer uses the half. */
async function limitAlert(client: Stage['client'], customerId: string) {
  const { createMeter: meter } = await client.graphql(
    'mutation { createMeter(input: { name: "Answers", event: "answer", aggregation: count }) { id } }',
  );
  const fields = 'key: "answers", name: "Answers", kind: limit, meterId: $id, alertPercents: [50]';
  await client.graphql(`mutation ($id: ID!) { createFeature(input: { ${fields} }) { id } }`, {
    id: meter.id,
  });
  const use = 'id: "answer-1", customerId: $id, feature: "answers", amount: "1"';
  await client.graphql(
    `mutation ($id: ID!) {
      overrideEntitlement(input: { customerId: $id, feature: "answers", value: 2 }) { id }
      consumeEntitlement(input: { ${use} }) { allowed }
    }`,
    { id: customerId },
  );
}

async function overrideOfUsage(client: Stage['client']) {
  const { createMeter, createCustomer } = await client.graphql(`mutation {
    createMeter(input: { name: "Tokens", event: "completion", aggregation: sum, value: "tokens" }) { id }
    createCustomer(input: {
      email: "own.terms@example.com", firstName: "Own", lastName: "Terms", associatedId: "own-terms"
    }) { id }
  }`);
  const { createProduct } = await client.graphql(
    `mutation ($id: ID!) { createProduct(input: {
      name: "Tokens", description: "", prices: [{ details: { decimal: "0.001", currency: "usd" }, meterId: $id }]
    }) { prices { id } } }`,
    { id: createMeter.id },
  );
  const { overrideUsagePrice } = await client.graphql(
    `mutation ($id: ID!, $price: ID!) { overrideUsagePrice(input: {
      customerId: $id, priceId: $price, unitAmount: "0.0008", includedUnits: "1000000"
    }) { id } }`,
    { id: createCustomer.id, price: createProduct.prices[0].id },
  );
  await client.graphql('mutation ($id: ID!) { removeUsagePriceOverride(id: $id) { id } }', {
    id: overrideUsagePrice.id,
  });
}

/** A subscription to usage that has cost the amount of an alert. */
async function spendAlert({ client, shop, run, pass }: Stage) {
  const { createMeter: meter } = await client.graphql(
    'mutation { createMeter(input: { name: "Pages", event: "page", aggregation: count }) { id } }',
  );
  const { price } = await shop.product({
    name: 'Pages',
    price: { details: { amount: 2, currency: 'usd' }, meterId: meter.id },
  });
  const customer = await shop.customer({ associatedId: 'user-of-pages' });
  const { subscriptionId: id } = await shop.confirm((await shop.intent(customer, price)).intentId, 'card');
  await run(
    'updateSubscription(id: $id, input: { spendAlerts: [{ amount: 2, currency: "usd" }] }) { id }',
    id,
  );
  await client.graphql(
    'mutation ($id: ID!) { recordUsage(input: { events: [{ id: "page-1", event: "page", customerId: $id }] }) { accepted } }',
    { id: customer.id },
  );
  await pass(0);
}

/** A seller in Germany sells an Italian more than is taxed at home. */
async function unionSales({ app }: Stage) {
  const seller = await app.tenant({ alias: 'berlin' });
  await seller.graphql(`mutation {
    updateTenant(input: { seller: { legalName: "Kim Berg", address: { country: "DE" } } }) { alias }
    setPlaceOfSupply(input: { placeOfSupply: seller }) { alias }
  }`);
  const { createCustomer } = await seller.graphql(`mutation {
    createCustomer(input: {
      email: "rosa@example.com", firstName: "Rosa", lastName: "Bianchi", associatedId: "rosa", address: { country: "IT" }
    }) { id }
  }`);
  for (const amount of [8500, 2000])
    await seller.graphql(
      `mutation ($id: ID!, $amount: MoneyInput!) {
        createInvoice(input: { customerId: $id, items: [{ amount: $amount, description: "Course" }], collect: send_invoice }) { id }
      }`,
      { id: createCustomer.id, amount: { amount, currency: 'eur' } },
    );
}

/** VIES knows the VAT id of a French customer, does not know it any more, and knows it again. */
async function vatIds({ app }: Stage) {
  let status: 'valid' | 'invalid' = 'valid';
  const ask = () =>
    Promise.resolve({ status, consultation: 'WAPIAAAAX1', name: 'DUPONT SAS', address: null });
  app.service.vatRegister = { ask, askNow: ask, takeRepeats: (most) => most };
  const seller = await app.tenant({ alias: 'bonn' });
  await seller.graphql(`mutation {
    updateTenant(input: { vatIdCheck: draft, seller: { legalName: "Kim Berg", address: { country: "DE" } } }) { alias }
  }`);
  const { createCustomer } = await seller.graphql(`mutation {
    createCustomer(input: {
      email: "luc@example.com", firstName: "Luc", lastName: "Dupont", associatedId: "luc", address: { country: "FR" },
      taxIds: [{ type: eu_vat, value: "FR03784359069" }]
    }) { id }
  }`);
  for (const next of ['valid', 'invalid', 'valid'] as const) {
    status = next;
    await seller.graphql('mutation ($id: ID!) { checkVatId(id: $id) { id } }', { id: createCustomer.id });
  }
  delete app.service.vatRegister;
}

/** A seller in Germany bills in dollars before it has a rate, and sets it. */
async function homeCurrency({ app }: Stage) {
  const seller = await app.tenant({ alias: 'bremen' });
  await seller.graphql(`mutation {
    updateTenant(input: { seller: { legalName: "Kim Berg", address: { country: "DE" } } }) { alias }
  }`);
  const { createCustomer } = await seller.graphql(`mutation {
    createCustomer(input: {
      email: "uwe@example.com", firstName: "Uwe", lastName: "Brandt", associatedId: "uwe", address: { country: "DE" }
    }) { id }
  }`);
  const { createInvoice } = await seller.graphql(
    `mutation ($id: ID!) {
      createInvoice(input: {
        customerId: $id, items: [{ amount: { amount: 50, currency: "usd" }, description: "Course" }], collect: send_invoice
      }) { taxInHomeCurrency { taxDay } }
    }`,
    { id: createCustomer.id },
  );
  await seller.graphql(
    'mutation ($day: Date!) { setExchangeRate(input: { currency: "usd", day: $day, rate: "1.1642" }) { day } }',
    { day: createInvoice.taxInHomeCurrency.taxDay },
  );
}

async function taxRates({ client, run }: Stage) {
  const { createTaxRate } = await client.graphql(
    'mutation { createTaxRate(input: { country: "CH", percent: "8.1", name: "Swiss VAT" }) { id } }',
  );
  await run('updateTaxRate(id: $id, input: { name: "Swiss VAT 2024" }) { id }', createTaxRate.id);
  await run('archiveTaxRate(id: $id) { id }', createTaxRate.id);
  const { createMeter } = await client.graphql(
    'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: count }) { id } }',
  );
  await run('updateMeter(id: $id, input: { name: "API calls" }) { id }', createMeter.id);
  await run('createMeterVersion(id: $id, input: { groupBy: ["region"] }) { id }', createMeter.id);
  await overrideOfUsage(client);
  await run('archiveMeter(id: $id) { id }', createMeter.id);
  const template = (subject: string) =>
    `updateMailTemplate(input: { kind: receipt, language: en, subject: "${subject}" }) { id }`;
  const { updateMailTemplate } = await client.graphql(`mutation { ${template('Thank you')} }`);
  await client.graphql(`mutation { ${template('Your receipt')} }`);
  await run('deleteMailTemplate(id: $id) { id }', updateMailTemplate.id);
}

async function accounts({ client }: Stage) {
  const account = { url: 'smtps://billing:secret@mail.example:465', fromAddress: 'billing@shop.example' };
  await client.graphql(
    'mutation ($smtp: SmtpAccountInput!) { configureAccount(input: { smtp: $smtp }) { provider } }',
    { smtp: account },
  );
  await client.graphql('mutation { removeAccount(input: { provider: smtp }) { provider } }');
}

async function eInvoices({ app, client, shop, run }: Stage) {
  const { id: customerId } = await shop.customer({ associatedId: 'user-e-invoice' });
  const { createInvoice: invoice } = await client.graphql(
    `mutation ($id: ID!) { createInvoice(input: { customerId: $id, collect: send_invoice,
      items: [{ amount: { amount: 5, currency: "usd" }, description: "Call" }] }) { id } }`,
    { id: customerId },
  );
  const credit = 'createCreditNote(input: { invoiceId: $id, kind: credit }) { id }';
  const { createCreditNote: note } = await run(credit, invoice.id);
  await client.graphql(
    'mutation ($point: AccessPointAccountInput!) { configureAccount(input: { accessPoint: $point }) { provider } }',
    {
      point: {
        url: 'https://ap.example/documents',
        secret: 'a-secret-of-the-access-point',
        formats: ['ubl'],
      },
    },
  );
  await run('updateCustomer(id: $id, input: { documentFormat: ubl }) { id }', customerId);
  const outcomes = [
    { status: 'sent', reference: 'msg-1' },
    { status: 'accepted', message: 'Delivered.' },
    { status: 'rejected', message: 'The order is not known.' },
    { status: 'failed', message: 'answered 500' },
  ] as const;
  for (const id of [invoice.id, note.id]) {
    await run('sendEInvoice(id: $id) { status }', id);
    const origin = { traceId: app.service.ids.traceId(), executorId: 'system:scheduler' };
    for (const outcome of outcomes)
      await transact(app.service, alias, origin, async (unit) =>
        recordEInvoiceStatus(unit, (await unit.one('eInvoiceDeliveries', { id }))!, outcome),
      );
  }
  await run('updateCustomer(id: $id, input: { documentFormat: null }) { id }', customerId);
  await client.graphql('mutation { removeAccount(input: { provider: access_point }) { provider } }');
}

async function operators({ app }: Stage) {
  const owner = await signInOperator(app, { tenant: alias, email: 'owner@shop.example' });
  const invite =
    'inviteOperator(input: { email: "ada@shop.example", role: support }) { operator { id: operatorId } }';
  const { id } = (await owner.post(`mutation { ${invite} }`)).body.data.inviteOperator.operator;
  const variables = { id };
  await owner.post(
    'mutation ($id: ID!) { changeOperatorRole(id: $id, input: { role: finance }) { operatorId } }',
    variables,
  );
  await owner.post('mutation ($id: ID!) { removeOperator(id: $id) { operatorId } }', variables);
}

async function discounts({ client, shop, run }: Stage) {
  const make = async (field: string, type: string, input: object): Promise<string> => {
    const document = `mutation ($input: ${type}!) { ${field}(input: $input) { id } }`;
    return (await client.graphql(document, { input }))[field].id;
  };
  const couponId = await make('createCoupon', 'CreateCouponInput', {
    name: 'Spring sale',
    percentOff: '25',
    duration: 'once',
    maxRedemptions: 100,
  });
  await run('updateCoupon(id: $id, input: { name: "Spring sale 2026" }) { id }', couponId);
  const code = { couponId, code: 'SPRING', minimumAmount: { amount: 10, currency: 'usd' } };
  const codeId = await make('createPromotionCode', 'CreatePromotionCodeInput', code);
  await run('updatePromotionCode(id: $id, input: { maxRedemptions: 50 }) { id }', codeId);
  const customer = await shop.customer({ associatedId: 'user-6' });
  const { price } = await shop.product({ amount: 12.5, currency: 'usd' });
  const apply =
    'mutation ($id: ID, $of: ID) { applyDiscount(input: { customerId: $id, couponId: $of }) { id } }';
  const { applyDiscount } = await client.graphql(apply, { id: customer.id, of: couponId });
  const decline =
    'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "declined" }) { id } }';
  await client.post(decline, { id: (await shop.intent(customer, price)).intentId });
  await run('removeDiscount(id: $id) { id }', applyDiscount.id);
  const { tenantAlias: _, ...order } = shop.intentInput(customer, price, { promotionCode: 'spring' }) as any;
  const id = await make('createSubscriptionIntent', 'CreateSubscriptionIntentInput', order);
  await client.post(decline, { id });
  await shop.confirm(id, 'card');
}

async function imports({ app, clock }: Stage) {
  const from = clock.now();
  const until = new Date(clock.nowMs() + monthMs).toISOString();
  const customer = {
    id: 'cus_1',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    metadata: {},
    paymentMethod: null,
    balances: [{ currency: 'usd', creditMinor: 500n }],
    details: {},
    losses: [],
    discounts: [],
    discount: [],
  };
  const price = {
    id: 'price_1',
    product: 'prod_1',
    active: true,
    productName: 'Pro',
    pricing: { model: 'per_unit' as const, unitAmount: '29.9' },
    currency: 'usd',
    interval: 'month',
    intervalCount: 1,
    trialDays: null,
    productTaxCode: null,
    taxBehavior: null,
  };
  const subscription = {
    id: 'sub_1',
    customer: 'cus_1',
    items: [{ price: 'price_1', quantity: 1, addedAt: '' }],
    status: 'active',
    startedAt: from,
    anchor: from,
    periodStart: from,
    periodEnd: until,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    trialEndsAt: null,
    metadata: {},
    paymentMethod: null,
    losses: [],
    discounts: [],
  };
  const exported = {
    customers: [customer],
    products: [],
    prices: [price],
    subscriptions: [subscription],
    taxRates: [],
    methods: [],
    accounts: [],
    notes: [],
  };
  await importStripe(app.service, exported, { tenant: alias, isConfirmed: true });
}

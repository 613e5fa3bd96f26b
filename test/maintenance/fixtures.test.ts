/** Databases of earlier releases: they open, migrate, add up, and go on living. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeOwnership } from '../../src/storage/sqlite/fileLock.ts';
import { postFromPage } from '../access/browsers/browserApp.ts';
import type { Client, TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';
import { engine, type Scratch } from '../support/engines.ts';
import {
  examined,
  isSince,
  openFixture,
  placeFixture,
  releases,
  sizes,
  startAt,
} from '../support/fixtures.ts';
import { sampled, sampledInCore } from '../support/sample.ts';
import { inject } from '../support/world.ts';
import { openReceiver, type Received } from '../outgoing/webhooks/receiver.ts';

const getSignature = ({ headers }: Received) => headers['webhook-signature'];
/** The library's verification would refuse the fixture's time. */
const signatureBy =
  (secret: string) =>
  ({ headers, text }: Received) => {
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
    return new Webhook(secret).sign(String(headers['webhook-id']), sentAt, text);
  };

const statuses = {
  active: 'active',
  upgraded: 'active',
  withBalance: 'active',
  downgrading: 'active',
  pastDue: 'past_due',
  paused: 'paused',
  cancelled: 'cancelled',
  ending: 'active',
  waitingUpgrade: 'active',
  ofGoneCustomer: 'cancelled',
};

/** Subscriptions to prices with quantities, and what each has been billed every month. */
const quantified: Record<string, { model: string; quantity: number; amount: number }> = {
  perUnit: { model: 'per_unit', quantity: 40_000, amount: 15 },
  package: { model: 'package', quantity: 250, amount: 30 },
  graduated: { model: 'graduated', quantity: 12, amount: 81.5 },
  volume: { model: 'volume', quantity: 3, amount: 21 },
};

// What is imported from the others is tested beside this.
describe.each(sampledInCore(sampled(releases, 2), 5))('a database of %s', (release) => {
  const fixture = openFixture(release);
  const { ids, keys } = fixture;
  let scratch: Scratch;
  let app: TestApp;
  let test: Client;
  let live: Client;
  let before: { tables: number; words: any[] };

  beforeAll(async () => {
    scratch = await placeFixture(release);
    before = {
      tables: (await all('select tag from migrations')).length,
      words: await all(`select status from intents where status = 'canceled'`),
    };
    app = await startAt(fixture, scratch.url, { webhookAllowPrivate: 'on', rateLimitPerSecond: '10000' });
    [test, live] = [app.client(keys['acme-test']!), app.client(keys['acme']!)];
  });
  afterAll(async () => {
    await app.close();
    await scratch.drop();
  });

  const all = (sql: string) => scratch.backdoor.all(sql);
  const fetchStatus = async (client: Client, id: string) =>
    (await client.graphql('query ($id: ID!) { subscription(id: $id) { status } }', { id })).subscription
      .status;
  const advance = (to: string) =>
    test.graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', { to });
  const run = (client: Client, mutation: string, id: string) =>
    client.graphql(`mutation ($id: ID!) { ${mutation} }`, { id });
  const fetchInvoices = async (id: string): Promise<any[]> =>
    (
      await test.graphql(
        `query ($id: ID) { invoices(subscriptionId: $id, first: 100, order: ASC) { nodes {
          id status total { amount } refunded { amount } refundable { amount } lines { kind amount { amount } }
        } } }`,
        { id },
      )
    ).invoices.nodes;
  const refund = (id: string, amount: number, currency: string) =>
    test.post(
      `mutation ($id: ID!, $amount: MoneyInput) { refundInvoice(id: $id, input: { amount: $amount }) { refunded { amount } } }`,
      { id, amount: { amount, currency } },
    );

  it('was made by that release, and has been migrated to the present tables', async () => {
    const migrated = (await all('select tag from migrations')).length;
    expect(migrated).toBeGreaterThanOrEqual(before.tables);
    if (release === '0.1.0') {
      expect(before.tables).toBe(2);
      expect(before.words).toHaveLength(2);
    }
    expect(await all(`select status from intents where status = 'canceled'`)).toEqual([]);
  });

  it('is consistent: books, traces and pending work', async () => {
    const { findings, examined: seen } = await examined(app);
    expect(findings).toEqual([]);
    expect(seen).toMatchObject({ tenants: 2, ...sizes[release] });
    expect(seen.traces).toBeGreaterThan(400);
  });

  it('has every subscription in its status, for its tenant alone', async () => {
    for (const [name, status] of Object.entries(statuses))
      expect(await fetchStatus(test, ids[name]!), name).toBe(status);
    expect(await fetchStatus(live, ids['live']!)).toBe('active');
    const foreign = await live.post('query ($id: ID!) { subscription(id: $id) { id } }', {
      id: ids['active'],
    });
    expect(foreign.body.errors[0].extensions.reason).toBe('subscription_not_found');
    const { subscription } = await test.graphql(
      'query ($id: ID!) { subscription(id: $id) { scheduledChange { price { details { amount } } } } }',
      { id: ids['downgrading'] },
    );
    expect(subscription.scheduledChange.price.details.amount).toBe(5);
  });

  it.runIf(release === '0.1.0')('has flat prices, and every subscription for one unit', async () => {
    const { subscriptions, products } = await test.graphql(
      `{ subscriptions(first: 100) { nodes { quantity price { model tiers { upTo } } } }
         products(first: 100) { nodes { prices { model } } } }`,
    );
    expect(subscriptions.nodes.length).toBeGreaterThan(9);
    for (const { quantity, price } of subscriptions.nodes) {
      expect(quantity).toBe(1);
      // Null where it was deleted.
      expect(price ?? { model: 'flat', tiers: [] }).toEqual({ model: 'flat', tiers: [] });
    }
    const models = products.nodes.flatMap(({ prices }: any) => prices.map(({ model }: any) => model));
    expect([...new Set(models)]).toEqual(['flat']);
  });

  it.runIf(release !== '0.1.0')('bills quantities by the model of their price, as before', async () => {
    for (const [name, { model, quantity, amount }] of Object.entries(quantified)) {
      const { subscription } = await test.graphql(
        `query ($id: ID!) { subscription(id: $id) {
          quantity agreedPrice { amount } price { model } items { quantity isMain } trialEndsAt
        } }`,
        { id: ids[name] },
      );
      expect(subscription, name).toEqual({
        quantity,
        agreedPrice: { amount },
        price: { model },
        items: [{ quantity, isMain: true }],
        trialEndsAt: null,
      });
      const invoices = await fetchInvoices(ids[name]!);
      expect(
        invoices.map(({ total }) => total.amount),
        name,
      ).toEqual([amount, amount]);
    }
  });

  it.runIf(isSince(release, 'price-parts'))('bills add-ons, discounts and trials as before', async () => {
    const { parts, trialing } = await test.graphql(
      `query ($parts: ID!, $trialing: ID!) {
        parts: subscription(id: $parts) { items { quantity isMain } discounts { id } }
        trialing: subscription(id: $trialing) { status trialEndsAt }
      }`,
      { parts: ids['withParts'], trialing: ids['trialing'] },
    );
    expect(parts.items).toEqual([
      { quantity: 1, isMain: true },
      { quantity: 1, isMain: false },
    ]);
    expect(parts.discounts).toHaveLength(1);
    expect(trialing).toEqual({ status: 'trialing', trialEndsAt: '2026-04-01T10:00:00.000Z' });
    const invoices = await fetchInvoices(ids['withParts']!);
    expect(invoices.map(({ total }) => total.amount)).toEqual([31.5, 28.5]);
  });

  it.runIf(isSince(release, 'documents'))(
    'goes on with its taxes, numbers, drafts and documents',
    async () => {
      const readInvoice = async (id: string) =>
        (
          await live.graphql(
            `query ($id: ID!) { invoice(id: $id) {
            status documentNumber total { amount } taxes { category percent tax { amount } }
            creditNotes { documentNumber remaining { amount } }
          } }`,
            { id },
          )
        ).invoice;
      expect(await readInvoice(ids['reversed']!)).toMatchObject({
        taxes: [{ category: 'AE', percent: '0', tax: { amount: 0 } }],
        creditNotes: [{ remaining: { amount: 0 } }],
      });
      const taxed = await readInvoice(ids['taxed']!);
      expect(taxed).toMatchObject({ status: 'paid', total: { amount: 207 } });
      expect(taxed.taxes.map(({ percent, tax }: any) => [percent, tax.amount])).toEqual([
        ['19', 15.97],
        ['7', 7],
      ]);
      for (const format of ['html', 'pdf', 'ubl', 'cii', 'factur_x', 'json']) {
        const { invoice } = await live.graphql(
          `query ($id: ID!) { invoice(id: $id) { document(format: ${format}) { base64 } } }`,
          { id: ids['reversed'] },
        );
        expect(Buffer.from(invoice.document.base64, 'base64').length, format).toBeGreaterThan(1000);
      }
      for (const id of [ids['waitingNumber']!, ids['draft']!])
        await run(live, 'finalizeInvoice(id: $id) { id }', id);
      expect(await readInvoice(ids['draft']!)).toMatchObject({ status: 'open', total: { amount: 226 } });
      const numbers = await all(
        `select document_number as n from invoices where tenant_alias = 'acme' and document_number is not null`,
      );
      const counted = numbers.map(({ n }) => Number(String(n).slice(-5))).toSorted((a, b) => a - b);
      expect(counted).toEqual(counted.map((_, index) => index + 1));
      const { createCreditNote: rest } = await live.graphql(
        'mutation ($id: ID!) { createCreditNote(input: { invoiceId: $id, kind: credit }) { total { amount } remaining { amount } } }',
        { id: ids['taxed'] },
      );
      expect(rest).toEqual({ total: { amount: 173.67 }, remaining: { amount: 0 } });
      expect((await examined(app)).findings).toEqual([]);
    },
  );

  it.runIf(isSince(release, 'portal'))('goes on with its cards, portal and mails', async () => {
    const { customer, portalSession, mailDeliveries, tenant } = await test.graphql(
      `query ($id: ID!, $session: ID!) {
        customer(id: $id) { defaultPaymentMethod { id } paymentMethods { nodes { id } } }
        portalSession(id: $session) { customerId revokedAt }
        mailDeliveries(first: 100) { nodes { kind status } }
        tenant { branding { displayName color } portal { headline cancellation } mail { fromName renewalNoticeDays } }
      }`,
      { id: ids['cardHolder'], session: ids['portalSession'] },
    );
    expect(customer.defaultPaymentMethod).toEqual({ id: ids['defaultCard'] });
    expect(customer.paymentMethods.nodes).toHaveLength(1);
    expect(portalSession).toEqual({ customerId: ids['cardHolder'], revokedAt: null });
    expect(mailDeliveries.nodes.map(({ kind, status }: any) => `${kind} ${status}`)).toContain(
      'receipt sent',
    );
    expect(tenant).toEqual({
      branding: { displayName: 'Acmé', color: '#0a6640' },
      portal: { headline: 'Willkommen', cancellation: 'both' },
      mail: { fromName: 'Acmé', renewalNoticeDays: 10 },
    });
    const opened = await inject(app, { url: ids['portalLink']! });
    expect([opened.status, opened.text]).toEqual([200, expect.stringContaining('Acmé')]);
    const lines = await all(`select tax_behavior from invoice_lines`);
    const isKnown = isSince(release, 'operators');
    expect(lines.some(({ tax_behavior: behavior }) => behavior !== null)).toBe(isKnown);
  });

  it.runIf(isSince(release, 'operators'))('goes on with its operators and its revenue', async () => {
    const listed = await perennial(scratch.url, ['operator', 'list', '--json']);
    expect(listed.json.operators).toMatchObject([
      { email: 'ada@shop.example', name: 'Ada Ünal' },
      { email: 'grace@shop.example' },
    ]);
    const { revenue } = await test.graphql(
      `{ revenue(currency: "usd", from: "2026-01-01", until: "2026-04-01") { points { mrrEnd { amount } } } }`,
    );
    expect(revenue.points.map((point: any) => point.mrrEnd.amount > 0)).toEqual([true, true, true]);
  });

  it.runIf(isSince(release, 'customer-sessions'))(
    'goes on with the keys and sessions of its pages',
    async () => {
      for (const [token, query, data] of [
        [
          ids['customerToken'],
          '{ viewer { customer { id } allow } }',
          { viewer: { customer: { id: ids['cardHolder'] }, allow: ['cancel_subscription'] } },
        ],
        [
          ids['publishableKey'],
          '{ products(first: 100) { nodes { name } } }',
          { products: { nodes: expect.arrayContaining([{ name: 'Cards' }]) as unknown } },
        ],
      ] as const) {
        const answer = await postFromPage(app, token!, { query });
        expect(answer.body, query).toEqual({ data });
      }
    },
  );

  it('lists everything, page by page, over REST and GraphQL', async () => {
    const lists = ['customers', 'products', 'groups', 'subscriptions', 'invoices', 'deliveries', 'traces'];
    for (const list of lists) {
      const found = new Set<string>();
      for (let after: string | null | undefined; after !== null;) {
        const page: any = (
          await test.graphql(
            `query ($after: String) { list: ${list}(first: 7, after: $after) {
              nextCursor nodes { ${list === 'traces' ? 'id: eventId' : 'id'} } } }`,
            { after },
          )
        ).list;
        for (const { id } of page.nodes) found.add(id);
        after = page.nextCursor;
      }
      const table = list === 'deliveries' ? 'webhook_deliveries' : list;
      const hidden = list === 'products' ? ' and deleted_at is null' : '';
      const rows = await all(`select * from ${table} where tenant_alias = 'acme-test'${hidden}`);
      expect(found.size, list).toBe(rows.length);
      expect(found.size, list).toBeGreaterThan(0);
    }
    const dated = { startDate: '2026-01-01' };
    for (const [path, fields] of [
      ['/customers', {}],
      ['/products', {}],
      ['/groups', {}],
      ['/traces/timeframe', dated],
    ] as const) {
      const answer = await test.rest('GET', path, { tenantAlias: 'acme-test', ...fields });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text, path).toContain('"id"');
    }
  });

  it('finds names in any case, also those that ASCII does not have', async () => {
    const searches: [list: string, name: string, found: string][] = [
      ['products', 'pro σίσυφος', 'Pro ΣΊΣΥΦΟΣ'],
      ['products', 'BASIC ÄRGER', 'BASIC Ärger'],
      ['products', 'İSTAN', 'Team İstanbul'],
      ['products', '雑', '雑誌'],
      ['groups', 'ÜNÏVERSAL', 'PLÄNE Ünïversal'],
    ];
    for (const [list, name, found] of searches) {
      const answer = await test.graphql(
        `query ($name: String) { list: ${list}(name: $name) { nodes { name } } }`,
        { name },
      );
      expect(answer.list.nodes, name).toEqual([{ name: found }]);
    }
    const others = await live.graphql('{ products(name: "grüne") { nodes { name } } }');
    expect(others.products.nodes).toEqual([{ name: 'GRÜNE Kiste' }]);
  });

  it('finds the traces of a record by its id', async () => {
    const wrong = await all(`select event_id from traces where resource_id is null`);
    expect(wrong).toEqual([]);
    const traces = await all(`select event_id from traces where resource_id = '${ids['upgraded']}'`);
    expect(traces.length).toBeGreaterThan(2);
  });

  it('spells cancelled everywhere', async () => {
    const { intent, webhookEndpoint, deliveries } = await test.graphql(
      `query ($intent: ID!, $endpoint: ID!) {
        intent(id: $intent) { status }
        webhookEndpoint(id: $endpoint) { events query }
        deliveries(first: 100) { nodes { type status } }
      }`,
      { intent: ids['cancelledIntent'], endpoint: ids['endpoint'] },
    );
    expect(intent.status).toBe('cancelled');
    expect(webhookEndpoint.events).toEqual(['IntentEvent.cancelled', 'SubscriptionEvent']);
    expect(webhookEndpoint.query).toContain('on SubscriptionContract {');
    const { off } = await test.graphql(
      'query ($id: ID!) { off: webhookEndpoint(id: $id) { events query } }',
      {
        id: ids['switchedOff'],
      },
    );
    expect(off).toEqual({
      events: ['IntentEvent.cancelled'],
      query: '{subscription{...on SubscriptionContract{id}}}',
    });
    const delivered = deliveries.nodes.filter(({ type }: any) => type === 'IntentEvent.cancelled');
    expect(delivered.some(({ status }: any) => status === 'cancelled')).toBe(true);
    expect(JSON.stringify([intent, webhookEndpoint, deliveries])).not.toMatch(/canceled/);
    const events = await all(
      `select event_id from traces where activity_type = 'IntentEvent' and resource_id = '${ids['cancelledIntent']}'`,
    );
    const types: string[] = [];
    for (const { event_id: id } of events)
      types.push((await test.graphql('query ($id: ID!) { event(id: $id) { type } }', { id })).event.type);
    expect(types).toHaveLength(2);
    expect(new Set(types)).toEqual(new Set(['IntentEvent.created', 'IntentEvent.cancelled']));
    const rest = await test.rest('GET', `/subscriptions/intent/${ids['cancelledIntent']}`, {
      tenantAlias: 'acme-test',
    });
    expect(rest.body.status).toBe('cancelled');
  });

  it('replays stored responses of keyed requests', async () => {
    const fields = {
      tenantAlias: 'acme-test',
      firstName: 'Anna',
      lastName: 'Named',
      email: 'anna@shop.example',
      associatedId: 'anna',
    };
    const customers = (await all('select id from customers')).length;
    const again = await test.rest('POST', '/customers', fields, { 'idempotency-key': 'fixture-rest' });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body).toMatchObject({ firstName: 'Anna' });
    const mutation = 'mutation { createGroup(input: { name: "Named" }) { id } }';
    const group = await test.graphql(mutation, {}, { 'idempotency-key': 'fixture-graphql' });
    expect(group.createGroup.id).toBe(ids['namedGroup']);
    expect(await all('select id from customers')).toHaveLength(customers);
    const other = await test.rest(
      'POST',
      '/customers',
      { ...fields, associatedId: 'other' },
      { 'idempotency-key': 'fixture-rest' },
    );
    expect(other.status).toBe(422);
    expect(other.text).toContain('"idempotency_key_reused"');
  });

  it('refunds the remaining amount only', async () => {
    const tooMuch = await refund(ids['partlyRefunded']!, 701, 'jpy');
    expect(tooMuch.body.errors[0].extensions.reason).toBe('refund_too_large');
    const rest = await refund(ids['partlyRefunded']!, 700, 'jpy');
    expect(rest.body.data.refundInvoice.refunded.amount).toBe(1200);
    // Its plan was changed: a credit has given back a part of the first month.
    const [first, change] = await fetchInvoices(ids['upgraded']!);
    const credit = change.lines.find(({ kind }: any) => kind === 'proration_credit').amount.amount;
    expect(credit).toBeLessThan(0);
    const left = Math.round((first.total.amount + credit) * 100) / 100;
    expect(first.refundable.amount).toBe(left);
    const more = await refund(first.id, Math.round((left + 0.01) * 100) / 100, 'afn');
    expect(more.body.errors[0].extensions.reason).toBe('refund_too_large');
    expect((await refund(first.id, left, 'afn')).body.errors).toBeUndefined();
    expect((await examined(app)).findings).toEqual([]);
  });

  it('accepts pending transfers for a start and for a plan change', async () => {
    for (const [client, id] of [
      [test, ids['byHand']!],
      [test, ids['upgradeByHand']!],
      [live, ids['liveByHand']!],
    ] as const) {
      const [invoice] = await all(`select id from invoices where intent_id = '${id}' and status = 'open'`);
      const record = 'recordPayment(id: $id, input: { reference: "statement 2" }) { status }';
      await run(client, record, String(invoice!['id']));
      const { intent } = await client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id });
      expect(intent.status).toBe('succeeded');
    }
    const { subscription } = await test.graphql(
      'query ($id: ID!) { subscription(id: $id) { productName agreedPrice { amount } } }',
      { id: ids['waitingUpgrade'] },
    );
    expect(subscription).toEqual({ productName: 'Large', agreedPrice: { amount: 15 } });
    expect((await examined(app)).findings).toEqual([]);
  });

  it('delivers webhooks with the old secret and the old query', async () => {
    const receiver = await openReceiver();
    try {
      await test.graphql(
        'mutation ($id: ID!, $url: URL!) { updateWebhookEndpoint(id: $id, input: { url: $url }) { id } }',
        { id: ids['endpoint'], url: receiver.url },
      );
      await run(test, 'resumeSubscription(id: $id) { status }', ids['paused']!);
      await advance('2026-03-04T12:00:00Z');
      const delivered = receiver.received.map(({ body }) => body);
      expect(receiver.received.map(getSignature)).toEqual(
        receiver.received.map(signatureBy(ids['endpointSecret']!)),
      );
      const resumed = delivered.find(({ type }) => type === 'SubscriptionEvent.resumed');
      expect(resumed.data.subscription).toEqual({
        id: ids['paused'],
        status: 'active',
        productName: 'Dīnār',
      });
      expect(JSON.stringify(delivered)).not.toMatch(/canceled/);
    } finally {
      await receiver.close();
    }
  });

  it('performs due renewals, ends and changes', async () => {
    const { length } = await fetchInvoices(ids['active']!);
    await advance('2026-04-02T00:00:00Z');
    const renewed = await fetchInvoices(ids['active']!);
    expect(renewed).toHaveLength(length + 1);
    expect(renewed.at(-1)).toMatchObject({ status: 'paid', total: { amount: 1200 } });
    // The balance of an earlier plan change pays a renewal.
    const onBalance = await fetchInvoices(ids['withBalance']!);
    expect(onBalance.at(-1)).toMatchObject({ status: 'paid', total: { amount: 0 } });
    expect(onBalance.at(-1).lines.map(({ kind }: any) => kind)).toContain('balance');
    const after = {
      ending: 'cancelled',
      pastDue: 'cancelled',
      scheduledStart: 'active',
      downgrading: 'active',
    };
    for (const [name, status] of Object.entries(after))
      expect(await fetchStatus(test, ids[name]!), name).toBe(status);
    const { subscription } = await test.graphql(
      'query ($id: ID!) { subscription(id: $id) { productName } }',
      { id: ids['downgrading'] },
    );
    expect(subscription.productName).toBe('Small');
    for (const name of Object.keys(quantified)) {
      if (!ids[name]) continue;
      const totals = (await fetchInvoices(ids[name])).map(({ total }) => total.amount);
      expect(totals, name).toEqual(Array(3).fill(quantified[name]!.amount));
    }
    expect((await examined(app)).findings).toEqual([]);
  });
});

it.runIf(engine === 'sqlite')('a file that a server of an earlier release uses is not migrated', async () => {
  const scratch = await placeFixture('portal');
  const count = async () => (await scratch.backdoor.all('select tag from migrations')).length;
  const before = await count();
  const lock = takeOwnership(scratch.path);
  // Each waits for the server to stop, for seconds.
  const commands = [['migrate'], ['tenant', 'list']];
  for (const { code, err } of await Promise.all(commands.map((command) => perennial(scratch.url, command))))
    expect([code, err]).toEqual([1, expect.stringContaining('stop it first')]);
  expect(await count()).toBe(before);
  lock.release();
  expect((await perennial(scratch.url, ['migrate'])).code).toBe(0);
  expect(await count()).toBeGreaterThan(before);
  await scratch.drop();
});

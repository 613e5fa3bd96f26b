/** Bank transfers: when a subscription begins, until when an invoice is due, what the payer is told, what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listChoosable } from '../../../src/providers/list.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { perennial } from '../../support/cli.ts';
import { findFaults } from '../../support/faults.ts';
import { readText } from '../../support/pages.ts';
import { trialWithFee } from '../../support/trials.ts';
import { payPath } from '../../support/payLinks.ts';
import { afn } from '../../support/oneOff.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const recordDocument = `mutation ($id: ID!, $at: DateTime, $amount: MoneyInput) {
  recordPayment(id: $id, input: { reference: "statement 7", receivedAt: $at, amount: $amount }) { status subscriptionId }
}`;
const update = 'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }';
const dueDocument = `query ($id: ID) { invoices(subscriptionId: $id, order: ASC) {
  nodes { id status dueAt overdue startsOnPayment paymentReference }
} }`;

const set = (books: Books, input: object) => books.client.graphql(update, { input });
const record = async (books: Books, id: string, at?: string) =>
  (await books.client.graphql(recordDocument, { id, at })).recordPayment.subscriptionId as string;
const invoices = async (books: Books, id?: string) =>
  (await books.client.graphql(dueDocument, { id })).invoices.nodes;
const traces = async ({ alias }: Books, action: string) =>
  (
    await app.service.store.committed.select('traces', {
      where: { tenantAlias: alias },
      orderBy: ['eventId'],
    })
  )
    .filter(({ payload }) => payload['action'] === action)
    .map(({ createdAt }) => createdAt.slice(0, 10));
const expectSoundBooks = async ({ alias }: Books) => {
  const faults = await findFaults(app, alias);
  // What falls due by a late record is billed by the next round, which here is the next move of the clock.
  expect(faults.filter((fault) => !fault.startsWith('overdue: '))).toEqual([]);
};

/** An order by transfer on 31 January, and its open invoice. */
async function order(fields: object = {}, input: object = {}) {
  const books = await openBooks(app, '2026-01-31');
  await set(books, input);
  const price = await books.plan(50, fields);
  const customer = await books.shop.customer();
  const { intentId } = await books.shop.intent(customer, price);
  await books.shop.confirm(intentId, 'manual');
  const [invoice] = await invoices(books);
  return { books, customer, intentId: intentId as string, invoice };
}

describe('a subscription that begins with a transfer', () => {
  const anchored = { recurring: { executionDate: '2026-01-15T00:00:00Z' } };
  const rows: [name: string, plan: object, at: string, lines: string[], credits: bigint[]][] = [
    [
      'begins when the money came',
      {},
      '2026-02-10T08:30:00Z',
      ['cycle 50 2026-02-10T08:30/2026-03-10T08:30'],
      [],
    ],
    [
      'begins at the order, where money came earlier',
      {},
      '2020-01-01',
      ['cycle 50 2026-01-31/2026-02-28'],
      [],
    ],
    [
      'on the 31st bills on the 31st again',
      {},
      '2026-01-31T12:00:00Z',
      ['cycle 50 2026-01-31T12:00/2026-02-28T12:00'],
      [],
    ],
    [
      'up to a fixed day keeps the period that was invoiced, and gets credit for the days before',
      anchored,
      '2026-02-05',
      ['stub 24.19 2026-01-31/2026-02-15'],
      [806n],
    ],
    [
      'after that fixed day keeps the period that was invoiced',
      anchored,
      '2026-02-20',
      ['stub 24.19 2026-01-31/2026-02-15'],
      [],
    ],
  ];
  it.each(rows)('%s', async (_, plan, at, lines, credits) => {
    const { books, customer, invoice } = await order(plan);
    expect(invoice).toMatchObject({ status: 'open', startsOnPayment: true });
    await books.advance('2026-03-05');
    const [before] = await books.invoices();
    const id = await record(books, invoice.id, at);
    expect(await books.lines(id)).toEqual(lines);
    const [paid] = await books.invoices(id);
    expect(paid).toMatchObject({ status: 'paid', total: before.total });
    expect(await books.credits(customer)).toEqual(credits);
    expect((await invoices(books, id))[0].startsOnPayment).toBe(false);
    const [line] = paid.lines;
    expect(await books.subscription(id)).toMatchObject({
      status: 'active',
      billedCount: 1,
      currentPeriodStart: line.periodStart,
      currentPeriodEnd: line.periodEnd,
      nextBillingDate: line.periodEnd,
    });
    await expectSoundBooks(books);
    await books.advance('2026-06-01');
    await expectSoundBooks(books);
  });

  it('uses the credit for the next period', async () => {
    const { books, invoice } = await order(anchored);
    await books.advance('2026-02-05');
    const id = await record(books, invoice.id);
    await books.advance('2026-02-15');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 24.19', '2026-02-15 open 41.94']);
  });

  it('with a past start date also begins with the payment', async () => {
    const books = await openBooks(app, '2026-01-31');
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50), {
      startDate: '2026-01-31T06:00:00Z',
    });
    await books.advance('2026-01-31T12:00:00Z');
    await books.shop.confirm(intentId, 'manual');
    const [invoice] = await invoices(books);
    await books.advance('2026-02-05');
    const id = await record(books, invoice.id);
    expect(await books.lines(id)).toEqual(['cycle 50 2026-02-05/2026-03-05']);
    await expectSoundBooks(books);
  });

  it('is recorded once by fifty concurrent requests', async () => {
    const { books, invoice } = await order(anchored);
    await books.advance('2026-02-05');
    const all = await Promise.all(
      Array.from({ length: 50 }, () => books.client.post(recordDocument, { id: invoice.id })),
    );
    const reasons = all.map(({ body }) => body.errors?.[0].extensions.reason ?? 'recorded');
    expect(reasons.filter((reason) => reason === 'recorded')).toHaveLength(1);
    expect(reasons.filter((reason) => reason === 'invoice_not_open')).toHaveLength(49);
    await expectSoundBooks(books);
  });
});

describe('payment terms', () => {
  /** A subscription by transfer since 31 January, of a tenant with terms. */
  async function subscribed(paymentTermsDays: number | null) {
    const { books, customer, invoice } = await order({}, { paymentTermsDays });
    const id = await record(books, invoice.id);
    return { books, customer, id, first: invoice };
  }

  it.each([14, null])('of %s days make the first invoice due after 14', async (days) => {
    const { first } = await subscribed(days);
    expect(first).toMatchObject({ dueAt: '2026-02-14T00:00:00.000Z', overdue: false });
  });

  it('delay the status past due, then reminders follow on the retry days until the cancellation', async () => {
    const { books, id } = await subscribed(14);
    await books.advance('2026-02-28');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 open 50']);
    const renewal = async () => (await invoices(books, id)).at(-1);
    expect(await renewal()).toMatchObject({
      status: 'open',
      dueAt: '2026-03-14T00:00:00.000Z',
      overdue: false,
    });
    await books.advance('2026-03-13T23:59:59.999Z');
    expect(await books.subscription(id)).toMatchObject({ status: 'active', pastDueSince: null });
    await books.advance('2026-03-14');
    expect(await books.subscription(id)).toMatchObject({
      status: 'past_due',
      pastDueSince: '2026-03-14T00:00:00.000Z',
    });
    expect(await renewal()).toMatchObject({ status: 'open', overdue: true });
    await books.advance('2026-05-01');
    expect(await renewal()).toMatchObject({ status: 'uncollectible', overdue: false });
    expect(await books.subscription(id)).toMatchObject({
      status: 'cancelled',
      cancelledAt: '2026-04-04T00:00:00.000Z',
    });
    const days = ['2026-02-28', '2026-03-14', '2026-03-16', '2026-03-21', '2026-03-28', '2026-04-04'];
    expect(await traces(books, 'payment_awaited')).toEqual(days);
    await expectSoundBooks(books);
  });

  it.each([
    ['before it is due', '2026-03-05'],
    ['after it is due', '2026-03-20'],
  ])('accept the payment %s, and the next period follows the last', async (_, day) => {
    const { books, id } = await subscribed(14);
    await books.advance(day);
    await record(books, (await invoices(books, id)).at(-1).id);
    expect(await books.subscription(id)).toMatchObject({
      status: 'active',
      pastDueSince: null,
      billedCount: 2,
      nextBillingDate: '2026-03-31T00:00:00.000Z',
    });
    await books.advance('2026-03-31');
    expect((await books.bills(id)).at(-1)).toBe('2026-03-31 open 50');
    await expectSoundBooks(books);
  });

  it('of zero days make a renewal past due at once', async () => {
    const { books, id } = await subscribed(0);
    await books.advance('2026-02-28');
    expect((await books.subscription(id)).status).toBe('past_due');
  });

  it('that are longer than the period bill the next one when the last is paid', async () => {
    const { books, id } = await subscribed(60);
    await books.advance('2026-04-05');
    expect(await books.bills(id)).toHaveLength(2);
    await record(books, (await invoices(books, id)).at(-1).id);
    await books.advance('2026-04-06');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50', '2026-04-05 open 50']);
  });

  it('end if a card is set meanwhile, which is charged once and at once', async () => {
    const { books, id } = await subscribed(30);
    await books.advance('2026-03-01');
    await books.run('setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" })', id);
    expect(await books.subscription(id)).toMatchObject({ status: 'active', billedCount: 2 });
    expect((await books.tries(id)).slice(1)).toEqual(['2026-03-01 charge succeeded 50']);
    await books.advance('2026-03-31');
    expect((await books.bills(id)).at(-1)).toBe('2026-03-31 paid 50');
    await expectSoundBooks(books);
  });

  it('do not affect card payments', async () => {
    const books = await openBooks(app, '2026-01-31');
    await set(books, { paymentTermsDays: 30 });
    const id = await books.subscribe(
      await books.shop.customer(),
      await books.plan(50),
      'sandbox_ok_then_declined',
    );
    await books.advance('2026-02-28');
    expect((await books.subscription(id)).status).toBe('past_due');
    expect((await invoices(books, id)).map(({ dueAt }: any) => dueAt)).toEqual([null, null]);
  });

  it('hold while it is paused, and after that', async () => {
    const { books, id } = await subscribed(14);
    await books.advance('2026-03-01');
    await books.run('pauseSubscription(id: $id)', id);
    await books.advance('2026-03-20');
    await books.run('resumeSubscription(id: $id)', id);
    await books.advance('2026-03-21');
    expect((await books.subscription(id)).status).toBe('past_due');
    await expectSoundBooks(books);
  });
});

describe('an amount', () => {
  it.each<[number, string]>([
    [49.99, 'must be 50.00 AFN'],
    [50.01, 'must be 50.00 AFN'],
    [25, 'must be 50.00 AFN'],
    [0, 'must be 50.00 AFN'],
    [5000, 'must be 50.00 AFN'],
  ])('of %d is refused, and the invoice stays open', async (amount, message) => {
    const { books, invoice } = await order();
    await books.perform({
      graphql: [recordDocument, { id: invoice.id, amount: afn(amount) }],
      reason: 'validation_failed',
      paths: ['amount'],
      has: [message],
    });
    expect((await invoices(books))[0].status).toBe('open');
  });

  it('with more decimals than the currency has is refused as such', async () => {
    const { books, invoice } = await order();
    const graphql: [string, object] = [recordDocument, { id: invoice.id, amount: afn(50.001) }];
    await books.perform({ graphql: graphql as never, reason: 'amount_precision', paths: ['amount.amount'] });
  });

  it('that is the total is accepted, and a payment in the future is not', async () => {
    const { books, invoice } = await order();
    await books.perform({
      graphql: [recordDocument, { id: invoice.id, amount: afn(50), at: '2026-02-01' }],
      reason: 'validation_failed',
      paths: ['receivedAt'],
    });
    const { recordPayment } = await books.client.graphql(recordDocument, { id: invoice.id, amount: afn(50) });
    expect(recordPayment.status).toBe('paid');
  });
});

describe('the page', () => {
  const bankAccount = {
    accountHolder: 'Acme <GmbH>',
    iban: 'de89 3704 0044 0532 0130 00',
    bic: 'cobadeffxxx',
    bankName: 'Commerzbank',
    instructions: 'Write nothing else.\nThank you.',
  };
  const shown = async (id: string) =>
    readText((await app.server.inject({ url: await payPath(app, id) })).body);

  it('shows account, amount, reference and due date', async () => {
    const { intentId, invoice } = await order({}, { bankAccount, paymentTermsDays: 14 });
    const text = await shown(intentId);
    for (const part of [
      'starts on the day on which',
      'Amount AFN 50.00',
      `Reference RF${invoice.paymentReference.slice(2, 4)} 0000 01`,
      'For Invoice 1',
      'Pay by 14 February 2026',
      'Account holder Acme &lt;GmbH&gt;',
      'IBAN DE89 3704 0044 0532 0130 00',
      'BIC COBADEFFXXX',
      'Bank Commerzbank',
      'Write nothing else. Thank you.',
    ])
      expect(text).toContain(part);
    const reference = invoice.paymentReference as string;
    expect(reference).toMatch(/^RF\d{8}$/);
    // ISO 11649: with RF and the check digits at its end, R as 27 and F as 15, it is 1 modulo 97.
    expect(BigInt(`${reference.slice(4)}2715${reference.slice(2, 4)}`) % 97n).toBe(1n);
  });

  it('shows no account if none is set, and never that of another tenant', async () => {
    await order({}, { bankAccount });
    const { intentId } = await order({}, { paymentTermsDays: 0 });
    const text = await shown(intentId);
    expect(text).not.toContain('IBAN');
    expect(text).not.toContain('Pay by');
  });

  const refused: [name: string, account: object | string, path: string][] = [
    ['neither an IBAN nor a number', { accountHolder: 'A' }, 'bankAccount.iban'],
    ['an IBAN of other digits', { ...bankAccount, iban: 'DE88370400440532013000' }, 'bankAccount.iban'],
    ['an IBAN that is none', { ...bankAccount, iban: 'DE8937' }, 'bankAccount.iban'],
    ['a BIC that is none', { ...bankAccount, bic: 'X' }, 'bankAccount.bic'],
    ['no holder', { ...bankAccount, accountHolder: ' ' }, 'bankAccount.accountHolder'],
    ['a long holder', { ...bankAccount, accountHolder: 'x'.repeat(201) }, 'bankAccount.accountHolder'],
    ['a novel', { ...bankAccount, instructions: 'x'.repeat(1001) }, 'bankAccount.instructions'],
  ];
  it.each(refused)('refuses an account with %s', async (_, account, path) => {
    const books = await openBooks(app, '2026-01-31');
    await books.perform({
      graphql: [update, { input: { bankAccount: account } }],
      reason: 'validation_failed',
      paths: [path],
    });
  });

  it.each([-1, 366])('terms of %d days are refused', async (paymentTermsDays) => {
    const books = await openBooks(app, '2026-01-31');
    await books.perform({
      graphql: [update, { input: { paymentTermsDays } }],
      reason: 'validation_failed',
      paths: ['paymentTermsDays'],
    });
  });

  it('gets and loses its account by the command line', async () => {
    const books = await openBooks(app, '2026-01-31');
    const command = ['tenant', 'update', books.alias];
    const said = await perennial(app.database, [
      ...command,
      '--payment-terms',
      '30',
      '--bank-holder',
      'Acme',
      '--account-number',
      '12-34',
      '--providers',
      'manual',
      '--trial-end-without-method',
      'pause',
      '--json',
    ]);
    expect(said.json.tenant).toMatchObject({
      paymentTermsDays: 30,
      paymentProviders: ['manual'],
      bankAccount: { accountHolder: 'Acme', accountNumber: '12-34', iban: null },
      trialEndWithoutMethod: 'pause',
    });
    // Only columns of the interface are printed.
    for (const internal of ['cursorSecret', 'hasWebhooks', 'discountsSince', 'invoiceItemsSince'])
      expect(said.json.tenant).not.toHaveProperty(internal);
    const query = '{ tenant { paymentTermsDays bankAccount { accountHolder accountNumber iban } } }';
    expect((await books.client.graphql(query)).tenant).toEqual({
      paymentTermsDays: 30,
      bankAccount: { accountHolder: 'Acme', accountNumber: '12-34', iban: null },
    });
    const cleared = await perennial(app.database, [...command, '--no-bank', '--providers', 'all', '--json']);
    expect(cleared.json.tenant).toMatchObject({
      bankAccount: null,
      paymentProviders: null,
      paymentTermsDays: 30,
    });
    for (const [flags, message] of [
      [['--iban', 'DE00'], 'bankAccount.accountHolder'],
      [['--payment-terms', 'soon'], '--payment-terms must be a whole number of days.'],
      [['--providers', 'paypal'], `must be ${listChoosable('or')}`],
      [['--trial-end-without-method', 'stop'], 'trialEndWithoutMethod'],
      [[], 'Nothing to change'],
    ] as const) {
      const refusal = await perennial(app.database, [...command, ...flags]);
      expect(refusal.code).toBe(1);
      expect(refusal.err).toContain(message);
    }
    expect(await perennial(app.database, ['tenant', 'update', 'nobody', '--name', 'X'])).toMatchObject({
      code: 1,
    });
    await expectSoundBooks(books);
  });
});

describe('the document of an order by transfer', () => {
  const anchored = { recurring: { executionDate: '2026-01-15T00:00:00Z' } };
  const fetchFiles = `query ($id: ID!) { invoice(id: $id) {
    html: document(format: html) { base64 } json: document(format: json) { base64 }
    ubl: document(format: ubl) { base64 } cii: document(format: cii) { base64 }
  } }`;
  const files = async ({ client }: Books, id: string) =>
    Object.fromEntries(
      Object.entries<any>((await client.graphql(fetchFiles, { id })).invoice).map(([format, { base64 }]) => [
        format,
        Buffer.from(base64, 'base64').toString('latin1'),
      ]),
    );
  const readRecord = (json: string) => JSON.parse(json);
  const inPlace = { line1: 'Main street 1', city: 'Berlin', postalCode: '10115', country: 'DE' };

  /** An order on 31 January to a seller with tax, and what its document was then. */
  async function send(plan: object) {
    const books = await openBooks(app, '2026-01-31');
    await set(books, {
      seller: {
        legalName: 'Perennial GmbH',
        address: inPlace,
        taxIds: [{ type: 'eu_vat', value: 'DE811907980' }],
      },
    });
    const customer = await books.shop.customer();
    await books.client.graphql(
      'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
      { id: customer.id, input: { address: inPlace } },
    );
    const price = await books.plan(50, plan);
    const { intentId } = await books.shop.intent(customer, price);
    await books.shop.confirm(intentId, 'manual');
    const [invoice] = await invoices(books);
    return { books, customer, invoice, sent: await files(books, invoice.id) };
  }

  const stub = { from: '2026-01-31', to: '2026-02-14' };
  it.each<[string, object, string, typeof stub | null]>([
    ['that starts on payment', {}, '2026-02-10T08:30:00Z', null],
    ['up to a fixed day', anchored, '2026-02-05', stub],
    ['after a fixed day', anchored, '2026-02-20', stub],
    ['of a trial with a fee', { ...anchored, ...trialWithFee }, '2026-02-10', null],
  ])('%s stays byte for byte when it is paid', async (_, plan, at, period) => {
    const { books, invoice, sent } = await send(plan);
    expect(readRecord(sent['json']!).period).toEqual(period);
    for (const { period: own } of readRecord(sent['json']!).lines) expect(own).toEqual(period);
    await books.advance('2026-03-05');
    await record(books, invoice.id, at);
    expect(await files(books, invoice.id)).toEqual(sent);
    await books.advance('2026-05-01');
    expect(await files(books, invoice.id)).toEqual(sent);
    await expectSoundBooks(books);
  });

  it('says that a period without dates begins with the payment', async () => {
    const { sent } = await send({});
    expect(sent['html']).toContain('The period begins when the payment is received');
    expect(sent['ubl']).not.toContain('cac:InvoicePeriod');
    expect(sent['cii']).not.toContain('ram:BillingSpecifiedPeriod');
  });

  it('is corrected by a credit note if the money came later', async () => {
    const { books, customer, invoice } = await send(anchored);
    await books.advance('2026-02-05');
    const id = await record(books, invoice.id);
    const { creditNotes } = await books.client.graphql(
      `{ creditNotes { nodes { documentNumber kind invoiceId total { amount } tax { amount }
        json: document(format: json) { base64 } } } }`,
    );
    const [{ json, ...note }, ...others] = creditNotes.nodes;
    expect(others).toEqual([]);
    expect(note).toEqual({
      documentNumber: 'CN-2026-00001',
      kind: 'credit',
      invoiceId: invoice.id,
      total: { amount: 9.6 },
      tax: { amount: 1.53 },
    });
    const written = readRecord(Buffer.from(json.base64, 'base64').toString());
    expect(written.credits).toEqual({ number: 'INV-2026-00001', issueDate: '2026-01-31' });
    expect(written.note).toBe('The subscription started after the first day of the billed period');
    expect(await books.credits(customer)).toEqual([960n]);
    await expectSoundBooks(books);
    await books.advance('2026-02-15');
    const { invoices: billed } = await books.client.graphql(
      'query ($id: ID!) { invoices(subscriptionId: $id, order: ASC) { nodes { status total { amount } } } }',
      { id },
    );
    expect(billed.nodes).toEqual([
      { status: 'paid', total: { amount: 28.79 } },
      { status: 'open', total: { amount: 49.9 } },
    ]);
    await expectSoundBooks(books);
  });
});

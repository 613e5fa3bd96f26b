/** Mails of real events: what dunning, notices and customers' acts send, and where the links in the mails lead. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDocuments } from '../../documents/pdfFile.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { stoppedClock } from '../../support/clock.ts';
import { startMailServer, type MailServer } from '../../support/mailServer.ts';
import { openPortalBrowser, wordsOf, type PortalBrowser } from '../../support/portal.ts';
import { order, startTrial, trial14 } from '../../support/trials.ts';

const origin = 'http://pay.test';
const failsLater = 'sandbox_ok_then_declined';
const yearly = { recurring: { frequency: 'Yearly' } };

let app: TestApp;
let server: MailServer;

beforeAll(async () => {
  buildDocuments();
  server = await startMailServer();
  app = await startApp(
    {
      publicUrl: origin,
      rateLimitPerSecond: '100000',
      smtpUrl: server.url,
      mailFrom: 'billing@sender.example',
    },
    { clock: stoppedClock('2026-01-31T00:00:00.000Z') },
  );
});
afterAll(async () => {
  await app.close();
  await server.close();
});

const settingsDocument = 'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }';

/** Opens a test tenant that writes to its test recipient, with a customer. */
async function open(clock: string, settings: object = {}): Promise<[books: Books, customer: any]> {
  const books = await openBooks(app, clock);
  const input = { name: 'Acme', mail: { testRecipient: `${books.alias}@example.com` }, ...settings };
  await books.client.graphql(settingsDocument, { input });
  return [books, await books.shop.customer()];
}

interface Received {
  subject: string;
  /** The link in the mail. */
  url: string;
  hasPdf: boolean;
}

/** Sends the mails that are due. Returns those that have arrived since the last call. */
async function receive({ alias }: Books): Promise<Received[]> {
  await app.service.mailer.sendDue(app.service, alias);
  const found = server.mails.filter(({ to }: any) => to.text === `${alias}@example.com`);
  for (const mail of found) server.mails.splice(server.mails.indexOf(mail), 1);
  return found.map(({ subject, text, attachments }) => ({
    subject: subject!,
    url: /http:\/\/pay\.test\/portal\/\S+/.exec(text!)?.[0] ?? '',
    hasPdf: attachments.some(
      ({ contentType, content }) =>
        contentType === 'application/pdf' && content.subarray(0, 5).toString() === '%PDF-',
    ),
  }));
}

/** Opens the link of a mail and confirms it. Returns the browser and the path to which the portal leads. */
async function openLink({ url }: Received): Promise<{ browser: PortalBrowser; path: string }> {
  const browser = openPortalBrowser(app, origin);
  const link = new URL(url).pathname;
  expect((await browser.get(link)).status).toBe(200);
  const signedIn = await browser.submit(link);
  expect(signedIn.status).toBe(303);
  await browser.follow(signedIn);
  return { browser, path: String(signedIn.headers['location']).split('/').slice(3).join('/') };
}

/** What each act or day sends: the subjects, the page that the last mail's link opens, and whether it has a PDF. */
interface Case {
  clock?: string;
  settings?: object;
  /** Prepares the subscription; its mails are not part of the case. Returns its id. */
  prepare: (books: Books, customer: any) => Promise<string>;
  act: (books: Books, id: string) => Promise<unknown>;
  subjects: any[];
  page: string;
  hasPdf?: boolean;
}

const subscribeTo =
  (fields: object = {}, method = 'sandbox_ok'): Case['prepare'] =>
  async (books, customer) =>
    books.subscribe(customer, await books.plan(50, fields), method);
const until = (to: string) => (books: Books) => books.advance(to);

const switchOn = (books: Books, enabledKinds: string[]) =>
  books.client.graphql(settingsDocument, { input: { mail: { enabledKinds } } });
const findBill = async ({ client }: Books, id: string): Promise<string> => {
  const { invoices } = await client.graphql(
    'query ($id: ID!) { invoices(subscriptionId: $id) { nodes { id } } }',
    { id },
  );
  return invoices.nodes[0].id;
};
const refund = async (books: Books, id: string, decimal: number) =>
  books.client.graphql(
    `mutation ($id: ID!, $input: RefundInvoiceInput) { refundInvoice(id: $id, input: $input) { id } }`,
    { id: await findBill(books, id), input: { amount: { decimal: String(decimal), currency: 'afn' } } },
  );
const credit = async (books: Books, id: string) =>
  books.client.graphql(
    `mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }`,
    { input: { invoiceId: await findBill(books, id), kind: 'credit', reason: 'Goodwill' } },
  );

const pauseKinds = ['subscription_paused', 'subscription_resumed'];
const failed = 'Your payment to Acme failed';

const cases: Record<string, Case> = {
  'a renewal that is paid': {
    prepare: subscribeTo(),
    act: until('2026-02-28'),
    subjects: ['Your receipt from Acme'],
    page: 'invoices',
    hasPdf: true,
  },
  'a renewal that is declined': {
    prepare: subscribeTo({}, failsLater),
    act: until('2026-02-28'),
    subjects: [failed],
    page: 'payment-methods',
    hasPdf: true,
  },
  'a reminder of a declined renewal': {
    settings: { retryDays: [20], dunning: { finalAction: 'leave', mailDays: [3] } },
    prepare: async (books, customer) => {
      const id = await subscribeTo({}, failsLater)(books, customer);
      await books.advance('2026-03-01');
      return id;
    },
    act: until('2026-03-04'),
    subjects: [failed],
    page: 'payment-methods',
    hasPdf: true,
  },
  'the last attempt, after which the subscription ends': {
    settings: { retryDays: [2] },
    prepare: async (books, customer) => {
      const id = await subscribeTo({}, failsLater)(books, customer);
      await books.advance('2026-03-01');
      return id;
    },
    act: until('2026-03-20'),
    subjects: ['Your subscription to Pro has ended'],
    page: 'invoices',
  },
  'a card that expires in 30 days': {
    clock: '2034-11-15',
    prepare: subscribeTo(yearly),
    act: until('2034-12-03'),
    subjects: ['Your card for Acme expires soon'],
    page: 'payment-methods',
  },
  'a trial that ends in three days': {
    prepare: async (books, customer) =>
      startTrial(books, (await order(books, customer, await books.plan(50, trial14))).id),
    act: until('2026-02-12'),
    subjects: ['Your trial of Pro ends on 14\u00A0February\u00A02026'],
    page: '',
  },
  'a yearly renewal in 30 days': {
    prepare: subscribeTo(yearly),
    act: until('2027-01-02'),
    subjects: ['Pro renews on 31\u00A0January\u00A02027'],
    page: '',
  },
  'a cancellation': {
    prepare: subscribeTo(),
    act: (books, id) => books.run('cancelSubscription(id: $id)', id),
    subjects: ['Your subscription to Pro has ended'],
    page: 'invoices',
  },
  'a cancellation at the end of the period': {
    prepare: subscribeTo(),
    act: (books, id) => books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id),
    subjects: ['Your subscription to Pro is cancelled'],
    page: '',
  },
  'a refund, with its credit note': {
    prepare: subscribeTo(),
    act: (books, id) => refund(books, id, 20),
    subjects: ['Your refund from Acme'],
    page: 'invoices',
    hasPdf: true,
  },
  'a credit note to the balance': {
    prepare: subscribeTo(),
    act: (books, id) => credit(books, id),
    subjects: [expect.stringMatching(/^\[Test\] Credit note \S+ from Acme$/)],
    page: 'invoices',
    hasPdf: true,
  },
  'a pause until a day': {
    prepare: async (books, customer) => {
      await switchOn(books, pauseKinds);
      return subscribeTo()(books, customer);
    },
    act: (books, id) => books.run('pauseSubscription(id: $id, input: { resumesAt: "2026-02-10" })', id),
    subjects: ['Your subscription to Pro is paused'],
    page: '',
  },
  'the end of a pause on its day': {
    prepare: async (books, customer) => {
      await switchOn(books, pauseKinds);
      const id = await subscribeTo()(books, customer);
      await books.run('pauseSubscription(id: $id, input: { resumesAt: "2026-02-10" })', id);
      return id;
    },
    act: until('2026-02-11'),
    subjects: ['Your subscription to Pro continues'],
    page: '',
  },
  'the end of a pause on request, which is billed': {
    prepare: async (books, customer) => {
      await switchOn(books, pauseKinds);
      const id = await subscribeTo()(books, customer);
      await books.run('pauseSubscription(id: $id)', id);
      await books.advance('2026-03-15');
      return id;
    },
    act: async (books, id) => {
      await books.run('resumeSubscription(id: $id)', id);
      await books.advance('2026-03-15T00:00:01Z');
    },
    subjects: ['Your subscription to Pro continues', 'Your receipt from Acme'],
    page: 'invoices',
    hasPdf: true,
  },
  'a subscription that starts': {
    prepare: async (books, customer) => {
      await switchOn(books, ['subscription_started']);
      return customer.id;
    },
    act: async (books) =>
      books.subscribe(await books.shop.customer({ associatedId: 'next' }), await books.plan(50)),
    subjects: ['Your subscription to Pro', 'Your receipt from Acme'],
    page: 'invoices',
    hasPdf: true,
  },
};

describe('a mail is sent for', () => {
  it.each(Object.entries(cases))('%s', async (_, { clock, settings, prepare, act, ...expected }) => {
    const [books, customer] = await open(clock ?? '2026-01-31', settings);
    const id = await prepare(books, customer);
    await receive(books);
    await act(books, id);
    const mails = await receive(books);
    expect(mails.map(({ subject }) => subject)).toEqual(
      expected.subjects.map((subject) => (typeof subject === 'string' ? `[Test] ${subject}` : subject)),
    );
    const last = mails.at(-1)!;
    expect(last.hasPdf).toBe(expected.hasPdf ?? false);
    expect((await openLink(last)).path).toBe(expected.page);
    // Neither the mail nor its event is repeated.
    expect(await receive(books)).toEqual([]);
  });

  it('nothing that its kind is switched off for, or a test tenant has no recipient for', async () => {
    for (const mail of [{ testRecipient: null }, { disabledKinds: ['payment_failed', 'receipt'] }]) {
      const [books, customer] = await open('2026-01-31');
      await books.client.graphql(settingsDocument, { input: { mail } });
      await subscribeTo({}, failsLater)(books, customer);
      await books.advance('2026-02-28');
      expect(await receive(books)).toEqual([]);
    }
    expect(server.attempts.filter((address) => address === 'ada@example.com')).toEqual([]);
  });
});

describe('the mails about a pause', () => {
  it('are off for tenants until their kinds are switched on', async () => {
    const [books, customer] = await open('2026-01-31');
    const id = await subscribeTo()(books, customer);
    await receive(books);
    await books.run('pauseSubscription(id: $id, input: { resumesAt: "2026-02-10" })', id);
    await books.advance('2026-02-11');
    expect(await receive(books)).toEqual([]);
  });

  it('say when it continues, and what comes next', async () => {
    const [books, customer] = await open('2026-01-31');
    await switchOn(books, pauseKinds);
    const id = await subscribeTo()(books, customer);
    await receive(books);
    await books.run('pauseSubscription(id: $id, input: { resumesAt: "2026-02-10" })', id);
    await books.run('pauseSubscription(id: $id, input: { resumesAt: "2026-02-11" })', id);
    await books.advance('2026-02-12');
    const texts: string[] = [];
    await app.service.mailer.sendDue(app.service, books.alias);
    for (const mail of server.mails.splice(0)) texts.push(mail.text!.replaceAll('\u00A0', ' '));
    expect(texts).toEqual([
      expect.stringMatching(/Paused since: 31 January 2026\s+Continues on: 10 February 2026/),
      expect.stringMatching(/Price: AFN 50\.00 per month\s+Next renewal: 28 February 2026/),
    ]);
    expect(texts[1]).not.toContain('Continues on');
  });
});

describe('the link in the mail about a declined renewal', () => {
  it('works once, and the card that is given there pays the open invoice', async () => {
    const [books, customer] = await open('2026-01-31');
    const id = await subscribeTo({}, failsLater)(books, customer);
    await books.advance('2026-02-28');
    const mail = (await receive(books)).at(-1)!;
    expect(mail.subject).toBe(`[Test] ${failed}`);
    expect((await books.subscription(id)).status).toBe('past_due');

    // Programs that look at links in mails use nothing up.
    const scanner = openPortalBrowser(app, origin);
    for (let times = 0; times < 3; times++) await scanner.get(new URL(mail.url).pathname);
    expect(scanner.cookie).toBe('');
    const { browser } = await openLink(mail);
    const again = await scanner.submit(new URL(mail.url).pathname);
    expect([again.status, scanner.cookie]).toEqual([410, '']);

    const saved = await browser.follow(await browser.submit('/payment-methods', { method: 'sandbox_ok' }));
    expect(wordsOf(saved.text)).toContain('The payment method is saved.');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50']);
    expect(await books.tries(id)).toEqual([
      '2026-01-31 charge succeeded 50',
      '2026-02-28 charge failed 50',
      '2026-02-28 charge succeeded 50',
    ]);
    expect((await books.subscription(id)).status).toBe('active');
    expect((await receive(books)).map(({ subject, hasPdf }) => [subject, hasPdf])).toEqual([
      ['[Test] Your receipt from Acme', true],
    ]);
  });
});

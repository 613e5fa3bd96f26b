/** The content of mails in the log: what the mail server received, without the secrets. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildDocuments } from '../../documents/pdfFile.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, openScope, type Books } from '../../support/books.ts';
import { stoppedClock } from '../../support/clock.ts';
import { startMailServer, type MailServer } from '../../support/mailServer.ts';

const origin = 'http://pay.test';
const hidden = '••••••••';
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

/** Opens a test tenant with branding that writes to its test recipient, with a customer. */
async function open(settings: object = {}): Promise<[books: Books, customer: any]> {
  const books = await openBooks(app, '2026-01-31');
  await books.client.graphql(
    'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }',
    {
      input: {
        name: 'Acme',
        mail: { testRecipient: `${books.alias}@example.com` },
        branding: { displayName: 'Acme & Sons', color: '#225577', supportEmail: 'help@acme.example' },
        ...settings,
      },
    },
  );
  return [books, await books.shop.customer()];
}

/** Sends the mails that are due. Returns those that have arrived since the last call. */
async function receive({ alias }: Books) {
  await app.service.mailer.sendDue(app.service, alias);
  const found = server.mails.filter(({ to }: any) => to.text === `${alias}@example.com`);
  for (const mail of found) server.mails.splice(server.mails.indexOf(mail), 1);
  return found;
}

const normalize = (part: unknown) => String(part).replaceAll('\r\n', '\n').trim();

/** A received mail as the log shows it: without the tokens of its links. */
const show = ({ subject, html, text }: any) => {
  const hide = (part: unknown) => normalize(part).replaceAll(/(\/portal\/[^/]+\/s\/)[\w-]+/g, `$1${hidden}`);
  return { subject, html: hide(html), text: hide(text) };
};

/** The mails in the log, newest first, with their content. */
async function readLog({ alias }: Books, first = 10): Promise<any[]> {
  // Whoever may sign in as a customer sees the codes and links of a test tenant.
  const client = await app.key(alias, 'read');
  const { mailDeliveries } = await client.graphql(
    `query ($first: Int) { mailDeliveries(first: $first) { nodes {
      id kind subject message { subject html text }
    } } }`,
    { first },
  );
  return mailDeliveries.nodes.map(({ message, ...mail }: any) => ({
    ...mail,
    message: message && { ...message, html: normalize(message.html), text: normalize(message.text) },
  }));
}

const countLinks = async ({ alias: tenantAlias }: Books) =>
  (await app.service.store.fresh.select('portalSessions', { where: { tenantAlias } })).length;

interface Case {
  settings?: object;
  locale?: string;
  plan?: object;
  method?: string;
  until?: string;
  says: (string | RegExp)[];
}

const cases: Record<string, Case> = {
  receipt: { says: ['AFN\u00A050.00', /Invoice: \S+/] },
  'receipt in German': { locale: 'de-AT', says: ['50,00', /Rechnung/] },
  'receipt of a tenant without a portal': {
    settings: { portal: { enabled: false } },
    says: ['AFN\u00A050.00'],
  },
  renewal_upcoming: {
    plan: yearly,
    until: '2027-01-02',
    says: ['AFN\u00A050.00', '31\u00A0January\u00A02027'],
  },
  payment_failed: {
    method: 'sandbox_ok_then_declined',
    until: '2026-02-28',
    says: ['AFN\u00A050.00', 'Declined by your bank', 'Next attempt: '],
  },
};

it('the message of an announced renewal keeps its amount when it has come', async () => {
  const [books, customer] = await open();
  await books.subscribe(customer, await books.plan(50, yearly));
  await books.advance('2027-01-02');
  const announced = (await receive(books)).at(-1)!;
  await books.advance('2027-03-02');
  const mail = (await readLog(books)).find(({ kind }) => kind === 'renewal_upcoming');
  expect(mail.message).toEqual(show(announced));
});

describe('the message of a mail is the one that was received', () => {
  it.each(Object.entries(cases))('%s', async (name, { settings, locale, plan, method, until, says }) => {
    const [books, customer] = await open(settings);
    await books.client.graphql(
      `mutation ($id: ID!, $locale: String) { updateCustomer(id: $id, input: { locale: $locale }) { id } }`,
      { id: customer.id, locale: locale ?? 'en' },
    );
    await books.client.graphql(`mutation { updateMailTemplate(input: {
      kind: receipt, language: de, subject: "Danke, {customer.firstName}", body: "Bezahlt: {invoice.total}"
    }) { id } }`);
    await books.subscribe(customer, await books.plan(50, plan), method ?? 'sandbox_ok');
    if (until) {
      await receive(books);
      await books.advance(until);
    }
    const received = (await receive(books)).at(-1)!;
    const links = await countLinks(books);
    const [mail] = await readLog(books);
    expect(mail.kind).toBe(name.split(' ')[0]);
    expect(mail.message).toEqual(show(received));
    expect(mail.message.subject).toBe(mail.subject);
    for (const said of says) expect(mail.message.text).toMatch(said);
    const hasLink = mail.message.html.includes(`href="${origin}/portal/${books.alias}/s/${hidden}"`);
    expect(hasLink).toBe(settings === undefined);
    expect(await countLinks(books)).toBe(links);
  });

  it('a test, and a reminder whose invoice is paid by now', async () => {
    const [books, customer] = await open();
    const to = `${books.alias}@example.com`;
    await books.client.graphql(
      `mutation { sendTestMail(input: { to: "${to}", kind: trial_ending }) { id } }`,
    );
    const [tested] = await receive(books);
    expect((await readLog(books))[0].message).toEqual(show(tested));
    const id = await books.subscribe(customer, await books.plan(30), 'sandbox_ok_then_declined');
    await books.advance('2026-02-28');
    await receive(books);
    const [{ id: invoiceId }] = (await books.invoices(id)).filter(({ status }) => status === 'open');
    await books.client.graphql(
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "transfer" }) { id } }',
      { id: invoiceId },
    );
    const late = (await readLog(books)).find(({ kind }) => kind === 'payment_failed');
    expect(late.message.text).toContain('Total: AFN\u00A030.00');
    expect(late.message.text).toContain('Reason: Declined by your bank');
    expect(late.message.text).not.toContain('Next attempt: ');
  });
});

it('a code is shown to nobody, before and after it is sent', async () => {
  const [books, customer] = await open();
  const tenant = await openScope(app, books);
  const data = { sealed: tenant.seal('48151623'), expiresAt: '2026-01-31T00:10:00.000Z' };
  const mail = {
    kind: 'portal_code' as const,
    customerId: customer.id,
    recipient: 'ada@example.com',
    language: 'en' as const,
    data,
  };
  await tenant.write((unit) => app.service.mailer.queue(unit, mail));
  const [waiting] = await readLog(books);
  expect(waiting.message.text).toContain(hidden);
  expect(JSON.stringify(waiting)).not.toContain('48151623');
  const [received] = await receive(books);
  expect(received!.text).toContain('48151623');
  const [sent] = await readLog(books);
  const hide = (part: unknown) => normalize(part).replaceAll('48151623', hidden);
  expect(sent.message).toEqual({
    subject: hide(received!.subject),
    html: hide(received!.html),
    text: hide(received!.text),
  });
});

it.each(['eraseCustomer', 'deleteCustomer'])('there is none after %s', async (mutation) => {
  const [books, customer] = await open();
  const id = await books.subscribe(customer, await books.plan(50));
  await receive(books);
  expect((await readLog(books))[0].message).not.toBeNull();
  await books.run('cancelSubscription(id: $id)', id);
  await books.client.graphql(`mutation ($id: ID!) { ${mutation}(id: $id) { id } }`, { id: customer.id });
  const log = await readLog(books);
  expect(log.length).toBeGreaterThan(0);
  expect(log.map(({ message }) => message)).toEqual(log.map(() => null));
});

it.each([
  ['receipts', {}, '2026-01-31'],
  ['announced renewals', yearly, '2027-01-02'],
])('the number of queries does not grow with the number of %s', async (_, plan, until) => {
  const [books] = await open();
  const { store } = app.service;
  const price = await books.plan(50, plan);
  for (let made = 0; made < 6; made++)
    await books.subscribe(await books.shop.customer({ lastName: `Row ${made}` }), price);
  if (until !== '2026-01-31') await books.advance(until);
  const spies = [...new Set([store.committed, store.fresh])].map((queries) => vi.spyOn(queries, 'select'));
  const listTablesRead = async (first: number) => {
    for (const spy of spies) spy.mockClear();
    const log = await readLog(books, first);
    expect(log.filter(({ message }) => message?.text.includes('AFN\u00A050.00'))).toHaveLength(first);
    return spies.flatMap((spy) => spy.mock.calls.map(([table]) => table));
  };
  await listTablesRead(1);
  const [one, six] = [await listTablesRead(1), await listTablesRead(6)];
  for (const spy of spies) spy.mockRestore();
  expect(one.length).toBeGreaterThan(4);
  // Look-ups of one kind may come in two turns of the event loop.
  expect(six.length).toBeLessThanOrEqual(one.length + 2);
});

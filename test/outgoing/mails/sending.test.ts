/** Mails on their way: to whom, in which order, how often, and what is kept of it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildDocuments } from '../../documents/pdfFile.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { pino } from 'pino';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { dayMs, secondMs, stoppedClock, type TestClock } from '../../support/clock.ts';
import { startMailServer, type MailServer } from '../../support/mailServer.ts';
import { afn, documents } from '../../support/oneOff.ts';
import { createShop, type Shop } from '../../support/shop.ts';

const mailFields = 'id kind recipient subject status messageId nextAttemptAt attempts { response error }';

let app: TestApp;
let server: MailServer;
let clock: TestClock;
let client: Client;
let shop: Shop;
let alias: string;
let tenants = 0;

beforeAll(async () => {
  buildDocuments();
  server = await startMailServer();
  clock = stoppedClock('2026-01-31T00:00:00.000Z');
  app = await startApp({ smtpUrl: server.url, mailFrom: 'Billing <billing@sender.example>' }, { clock });
});
afterAll(async () => {
  await app.close();
  await server.close();
});

beforeEach(async () => {
  alias = `acme-${++tenants}`;
  client = await app.tenant({ alias, name: 'Acme', test: false });
  shop = createShop(client, alias);
});
afterEach(() => {
  server.reply(() => undefined);
  server.replyToMessage(() => undefined);
  server.mails.length = 0;
  server.sources.length = 0;
  server.attempts.length = 0;
});

const send = () => app.service.mailer.sendDue(app.service, alias);
const list = async (filter = ''): Promise<any[]> =>
  (await client.graphql(`{ mailDeliveries(first: 100, order: ASC ${filter}) { nodes { ${mailFields} } } }`))
    .mailDeliveries.nodes;
/** Issues an invoice that is paid by bank transfer, which is reported by mail. */
const issue = async (customer: any, amount = 30): Promise<any> =>
  (
    await client.graphql(documents.createInvoice, {
      customerId: customer.id,
      items: [{ description: 'Setup', amount: afn(amount) }],
      collect: 'send_invoice',
    })
  ).createInvoice;

describe('an invoice sent on request', () => {
  const ask = async (id: string) =>
    (
      await client.graphql('mutation ($id: ID!) { sendInvoice(id: $id) { id kind status recipient } }', {
        id,
      })
    ).sendInvoice;

  it('goes out again and again, also if its kind is switched off, and as a receipt once it is paid', async () => {
    await client.graphql(
      'mutation { updateTenant(input: { mail: { disabledKinds: [invoice_issued, receipt] } }) { alias } }',
    );
    const { id } = await issue(await shop.customer());
    expect(await list()).toEqual([]);
    for (let count = 0; count < 2; count += 1)
      expect(await ask(id)).toMatchObject({ kind: 'invoice_issued', status: 'pending' });
    await send();
    expect(server.mails).toHaveLength(2);
    expect(server.mails[0]!.text).toContain('Please transfer');
    const { mails } = (
      await client.graphql('query ($id: ID!) { invoice(id: $id) { mails { status } } }', { id })
    ).invoice;
    expect(mails).toEqual([{ status: 'sent' }, { status: 'sent' }]);
    await client.graphql(
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "statement 7" }) { status } }',
      { id },
    );
    expect(await ask(id)).toMatchObject({ kind: 'receipt' });
    await send();
    expect(server.mails.at(-1)!.subject).toBe('Your receipt from Acme');
  });

  it('says what to pay without an account where a method is charged', async () => {
    const customer = await shop.customer();
    const { id } = await issue(customer);
    // As of a charge that waits for a card.
    await app.backdoor.execute(`update invoices set due_at = null where id = '${id}'`);
    const { id: mailId } = await ask(id);
    await send();
    const [mail] = (await list()).filter((each) => each.id === mailId);
    expect(mail).toMatchObject({ kind: 'invoice_issued', status: 'sent' });
    const sent = server.mails.find(({ messageId }) => messageId === mail.messageId)!;
    expect(sent.text).toContain('Here is your invoice over');
    expect(sent.text).not.toContain('transfer');
  });

  it('is refused for a draft and for one that is void, and says why an address gets nothing', async () => {
    const customer = await shop.customer();
    const draft = (
      await client.graphql(
        `mutation ($id: ID!) { createInvoice(input: { customerId: $id, draft: true,
          items: [{ description: "Setup", amount: { amount: 3, currency: "afn" } }] }) { id } }`,
        { id: customer.id },
      )
    ).createInvoice;
    const mutation = 'mutation ($id: ID!) { sendInvoice(id: $id) { id } }';
    const reasonOf = async (id: string) =>
      (await client.post(mutation, { id })).body.errors[0].extensions.reason;
    expect(await reasonOf(draft.id)).toBe('invoice_not_finalized');
    const { id } = await issue(customer);
    await client.graphql('mutation ($id: ID!) { blockMail(id: $id, input: { reason: "asked" }) { id } }', {
      id: customer.id,
    });
    expect(await ask(id)).toMatchObject({ status: 'cancelled' });
    await client.graphql('mutation ($id: ID!) { voidInvoice(id: $id) { id } }', { id });
    expect(await reasonOf(id)).toBe('invoice_not_open');
  });
});

describe('a mail', () => {
  it('is queued with its event, sent once, and kept in the log', async () => {
    await issue(await shop.customer());
    expect(await list()).toMatchObject([{ kind: 'invoice_issued', status: 'pending', attempts: [] }]);
    await send();
    await send();
    const [mail] = await list();
    expect(mail).toMatchObject({ status: 'sent', recipient: 'ada@example.com', nextAttemptAt: null });
    expect(mail.attempts).toMatchObject([{ error: null, response: expect.stringMatching(/^250/) }]);
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]!.messageId).toBe(mail.messageId);
    expect(server.mails[0]!.from!.value).toEqual([{ address: 'billing@sender.example', name: 'Acme' }]);
    expect(server.mails[0]!.headers.get('auto-submitted')).toBe('auto-generated');
  });

  it('goes to an international address', async () => {
    // Written with a combining accent, kept with the composed letter.
    const customer = await shop.customer({ email: 'rene\u0301@mu\u0308ller.example' });
    expect(customer.email).toBe('ren\u00e9@m\u00fcller.example');
    await issue(customer);
    await send();
    expect(await list()).toMatchObject([{ status: 'sent', recipient: 'ren\u00e9@m\u00fcller.example' }]);
    expect(server.mails[0]!.to).toMatchObject({ value: [{ address: 'ren\u00e9@m\u00fcller.example' }] });
  });

  it('is not queued if its change is rolled back, if its kind is off, or without an event', async () => {
    const customer = await shop.customer();
    await client.post(documents.createInvoice, {
      customerId: customer.id,
      items: [{ description: '', amount: afn(-1) }],
      collect: 'send_invoice',
    });
    await client.graphql(
      'mutation { updateTenant(input: { mail: { disabledKinds: [invoice_issued] } }) { alias } }',
    );
    await issue(customer);
    expect(await list()).toEqual([]);
  });

  it('is repeated with the same message id until it is accepted, and delays the next one of its customer', async () => {
    const [ada, bob] = [await shop.customer(), await shop.customer({ email: 'bob@example.com' })];
    await issue(ada);
    await issue(ada, 40);
    await issue(bob);
    server.reply((address, attempt) =>
      address === 'ada@example.com' && attempt < 3 ? '451 4.3.0 later' : undefined,
    );
    await send();
    expect((await list()).map(({ status, nextAttemptAt }) => [status, nextAttemptAt !== null])).toEqual([
      ['pending', true],
      ['pending', false],
      ['sent', false],
    ]);
    for (let tries = 0; tries < 4; tries++) {
      clock.advance(70 * secondMs);
      await send();
    }
    const mails = await list();
    expect(mails.map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ['sent', 3],
      ['sent', 1],
      ['sent', 1],
    ]);
    expect(server.mails.map(({ messageId }) => messageId)).toEqual(
      [mails[2], mails[0], mails[1]].map(({ messageId }) => messageId),
    );
  });

  it.each([
    ['550 5.7.1 spam', 'failed', 1, false],
    ['554 5.2.2 full', 'failed', 1, false],
    ['550 5.1.1 unknown user', 'failed', 1, true],
    ['553 5.1.3 bad address', 'failed', 1, true],
    ['452 4.2.2 full', 'pending', 1, false],
    ['421 4.3.2 shutting down', 'pending', 1, false],
  ])(
    'that is answered %s is %s after %i attempt; its address is blocked: %s',
    async (line, status, tries, blocks) => {
      const customer = await shop.customer({ email: 'lost@example.com' });
      await issue(customer);
      await issue(customer);
      server.reply(() => line);
      await send();
      const [first, second] = await list();
      expect(first).toMatchObject({ status });
      expect(first.attempts).toHaveLength(tries);
      const read = () =>
        client.graphql(`query ($id: ID!) { customer(id: $id) { mailBlockedAt mailBlockedReason } }`, {
          id: customer.id,
        });
      const blocked = (await read()).customer;
      expect(blocked.mailBlockedAt === null).toBe(!blocks);
      if (!blocks) return;
      expect(blocked.mailBlockedReason).toBe(line);
      expect(second).toMatchObject({ status: 'cancelled', attempts: [{ error: 'address_blocked' }] });
      await issue(customer);
      expect((await list())[2]).toMatchObject({
        status: 'cancelled',
        attempts: [{ error: 'address_blocked' }],
      });
      const resent = await client.post('mutation ($id: ID!) { resendMail(id: $id) { id } }', {
        id: first.id,
      });
      expect(resent.body.errors[0].extensions.reason).toBe('validation_failed');
      await client.graphql('mutation ($id: ID!) { unblockMail(id: $id) { id } }', {
        id: customer.id,
      });
      server.reply(() => undefined);
      await client.graphql('mutation ($id: ID!) { resendMail(id: $id) { id } }', { id: first.id });
      await send();
      expect((await list())[0]).toMatchObject({ status: 'sent' });
      expect(server.mails[0]!.messageId).toBe(first.messageId);
    },
  );

  it('is not sent to an address that an operator blocks; blocked ones are listed, the latest first', async () => {
    const [first, second] = [await shop.customer(), await shop.customer()];
    const block = (customerId: string, reason: string) =>
      client.post(
        'mutation ($customerId: ID!, $reason: String!) { blockMail(id: $customerId, input: { reason: $reason }) { mailBlockedReason } }',
        { customerId, reason },
      );
    await issue(first);
    for (const { id } of [first, second]) {
      expect((await block(id, ' asked by phone ')).body.data.blockMail.mailBlockedReason).toBe(
        'asked by phone',
      );
      clock.advance(1000);
    }
    expect((await block(first.id, 'again')).body.data.blockMail.mailBlockedReason).toBe('asked by phone');
    for (const reason of [' ', 'x'.repeat(501)])
      expect((await block(first.id, reason)).body.errors[0].extensions.reason).toBe('validation_failed');
    expect((await list())[0]).toMatchObject({
      status: 'cancelled',
      attempts: [{ error: 'address_blocked' }],
    });
    const listed = '{ blockedCustomers(first: 5) { totalCount nodes { id } } }';
    expect((await client.graphql(listed)).blockedCustomers.nodes.slice(0, 2)).toEqual([
      { id: second.id },
      { id: first.id },
    ]);
    await client.graphql('mutation ($id: ID!) { unblockMail(id: $id) { id } }', { id: second.id });
    expect((await client.graphql(listed)).blockedCustomers.nodes[0]).toEqual({ id: first.id });
  });

  it('that is refused after it was read fails, and a temporary refusal then is repeated', async () => {
    await issue(await shop.customer());
    server.replyToMessage((attempt) => (attempt === 1 ? '451 4.7.1 greylisted' : '554 5.6.0 content'));
    await send();
    clock.advance(10 * secondMs);
    await send();
    expect(await list()).toMatchObject([
      { status: 'failed', attempts: [{ error: 'deferred' }, { error: 'refused' }] },
    ]);
    expect(server.mails).toEqual([]);
  });

  it('is abandoned after three days', async () => {
    await issue(await shop.customer());
    server.reply(() => '451 4.3.0 later');
    for (let tries = 0; tries < 12; tries++) {
      await send();
      clock.advance(dayMs);
    }
    const [mail] = await list();
    expect(mail.status).toBe('failed');
    expect(mail.attempts).toHaveLength(11);
  });

  it.each([
    'not an address',
    'a@b@c',
    'ada@example.com\r\nBcc: eve@example.com',
    '<ada@example.com>',
    'ada@',
  ])('to the address %j is not attempted', async (email) => {
    const customer = await shop.customer();
    // An import may have stored it.
    const text = email.replaceAll("'", "''");
    await app.backdoor.execute(`update customers set email = '${text}' where id = '${customer.id}'`);
    await issue(customer);
    await send();
    expect(await list()).toMatchObject([{ status: 'cancelled', attempts: [{ error: 'address_invalid' }] }]);
    expect(server.attempts).toEqual([]);
  });

  it('is not sent any more when its invoice is paid or its customer is gone', async () => {
    const [ada, bob] = [await shop.customer(), await shop.customer()];
    const invoice = await issue(ada);
    await issue(bob);
    await client.graphql(documents.recordPayment, { id: invoice.id });
    await client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: bob.id });
    await send();
    expect((await list()).map(({ kind, status, attempts }) => [kind, status, attempts[0]?.error])).toEqual([
      ['invoice_issued', 'cancelled', 'no_longer_needed'],
      ['invoice_issued', 'cancelled', 'no_longer_needed'],
      ['receipt', 'sent', null],
    ]);
  });

  it('of one tenant is invisible to another', async () => {
    await issue(await shop.customer());
    const [{ id }] = await list();
    const other = await app.tenant({ alias: `${alias}-other`, test: false });
    expect((await other.graphql('{ mailDeliveries { nodes { id } } }')).mailDeliveries.nodes).toEqual([]);
    for (const document of [
      'query ($id: ID!) { mailDelivery(id: $id) { id } }',
      'mutation ($id: ID!) { resendMail(id: $id) { id } }',
    ]) {
      const answer = await other.post(document, { id });
      expect(answer.body.errors[0].extensions.reason).toBe('mail_delivery_not_found');
    }
  });

  it('is deleted from the log after 90 days', async () => {
    await issue(await shop.customer());
    await send();
    clock.advance(91 * dayMs);
    await runDueWork(app.service, pino({ level: 'silent' }));
    expect(await list()).toEqual([]);
  });
});

describe('the mails of a test tenant', () => {
  it('go to its test recipient, or nowhere', async () => {
    const test = await app.tenant({ alias: `${alias}-test`, name: 'Acme', test: true, clock: clock.now() });
    const testShop = createShop(test, `${alias}-test`);
    const { price } = await testShop.product();
    await testShop.subscribe(await testShop.customer(), price);
    const count = async () =>
      (await test.graphql('{ mailDeliveries { nodes { id } } }')).mailDeliveries.nodes.length;
    expect(await count()).toBe(0);
    const set =
      'mutation { updateTenant(input: { mail: { testRecipient: "dev@example.com" } }) { mail { enabled } } }';
    expect((await test.graphql(set)).updateTenant.mail.enabled).toBe(true);
    await testShop.subscribe(await testShop.customer(), price);
    await app.service.mailer.sendDue(app.service, `${alias}-test`);
    expect(server.mails.map(({ subject, to }: any) => [subject, to.text])).toEqual([
      ['[Test] Your receipt from Acme', 'dev@example.com'],
    ]);
    expect(server.mails[0]!.attachments.map(({ contentType }) => contentType)).toEqual(['application/pdf']);
  });
});

describe('a mail that reports no event', () => {
  const queue = async (at: string, kind: 'portal_code' | 'receipt' | 'test') => {
    const record = (await findTenant(app.service, at))!;
    const mail = { kind, customerId: null, recipient: 'ada@example.org', language: 'en' as const };
    return openScheduledTenant(app.service, record).write((unit) => app.service.mailer.queue(unit, mail));
  };

  it.each(['portal_code', 'receipt'] as const)(
    'of a test tenant goes to its test recipient or nowhere, also when sent again: %s',
    async (kind) => {
      const at = `${alias}-silent`;
      const test = await app.tenant({ alias: at, name: 'Acme', test: true });
      const { status, dueAt, tries } = await queue(at, kind);
      expect([status, dueAt, tries[0]!.error]).toEqual(['cancelled', null, 'no_test_recipient']);
      const kept = await queue(at, 'receipt');
      const resend = 'mutation ($id: ID!) { resendMail(id: $id) { recipient } }';
      const refused = (await test.post(resend, { id: kept.id })).body.errors[0].extensions;
      expect(refused).toMatchObject({ reason: 'validation_failed', issues: [{ path: 'id' }] });
      await test.graphql(
        'mutation { updateTenant(input: { mail: { testRecipient: "dev@example.com" } }) { alias } }',
      );
      expect((await test.graphql(resend, { id: kept.id })).resendMail.recipient).toBe('dev@example.com');
      expect((await queue(at, kind)).recipient).toBe('dev@example.com');
    },
  );

  it('goes where it is addressed if it is a test, or of a live tenant', async () => {
    const at = `${alias}-silent`;
    await app.tenant({ alias: at, name: 'Acme', test: true });
    for (const [tenant, kind] of [
      [at, 'test'],
      [alias, 'receipt'],
    ] as const)
      expect(await queue(tenant, kind)).toMatchObject({ recipient: 'ada@example.org', status: 'pending' });
  });
});

describe('a report of a bounce', () => {
  const report = async (payload: unknown, url?: string) => {
    const address = new URL(
      (await client.graphql('{ tenant { mail { bounceUrl } } }')).tenant.mail.bounceUrl,
    );
    return app.server.inject({
      method: 'POST',
      url: url ?? address.pathname + address.search,
      headers: { 'content-type': 'application/json' },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
  };
  const ses = (fields: object) => ({ Type: 'Notification', Message: JSON.stringify(fields) });

  it.each<[string, (mail: any) => unknown, string]>([
    ['by message id', ({ messageId }) => ({ messageId, type: 'bounce', reason: '5.1.1' }), 'bounced'],
    ['by recipient', () => [{ recipient: 'ada@example.com', type: 'complaint' }], 'bounced'],
    [
      'of Postmark',
      () => ({ RecordType: 'Bounce', Type: 'HardBounce', Email: 'ada@example.com', Description: 'unknown' }),
      'bounced',
    ],
    [
      'of Postmark, temporary',
      () => ({ RecordType: 'Bounce', Type: 'Transient', Email: 'ada@example.com' }),
      'sent',
    ],
    [
      'of Mailgun',
      ({ messageId }) => ({
        'event-data': {
          event: 'failed',
          severity: 'permanent',
          recipient: 'ada@example.com',
          message: { headers: { 'message-id': messageId.slice(1, -1) } },
        },
      }),
      'bounced',
    ],
    [
      'of Amazon SES',
      ({ messageId }) =>
        ses({
          mail: { commonHeaders: { messageId } },
          bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: 'ada@example.com' }] },
        }),
      'bounced',
    ],
    ['about an unknown mail', () => ({ messageId: '<x@y>', type: 'bounce', reason: 'x' }), 'sent'],
    [
      'about another recipient',
      ({ messageId }) => ({ messageId, recipient: 'b@example.com', type: 'bounce' }),
      'sent',
    ],
  ])('%s marks the mail and blocks the address', async (_, build, status) => {
    const customer = await shop.customer();
    await issue(customer);
    await send();
    const [mail] = await list();
    expect((await report(build(mail))).statusCode).toBe(200);
    expect((await report(build(mail))).statusCode).toBe(200);
    expect(await list()).toMatchObject([{ status }]);
    await issue(customer);
    expect((await list())[1]!.status).toBe(status === 'bounced' ? 'cancelled' : 'pending');
  });

  it.each([
    ['no token', '/callbacks/mail/ALIAS', 404],
    ['a guessed token', '/callbacks/mail/ALIAS?token=x', 404],
    ['two tokens', '/callbacks/mail/ALIAS?token=x&token=y', 404],
    ['an unknown tenant', '/callbacks/mail/nobody?token=x', 404],
  ])('with %s is refused', async (_, url, code) => {
    expect((await report({ type: 'bounce' }, url.replace('ALIAS', alias))).statusCode).toBe(code);
  });

  it.each(['', '{', 'null', '[{}]', '{"type":"bounce"}', '{"type":"bounce","messageId":7}'])(
    'that is %j is refused without changes',
    async (body) => {
      expect((await report(body)).statusCode).toBe(400);
    },
  );

  it('has an address that a read-only key does not see', async () => {
    const reader = await app.key(alias, 'read');
    expect((await reader.graphql('{ tenant { mail { bounceUrl } } }')).tenant.mail.bounceUrl).toBeNull();
  });
});

describe("a tenant's own mail server", () => {
  const configure = (url: string) =>
    client.post(
      `mutation ($url: URL!) { configureAccount(input: { smtp: { url: $url, fromAddress: "own@own.example" } }) { failure } }`,
      { url },
    );
  const readFailure = async () =>
    (await client.graphql('{ tenant { accounts { failure } } }')).tenant.accounts[0].failure;

  it('in the network of the server is not connected to, and the account says that it fails', async () => {
    await configure(`smtp://localhost.example.com.:${server.port}`);
    await issue(await shop.customer());
    await send();
    expect(await list()).toMatchObject([{ status: 'pending', attempts: [{ error: 'address_unusable' }] }]);
    expect(await readFailure()).toBe('address_unusable');
    expect(server.attempts).toEqual([]);
  });

  it('is used where the server has none, and never without TLS', async () => {
    const open = await startApp({ webhookAllowPrivate: 'on' }, { clock });
    try {
      const own = await open.tenant({ alias: 'own', name: 'Acme', test: false });
      const sendTest = async () => {
        const { sendTestMail } = await own.graphql(
          'mutation { sendTestMail(input: { to: "dev@example.com" }) { id status } }',
        );
        await open.service.mailer.sendDue(open.service, 'own');
        return (await own.graphql(`{ mailDelivery(id: "${sendTestMail.id}") { status attempts { error } } }`))
          .mailDelivery;
      };
      expect(await sendTest()).toMatchObject({
        status: 'cancelled',
        attempts: [{ error: 'no_mail_server' }],
      });
      const url = `smtp://127.0.0.1:${server.port}`;
      await own.graphql(
        `mutation { configureAccount(input: { smtp: { url: "${url}", fromAddress: "own@own.example" } }) { failure } }`,
      );
      // The server of the test has no TLS, without which nothing is sent.
      expect(await sendTest()).toMatchObject({ status: 'pending', attempts: [{ error: 'tls_failed' }] });
      expect(server.mails).toEqual([]);
      const test = 'mutation { testAccount(input: { provider: smtp }) { failure } }';
      expect((await own.graphql(test)).testAccount.failure).toContain('command not recognized');
      expect(
        (await own.graphql('{ tenant { mail { enabled } accounts { failure } } }')).tenant,
      ).toMatchObject({
        mail: { enabled: true },
        accounts: [{ failure: expect.any(String) }],
      });
    } finally {
      await open.close();
    }
  });
});

describe('a change of the address', () => {
  const update =
    'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { email mailBlockedAt } }';
  const change = async (id: string, input: object) =>
    (await client.graphql(update, { id, input })).updateCustomer;

  it('is reported to the former one, and all further mails go to the new one', async () => {
    const customer = await shop.customer();
    expect(await change(customer.id, { email: 'new@example.com', firstName: 'Grace' })).toMatchObject({
      email: 'new@example.com',
    });
    await issue(customer);
    // The second and the third change nothing of the address.
    await change(customer.id, { email: 'new@example.com' });
    await change(customer.id, { lastName: 'Hopper' });
    for (const _ of [1, 2]) await send();
    expect(await list()).toMatchObject([
      { kind: 'email_changed', recipient: 'ada@example.com', status: 'sent' },
      { kind: 'invoice_issued', recipient: 'new@example.com', status: 'sent' },
    ]);
    const [notice] = server.mails;
    expect(notice).toMatchObject({ subject: 'Your e-mail address at Acme was changed' });
    expect(notice!.text).toContain('Hello Grace');
    expect(notice!.text).not.toContain('new@example.com');
  });

  it('ends the block of the former one, which is not written to', async () => {
    const customer = await shop.customer();
    await client.graphql('mutation ($id: ID!) { blockMail(id: $id, input: { reason: "asked" }) { id } }', {
      id: customer.id,
    });
    expect(await change(customer.id, { email: 'new@example.com' })).toEqual({
      email: 'new@example.com',
      mailBlockedAt: null,
    });
    expect(await list()).toMatchObject([
      { kind: 'email_changed', status: 'cancelled', attempts: [{ error: 'address_blocked' }] },
    ]);
    const { traces } = await client.graphql(
      '{ traces(activityType: CustomerEvent, first: 1) { nodes { payload } } }',
    );
    expect(traces.nodes[0].payload.changes).toMatchObject({
      email: ['ada@example.com', 'new@example.com'],
      mailBlockedAt: [expect.any(String), null],
    });
  });

  it('blocks nothing if its notice bounces, and a mail that is sent again goes to the new address', async () => {
    const customer = await shop.customer();
    await issue(customer);
    await send();
    await change(customer.id, { email: 'new@example.com' });
    server.reply((address) => (address === 'ada@example.com' ? '550 5.1.1 unknown' : undefined));
    await send();
    server.reply(() => undefined);
    const [issued, notice] = await list();
    expect(notice).toMatchObject({ kind: 'email_changed', status: 'failed' });
    const { customer: now } = await client.graphql(
      'query ($id: ID!) { customer(id: $id) { mailBlockedAt } }',
      { id: customer.id },
    );
    expect(now.mailBlockedAt).toBeNull();
    const again = 'mutation ($id: ID!) { resendMail(id: $id) { recipient } }';
    expect((await client.graphql(again, { id: issued.id })).resendMail.recipient).toBe('new@example.com');
    expect((await client.graphql(again, { id: notice.id })).resendMail.recipient).toBe('ada@example.com');
  });

  it('is not reported where the tenant has switched that off, nor if nothing changes', async () => {
    const customer = await shop.customer();
    await change(customer.id, { email: 'ada@example.com' });
    await client.graphql(
      'mutation { updateTenant(input: { mail: { disabledKinds: [email_changed] } }) { alias } }',
    );
    await change(customer.id, { email: 'new@example.com' });
    expect(await list()).toEqual([]);
  });

  it.each([
    ['null', null],
    ['no address', 'new'],
    ['another header', 'a@example.com\nBcc: b@example.com'],
    ['too long an address', `${'a'.repeat(250)}@example.com`],
  ])('refuses %s', async (_, email) => {
    const customer = await shop.customer();
    const { body, status } = await client.post(update, { id: customer.id, input: { email } });
    expect([status < 500, body.errors[0].extensions.reason]).toEqual([true, 'validation_failed']);
    expect(await list()).toEqual([]);
  });
});

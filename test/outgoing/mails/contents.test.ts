/** What mails say: each kind in each language, both parts, and names that try to say something else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDocuments } from '../../documents/pdfFile.ts';
import { getDirection, languageNames, type Language } from '../../../src/lib/language.ts';
import { factNames, listedFacts, listPlaceholders } from '../../../src/outgoing/mails/facts.ts';
import type { MailText } from '../../../src/outgoing/mails/events.ts';
import { mailTexts } from '../../../src/outgoing/mails/texts.ts';
import { mailKinds } from '../../../src/storage/model/mails.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { dayMs, stoppedClock } from '../../support/clock.ts';
import { startMailServer, type MailServer } from '../../support/mailServer.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { createShop } from '../../support/shop.ts';

const languages = Object.keys(languageNames) as Language[];
const texts = Object.keys(listedFacts) as MailText[];

let app: TestApp;
let server: MailServer;

beforeAll(async () => {
  buildDocuments();
  server = await startMailServer();
  const clock = stoppedClock('2026-01-31T00:00:00.000Z');
  app = await startApp({ smtpUrl: server.url, mailFrom: 'billing@sender.example' }, { clock });
});
afterAll(async () => {
  await app.close();
  await server.close();
});

describe.each(languages)('the texts in %s', (language) => {
  it.each(texts)('have %s, with placeholders that it has facts for', (text) => {
    const { subject, heading, body } = mailTexts[language].mails[text];
    const kind = mailKinds.find((each) => each === text) ?? 'invoice_issued';
    const known = new Set<string>([...listPlaceholders(kind), ...listedFacts[text]]);
    known.add('customer.name').add('customer.firstName');
    for (const part of [subject, heading, body]) {
      expect(part.trim()).not.toBe('');
      const used = Array.from(part.matchAll(/\{([^}]*)\}/g), ([, name]) => name!);
      expect(used.filter((name) => !known.has(name))).toEqual([]);
    }
  });

  it('use the same facts as the English ones, and are not English', () => {
    for (const text of texts) {
      const find = (of: Language) =>
        Object.values(mailTexts[of].mails[text])
          .flatMap((part) => Array.from((part ?? '').matchAll(/\{([^}]*)\}/g), ([, name]) => name!))
          .map((name) => name.replace('customer.name', 'customer.firstName'))
          .toSorted((a, b) => a.localeCompare(b));
      expect(find(language)).toEqual(find('en'));
      if (language !== 'en')
        expect(mailTexts[language].mails[text].body).not.toBe(mailTexts.en.mails[text].body);
    }
  });
});

it('every listed fact has a name', () => {
  expect(
    Object.values(listedFacts)
      .flat()
      .filter((name) => !factNames.includes(name)),
  ).toEqual([]);
});

describe('a preview', () => {
  let client: Client;
  beforeAll(async () => {
    client = await app.tenant({ alias: 'preview', name: 'Acme', test: false });
  });
  const preview = async (kind: string, language: string) =>
    (
      await client.graphql(
        `query ($kind: MailKind!, $language: MailLanguage) {
          previewMail(kind: $kind, language: $language) { subject html text }
        }`,
        { kind, language },
      )
    ).previewMail;

  it.each(mailKinds.flatMap((kind) => languages.map((language) => [kind, language] as const)))(
    'of %s in %s has two equal parts without open placeholders',
    async (kind, language) => {
      const { subject, html, text } = await preview(kind, language);
      for (const part of [subject, html, text])
        expect(part).not.toMatch(/\{[a-zA-Z]+[.}]|\bundefined\b|\bnull\b|\bNaN\b/);
      expect(html).toContain(`lang="${language}" dir="${getDirection(language)}"`);
      expect(Buffer.byteLength(html)).toBeLessThan(30_000);
      for (const name of listedFacts[kind]) {
        const label = (mailTexts[language].labels as Record<string, string>)[name];
        const isListed = text.includes(`${label}: `);
        expect(html.replaceAll(/\s+/g, ' ').includes(`> ${label} </td>`), name).toBe(isListed);
      }
    },
  );

  it.each([
    ['en', '€23.80', '31\u00A0January\u00A02026'],
    ['de', '23,80\u00A0€', '31.\u00A0Januar\u00A02026'],
    ['fa', '۲۳٫۸۰', '۲۰۲۶'],
    ['ar', '\u200F23.80\u00A0€', '31\u00A0يناير\u00A02026'],
    ['he', '\u200F23.80\u00A0\u200F€', '31\u00A0בינואר\u00A02026'],
  ])('in %s writes amounts and dates as the language does', async (language, amount, day) => {
    const { text } = await preview('receipt', language);
    expect(text).toContain(amount);
    expect(text).toContain(day);
  });

  it('in Arabic has the digits of the customer’s region', async () => {
    const customer = await createShop(client, 'preview').customer();
    await client.graphql(
      'mutation ($id: ID!) { updateCustomer(id: $id, input: { locale: "ar-EG" }) { id } }',
      {
        id: customer.id,
      },
    );
    const { previewMail } = await client.graphql(
      'query ($customer: ID) { previewMail(kind: receipt, customerId: $customer) { html text } }',
      { customer: customer.id },
    );
    expect(previewMail.html).toContain('lang="ar" dir="rtl"');
    for (const part of [previewMail.html, previewMail.text]) {
      expect(part).toContain('٢٣٫٨٠');
      expect(part).toContain('٣١\u00A0يناير\u00A0٢٠٢٦');
    }
  });
});

describe('a mail after', () => {
  let books: Books;
  const send = () => app.service.mailer.sendDue(app.service, books.alias);
  /** The mails since the last call: kind, subject, and the lines of facts. */
  const read = async () => {
    await send();
    const mails = server.mails.splice(0);
    server.sources.splice(0);
    return mails.map(({ subject, text, attachments }) => ({
      subject,
      facts: text!.split('\n').filter((line) => /^[A-Z][\w ]+: \S/.test(line) && !line.startsWith('Or ')),
      files: attachments
        .filter(({ contentType }) => contentType === 'application/pdf')
        .map((each) => each.filename),
    }));
  };
  beforeAll(async () => {
    books = await openBooks(app, '2026-01-31T00:00:00.000Z');
    await books.client.graphql(`mutation { updateTenant(input: {
      name: "Acme", retryDays: [2, 7], mail: { testRecipient: "dev@example.com" },
      bankAccount: { accountHolder: "Acme", iban: "DE89370400440532013000" }
    }) { alias } }`);
  });

  it('a payment, a failure and the cancellation says what was paid, why it failed, and that it ended', async () => {
    const customer = await books.shop.customer();
    await books.subscribe(customer, await books.plan(50), 'sandbox_ok_then_declined');
    expect(await read()).toEqual([
      {
        subject: '[Test] Your receipt from Acme',
        facts: [
          expect.stringMatching(/^Invoice: \S+/),
          'Date: 31\u00A0January\u00A02026',
          'Subscription: Pro',
          'Total: AFN\u00A050.00',
        ],
        files: [expect.stringMatching(/\.pdf$/)],
      },
    ]);
    await books.advance('2026-02-28T00:00:00.000Z');
    const [failed] = await read();
    expect(failed).toMatchObject({
      subject: '[Test] Your payment to Acme failed',
      files: [expect.any(String)],
    });
    expect(failed!.facts).toEqual([
      'Subscription: Pro',
      expect.stringMatching(/^Invoice: /),
      'Total: AFN\u00A050.00',
      'Reason: Declined by your bank',
      'Next attempt: 2\u00A0March\u00A02026',
    ]);
    await books.advance('2026-03-08T00:00:00.000Z');
    expect((await read()).map(({ subject }) => subject)).toContain(
      '[Test] Your subscription to Pro has ended',
    );
  });

  it('an invoice by bank transfer says where to pay, and reminds once it is overdue', async () => {
    const customer = await books.shop.customer({ firstName: 'Bob' });
    await books.client.graphql('mutation { updateTenant(input: { paymentTermsDays: 3 }) { alias } }');
    const id = await books.subscribe(customer, await books.plan(20), 'manual');
    expect(id).toBeNull();
    const [mail] = await read();
    expect(mail).toMatchObject({ subject: expect.stringMatching(/^\[Test\] Invoice \S+ from Acme$/) });
    expect(mail!.facts).toEqual([
      expect.stringMatching(/^Invoice: /),
      'Total: AFN\u00A020.00',
      expect.stringMatching(/^Due date: /),
      'Account holder: Acme',
      'IBAN: DE89\u00A03704\u00A00044\u00A00532\u00A00130\u00A000',
      expect.stringMatching(/^Reference: RF/),
    ]);
  });

  it('a scheduled cancellation says when it ends', async () => {
    const customer = await books.shop.customer();
    const id = await books.subscribe(customer, await books.plan(50));
    await read();
    await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
    const mails = await read();
    expect(mails.map(({ subject }) => subject)).toEqual(['[Test] Your subscription to Pro is cancelled']);
    expect(mails[0]!.facts).toEqual(['Subscription: Pro', expect.stringMatching(/^End date: \d+/)]);
  });

  it('a trial says what will be charged', async () => {
    const customer = await books.shop.customer();
    await books.client.graphql(
      'mutation ($id: ID!) { updateCustomer(id: $id, input: { locale: "de-AT" }) { id } }',
      { id: customer.id },
    );
    const plan = await books.plan(50, { price: { trialDays: 14 } });
    await books.subscribe(customer, plan);
    expect(await read()).toEqual([]);
    const { clock } = (await books.client.graphql('{ tenant { clock } }')).tenant;
    await books.advance(new Date(Date.parse(clock) + 12 * dayMs).toISOString());
    const long = new Intl.DateTimeFormat('de-AT', { dateStyle: 'long', timeZone: 'UTC' });
    const end = long.format(Date.parse(clock) + 14 * dayMs).replaceAll(' ', '\u00A0');
    const mails = await read();
    expect(mails.map(({ subject }) => subject)).toEqual([`[Test] Ihre Probezeit für Pro endet am ${end}`]);
  });
});

describe('hostile names', () => {
  const names = [
    'Ada\r\nBcc: eve@example.com',
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\u202Elive\u202C',
    '{customer.lastName} {invoice.total}',
    '"Ada" <eve@example.com>, x',
    '=?utf-8?q?=0D=0ABcc:_eve@example.com?=',
    'A'.repeat(200),
  ];

  it.each(names)('%j changes no header and is no HTML', async (firstName) => {
    const alias = `hostile-${names.indexOf(firstName)}`;
    const client = await app.tenant({ alias, name: 'Acme', test: true, clock: '2026-01-31T00:00:00.000Z' });
    await client.graphql(
      'mutation { updateTenant(input: { mail: { testRecipient: "dev@example.com" } }) { alias } }',
    );
    const named = await client.post(
      'mutation ($name: String) { updateTenant(input: { name: $name }) { name } }',
      {
        name: firstName,
      },
    );
    const subject = await client.post(
      `mutation ($subject: String!) { updateMailTemplate(input: {
        kind: receipt, language: en, subject: $subject, body: "Hello {customer.firstName}"
      }) { id } }`,
      { subject: `For {customer.firstName} of {merchant.name}` },
    );
    expect(named.body.errors ?? subject.body.errors).toBeUndefined();
    const shop = createShop(client, alias);
    const { price } = await shop.product();
    await shop.subscribe(await shop.customer({ firstName }), price);
    await app.service.mailer.sendDue(app.service, alias);
    const [mail] = server.mails.splice(0);
    const [source] = server.sources.splice(0);
    const [head] = source!.split('\r\n\r\n');
    const fields = head!.split(/\r\n(?![ \t])/).map((line) => line.split(':')[0]!.toLowerCase());
    expect(
      fields.filter((field) => ['bcc', 'cc', 'to', 'from', 'subject'].includes(field)).toSorted(),
    ).toEqual(['from', 'subject', 'to']);
    expect((mail!.to as any).value).toEqual([{ address: 'dev@example.com', name: '' }]);
    expect(mail!.from!.value.map(({ address }) => address)).toEqual(['billing@sender.example']);
    expect(mail!.subject).not.toMatch(/[\r\n\u202E]/);
    expect(mail!.html as string).not.toMatch(/<script|<img src=x|\u202E/);
    if (firstName.startsWith('{')) expect(mail!.text).toContain('Hello {customer.lastName}');
  });
});

describe('a template', () => {
  let client: Client;
  beforeAll(async () => {
    client = await app.tenant({ alias: 'templates', name: 'Acme', test: false });
  });
  const set = (input: object) =>
    client.post(
      'mutation ($input: UpdateMailTemplateInput!) { updateMailTemplate(input: $input) { id subject body } }',
      {
        input: { kind: 'receipt', language: 'de', subject: 'Danke', ...input },
      },
    );

  it.each([
    [{ subject: '' }, 'subject'],
    [{ subject: ' ' }, 'subject'],
    [{ subject: 'x'.repeat(201) }, 'subject'],
    [{ subject: 'a\nb' }, 'subject'],
    [{ subject: 'a\u202Eb' }, 'subject'],
    [{ subject: 'Hi {customer.password}' }, 'subject'],
    [{ body: 'Hi {customer.fistName}' }, 'body'],
    [{ body: 'Pay by {trial.endDate}' }, 'body'],
    [{ body: 'x'.repeat(5001) }, 'body'],
  ])('%j is refused at %s', async (input, path) => {
    const { body } = await set(input);
    expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
  });

  it('replaces the standard text of its kind and language until it is deleted', async () => {
    const made = await set({
      subject: 'Danke, {customer.firstName}',
      body: 'Bis bald { nie }\n\n<b>{invoice.total}</b>',
    });
    const { id } = made.body.data.updateMailTemplate;
    const read = async (language: string) =>
      (
        await client.graphql(
          'query ($language: MailLanguage) { previewMail(kind: receipt, language: $language) { subject html text } }',
          { language },
        )
      ).previewMail;
    const draft = (given: object) =>
      client.post(
        `query ($draft: MailDraftInput) {
          previewMail(kind: receipt, language: de, draft: $draft) { text wording { subject body } }
        }`,
        { draft: given },
      );
    const drafted = (await draft({ subject: 'Neu', body: 'An {customer.firstName}' })).body.data.previewMail;
    expect(drafted.text).toContain('An Ada');
    expect(drafted.wording).toEqual({ subject: 'Neu', body: 'An {customer.firstName}' });
    const wrong = await draft({ subject: '{nobody}' });
    expect(wrong.body.errors[0].extensions.issues).toMatchObject([{ path: 'subject' }]);
    const own = await read('de');
    expect(own.subject).toBe('Danke, Ada');
    expect(own.text).toContain('Bis bald { nie }\n\n<b>23,80\u00A0€</b>');
    expect(own.html).toContain('&lt;b&gt;23,80\u00A0€&lt;/b&gt;');
    expect((await read('en')).subject).toBe('Your receipt from Acme');
    const again = await set({ subject: 'Vielen Dank' });
    expect(again.body.data.updateMailTemplate).toMatchObject({ id, subject: 'Vielen Dank', body: null });
    await client.graphql('mutation ($id: ID!) { deleteMailTemplate(id: $id) { id } }', { id });
    expect((await read('de')).subject).toBe('Ihre Zahlungsbestätigung von Acme');
  });

  it.each([
    [{ disabledKinds: ['portal_code'] }, 'mail.disabledKinds.0'],
    [{ enabledKinds: ['refund', 'test'] }, 'mail.enabledKinds.1'],
    [{ enabledKinds: ['refund'], disabledKinds: ['refund'] }, 'mail.enabledKinds.0'],
    [{ replyTo: 'nobody' }, 'mail.replyTo'],
    [{ replyTo: 'a@example.com\r\nBcc: b@example.com' }, 'mail.replyTo'],
    [{ fromName: 'Acme\r\nBcc: b@example.com' }, 'mail.fromName'],
    [{ testRecipient: 'a@example.com, b@example.com' }, 'mail.testRecipient'],
    [{ renewalNoticeDays: 91 }, 'mail.renewalNoticeDays'],
  ])('is sent by settings without %j', async (mail, path) => {
    const { body } = await client.post(
      'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }',
      {
        input: { mail },
      },
    );
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: expect.stringContaining(path) }],
    });
  });
});

/** Mails of alerts: once for each customer, period and share of a limit, and for each share of a credit grant. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { startMailServer, type MailServer } from '../../support/mailServer.ts';
import { openFeatureShop, type FeatureShop } from '../../billing/entitlements/shop.ts';

const log = pino({ level: 'silent' });
let app: TestApp;
let server: MailServer;

beforeAll(async () => {
  server = await startMailServer();
  app = await startApp({
    rateLimitPerSecond: '1000000',
    graphqlCost: '1000000',
    publicUrl: 'http://pay.test',
    smtpUrl: server.url,
    mailFrom: 'billing@sender.example',
  });
});
afterAll(async () => {
  await app.close();
  await server.close();
});

const work = () => runDueWork(app.service, log);

interface AlertShop extends FeatureShop {
  feature$: string;
  plan$: any;
}

/** A customer with a limit of 1,000 that has alerts, of a test tenant that receives its mails itself. */
async function open({ mail = {}, meter = {}, name = 'Calls' }: any = {}): Promise<AlertShop> {
  const shop = await openFeatureShop(app);
  await setMail(shop, { testRecipient: `${shop.alias}@example.com`, ...mail });
  const meterId = await shop.meter({ groupBy: [], ...meter });
  const feature$ = await shop.feature('limit', { name, meterId, alertPercents: [50, 80, 100] });
  const plan$ = await shop.plan(20, { name: 'Plan' });
  await shop.attach(plan$, feature$, '1000');
  await shop.order(plan$);
  await receive(shop);
  return { ...shop, feature$, plan$ };
}

const setMail = ({ client }: FeatureShop, mail: object) =>
  client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
    input: { mail },
  });

/** Performs due work and sends the mails that are due. Returns the subjects and the facts of those that arrived. */
async function receive({
  alias,
}: Pick<FeatureShop, 'alias'>): Promise<{ subject: string; facts: string[] }[]> {
  await work();
  await app.service.mailer.sendDue(app.service, alias);
  const found = server.mails.filter(({ to }: any) => to.text === `${alias}@example.com`);
  for (const mail of found) server.mails.splice(server.mails.indexOf(mail), 1);
  return found.map(({ subject, text }) => ({
    subject: subject!.replace('[Test] ', ''),
    facts: text!.split('\n').filter((line) => /^[A-Z][\w ]+: \S/.test(line) && !line.startsWith('Or ')),
  }));
}

const listSubjects = async (shop: AlertShop) => (await receive(shop)).map(({ subject }) => subject);
const reached = (percent: number) => `You have reached ${percent}% of your limit of Calls`;

const readLog = async ({ client }: FeatureShop) =>
  (
    await client.graphql(
      `{ mailDeliveries(first: 50, kind: usage_alert) { nodes {
        status subject attempts { error } customer { id } message { subject text } } } }`,
    )
  ).mailDeliveries.nodes;

describe('the mail of a limit', () => {
  it('says what is used, once for each share, and the highest of several at once', async () => {
    const shop = await open();
    await shop.use(['2026-01-01', '499.5']);
    expect(await receive(shop)).toEqual([]);
    await shop.use(['2026-01-01', '0.75']);
    expect(await receive(shop)).toEqual([
      {
        subject: reached(50),
        facts: [
          'Limit of: Calls',
          'Share of the limit: 50%',
          'Used: 500.25',
          'Limit: 1,000',
          'Counts anew on: 1\u00A0February\u00A02026',
        ],
      },
    ]);
    await shop.use(['2026-01-01', 1500]);
    expect(await listSubjects(shop)).toEqual([reached(100)]);
    await shop.use(['2026-01-01', 1500]);
    expect(await listSubjects(shop)).toEqual([]);
    await shop.advance('2026-02-10');
    await receive(shop);
    await shop.use(['2026-02-10', 800]);
    expect(await listSubjects(shop)).toEqual([reached(80)]);
  });

  it('names no day on which a limit counts anew that never does', async () => {
    const shop = await open({ meter: { persistent: true } });
    await shop.use(['2026-01-01', 500]);
    const [mail] = await receive(shop);
    expect(mail!.facts.at(-1)).toBe('Limit: 1,000');
  });

  it('is sent to each customer of two tenants by themselves', async () => {
    const [one, other] = [await open(), await open()];
    await one.use(['2026-01-01', 500]);
    expect(await listSubjects(other)).toEqual([]);
    expect(await listSubjects(one)).toEqual([reached(50)]);
    const second = await one.shop.customer();
    await one.override(one.feature$, '10', { customerId: second.id });
    await one.consume(one.feature$, 9, { customerId: second.id });
    await one.use(['2026-01-01', 300]);
    expect(await listSubjects(one)).toEqual([reached(80), reached(80)]);
    const customers = (await readLog(one)).map(({ customer }: any) => customer.id);
    expect(customers).toHaveLength(3);
    expect(new Set(customers)).toEqual(new Set([one.customer.id, second.id]));
  });

  it('is sent once beside 30 recordings and 4 schedulers at a time', async () => {
    const shop = await open();
    await Promise.all([
      ...Array.from({ length: 30 }, () => shop.use(['2026-01-01', 50])),
      ...Array.from({ length: 4 }, work),
    ]);
    const subjects = await listSubjects(shop);
    expect(subjects.at(-1)).toBe(reached(100));
    expect(new Set(subjects).size).toBe(subjects.length);
  });

  it('is shown as it was received, also when the period is over', async () => {
    const shop = await open();
    await shop.use(['2026-01-01', 500]);
    const subject = (await listSubjects(shop))[0]!;
    await shop.advance('2026-03-10');
    const [mail] = await readLog(shop);
    expect(mail).toMatchObject({ status: 'sent', message: { subject: `[Test] ${subject}` } });
    expect(mail.message.text).toContain('Used: 500');
  });

  it('is dropped if its period is over before it could be sent', async () => {
    const shop = await open();
    await shop.use(['2026-01-01', 500]);
    await work();
    await shop.advance('2026-02-10');
    expect(await listSubjects(shop)).not.toContain(reached(50));
    expect(await readLog(shop)).toMatchObject([
      { status: 'cancelled', attempts: [{ error: 'no_longer_needed' }] },
    ]);
  });

  it.each([
    ['a header', 'Calls\u2028Bcc: eve@example.com'],
    ['markup', '<img src=x onerror=alert(1)>'],
    ['placeholders', '{usage.used} {customer.lastName}'],
  ])('takes no %s from the name of a feature', async (_, name) => {
    const shop = await open({ name });
    await shop.use(['2026-01-01', 500]);
    await work();
    await app.service.mailer.sendDue(app.service, shop.alias);
    const mail = server.mails.find(({ to }: any) => to.text === `${shop.alias}@example.com`)!;
    expect(mail.headers.has('bcc')).toBe(false);
    expect(mail.html).not.toContain('<img src=x');
    if (name.startsWith('{')) expect(mail.text).toContain(`your limit of ${name}`);
  });
});

describe('the switch', () => {
  const alerts = ['usage_alert', 'spend_alert', 'credit_alert'];
  const readSent = async ({ client }: FeatureShop): Promise<string[]> =>
    (await client.graphql('{ tenant { mail { sentKinds } } }')).tenant.mail.sentKinds;

  it('is on for a new tenant', async () => {
    expect(await readSent(await openFeatureShop(app))).toEqual(expect.arrayContaining(alerts));
  });

  it('is off for a tenant of a release without the kinds, whose events go on', async () => {
    const shop = await open({ mail: { enabledKinds: ['refund', 'credit_note'] } });
    expect((await readSent(shop)).filter((kind) => alerts.includes(kind))).toEqual([]);
    await shop.use(['2026-01-01', 500]);
    expect(await receive(shop)).toEqual([]);
    const { traces } = await shop.client.graphql(
      '{ traces(activityType: CustomerEvent, first: 100) { nodes { event { type } } } }',
    );
    expect(traces.nodes.map(({ event }: any) => event.type)).toContain('CustomerEvent.usage_alert');
    await setMail(shop, { enabledKinds: ['usage_alert'] });
    await shop.use(['2026-01-01', 300]);
    expect(await listSubjects(shop)).toEqual([reached(80)]);
  });
});

describe('the mail of an amount', () => {
  it('says what usage has cost, once for each amount, and the highest of several at once', async () => {
    const shop = await open();
    const meterId = await shop.meter({ event: 'call', groupBy: [] });
    const details = { amount: 0.5, currency: 'afn' };
    const price = await shop.plan(0, { name: 'Calls', price: { details, meterId } });
    const id = await shop.order(price);
    await shop.client.graphql(
      'mutation ($id: ID!, $input: UpdateSubscriptionInput!) { updateSubscription(id: $id, input: $input) { id } }',
      { id, input: { spendAlerts: [10, 20, 30].map((amount) => ({ amount, currency: 'afn' })) } },
    );
    await receive(shop);
    const use = async (units: string) => {
      const event = {
        id: `call-${units}`,
        event: 'call',
        customerId: shop.customer.id,
        properties: { units },
      };
      const { recordUsage } = await shop.client.graphql(
        'mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { accepted } }',
        { input: { events: [event] } },
      );
      expect(recordUsage.accepted).toBe(1);
    };
    await use('50.5');
    expect(await receive(shop)).toEqual([
      {
        subject: 'Your usage of Calls has reached AFN\u00A020.00',
        facts: [
          'Subscription: Calls',
          'Reached: AFN\u00A020.00',
          'Usage so far: AFN\u00A025.25',
          'Counts anew on: 1\u00A0February\u00A02026',
        ],
      },
    ]);
    await use('100');
    expect(await listSubjects(shop)).toEqual(['Your usage of Calls has reached AFN\u00A030.00']);
  });
});

describe('the mail of a credit grant', () => {
  const grant = async ({ client, customer }: AlertShop, fields: object): Promise<string> => {
    const input = { customerId: customer.id, name: 'Prepaid', category: 'promotional', ...fields };
    const { createCreditGrant } = await client.graphql(
      'mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }',
      { input },
    );
    return createCreditGrant.id;
  };
  const afn = (decimal: string) => ({ decimal, currency: 'afn' });
  const bill = ({ client, customer }: AlertShop, amount: string) =>
    client.graphql('mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }', {
      input: {
        customerId: customer.id,
        items: [{ description: 'Work', amount: afn(amount) }],
        collect: 'send_invoice',
      },
    });
  const left = (amount: string) => `Your credit at Acme: AFN\u00A0${amount} left`;
  const findAlerts = async (shop: AlertShop) =>
    (await receive(shop)).filter(({ subject }) => subject.startsWith('Your credit'));

  it('says what is left, once for each share, and the highest of several at once', async () => {
    const shop = await open();
    await shop.client.graphql('mutation { updateTenant(input: { name: "Acme" }) { alias } }');
    await grant(shop, { amount: afn('100'), expiresAt: '2026-06-01' });
    await bill(shop, '49');
    expect(await findAlerts(shop)).toEqual([]);
    await bill(shop, '6');
    expect(await findAlerts(shop)).toEqual([
      {
        subject: left('45.00'),
        facts: [
          'Credit: Prepaid',
          'Amount: AFN\u00A0100.00',
          'Left: AFN\u00A045.00',
          'Valid until: 1\u00A0June\u00A02026',
        ],
      },
    ]);
    await bill(shop, '60');
    expect((await findAlerts(shop)).map(({ subject }) => subject)).toEqual([left('0.00')]);
    await bill(shop, '60');
    expect(await findAlerts(shop)).toEqual([]);
  });
});

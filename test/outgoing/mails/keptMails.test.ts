/** The mails that a test tenant keeps for the console: who sees what of them, and that nobody receives them. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildDocuments } from '../../documents/pdfFile.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { startMailServer, type MailServer } from '../../support/mailServer.ts';
import { signInOperator } from '../../support/operators.ts';
import { openPortalBrowser } from '../../support/portal.ts';
import { createShop } from '../../support/shop.ts';

const publicUrl = 'http://pay.test';
const hidden = '••••••••';
const list = `{ mailDeliveries { nodes { id kind recipient status attempts { response error }
  message { subject html text attachments { fileName invoiceId creditNoteId } } } } }`;

let server: MailServer;
let app: TestApp;
let unserved: TestApp;
beforeAll(async () => {
  buildDocuments();
  server = await startMailServer();
  const settings = { publicUrl, rateLimitPerSecond: '100000', testMails: 'on' };
  app = await startApp({ ...settings, smtpUrl: server.url, mailFrom: 'billing@sender.example' });
  unserved = await startApp(settings);
});
afterAll(async () => {
  await Promise.all([app.close(), unserved.close()]);
  await server.close();
});

const open = async (on: TestApp, alias: string, test = true) => {
  const client = await on.tenant({ alias, test });
  const shop = createShop(client, alias);
  return { client, shop, customer: await shop.customer() };
};
const send = (on: TestApp, alias: string) => on.service.mailer.sendDue(on.service, alias);
let peer = 0;
/** Asks for a code, and waits until its mail is queued. */
async function askForCode(on: TestApp, alias: string) {
  const browser = openPortalBrowser(on, publicUrl);
  await browser.post(`/portal/${alias}/sign-in`, { email: 'ada@example.com' }, {}, `10.0.0.${++peer}`);
  await vi.waitFor(async () => {
    const where = { tenantAlias: alias, kind: 'portal_code' };
    expect(await on.service.store.fresh.select('mailDeliveries', { where })).not.toEqual([]);
  }, 10_000);
  return browser;
}

it.each([
  ['without a mail server', () => unserved],
  ['without a test recipient', () => app],
])('are kept %s, whole, and open the portal', async (name, find) => {
  const on = find();
  const alias = name.includes('server') ? 'kept' : 'kept-too';
  const { client, shop, customer } = await open(on, alias);
  const { price } = await shop.product();
  await shop.subscribe(customer, price);
  const browser = await askForCode(on, alias);
  await send(on, alias);
  expect(server.mails).toEqual([]);
  const { nodes } = (await client.graphql(list)).mailDeliveries;
  expect(nodes.map(({ kind, status, recipient }: any) => [kind, status, recipient])).toEqual([
    ['portal_code', 'sent', 'ada@example.com'],
    ['receipt', 'sent', 'ada@example.com'],
  ]);
  const [code, receipt] = nodes;
  expect(receipt.attempts[0].response).toMatch(/^Kept for the console/);
  expect(receipt.message.attachments).toEqual([
    {
      fileName: expect.stringMatching(/\.pdf$/),
      invoiceId: expect.stringMatching(/^inv_/),
      creditNoteId: null,
    },
  ]);
  const [link] = receipt.message.text.match(/http:\/\/pay\.test\/portal\/\S+/) ?? [];
  expect((await browser.get(link.slice(publicUrl.length))).status).toBe(200);
  const [digits] = code.message.text.match(/\b\d{8}\b/) ?? [];
  expect(code.message.text).not.toContain(hidden);
  const entered = await browser.post(`/portal/${alias}/code`, { email: 'ada@example.com', code: digits });
  expect(entered.status).toBe(303);
});

it('shows codes and links to those alone who may sign in as customers', async () => {
  const { client } = await open(app, 'roles');
  await askForCode(app, 'roles');
  await send(app, 'roles');
  const messages = async (post: (query: string) => Promise<any>) =>
    (await post(list)).body.data.mailDeliveries.nodes.map(({ message }: any) => message.text).join();
  const sees = async (role: 'owner' | 'admin' | 'finance' | 'support' | 'viewer') => {
    const operator = await signInOperator(app, { role, tenant: 'roles' });
    return /\b\d{8}\b/.test(await messages((query) => operator.post(query)));
  };
  for (const role of ['owner', 'admin', 'finance', 'support'] as const) expect(await sees(role)).toBe(true);
  expect(await sees('viewer')).toBe(false);
  const reader = await app.key('roles', 'read');
  expect(await messages((query) => reader.post(query))).toContain(hidden);
  expect(await messages((query) => client.post(query))).not.toContain(hidden);
  const foreign = await open(app, 'foreign');
  expect((await foreign.client.graphql(list)).mailDeliveries.nodes).toEqual([]);
});

it('are not for live tenants: their codes are hidden from everybody, and forgotten', async () => {
  const { client } = await open(app, 'live', false);
  await askForCode(app, 'live');
  await send(app, 'live');
  expect(server.mails.splice(0)).toHaveLength(1);
  const [{ message }] = (await client.graphql(list)).mailDeliveries.nodes;
  expect(message.text).toContain(hidden);
  expect(message.text).not.toMatch(/\b\d{8}\b/);
  const [row] = await app.service.store.fresh.select('mailDeliveries', { where: { tenantAlias: 'live' } });
  expect(Object.keys(row!.data)).toEqual([]);
  const none = await open(unserved, 'live', false);
  await none.shop.subscribe(none.customer, (await none.shop.product()).price).catch(() => undefined);
  expect((await none.client.graphql(list)).mailDeliveries.nodes).toEqual([]);
});

it('never leave, even if the tenant gets a recipient before they are finished', async () => {
  const { client, shop, customer } = await open(app, 'later');
  await shop.subscribe(customer, (await shop.product()).price);
  await client.graphql(
    'mutation { updateTenant(input: { mail: { testRecipient: "dev@example.com" } }) { alias } }',
  );
  await send(app, 'later');
  expect(server.mails).toEqual([]);
  const [{ id }] = (await client.graphql(list)).mailDeliveries.nodes;
  await client.graphql('mutation ($id: ID!) { resendMail(id: $id) { id } }', { id });
  await send(app, 'later');
  expect(server.mails).toEqual([]);
  await shop.subscribe(await shop.customer(), (await shop.product({ name: 'Other' })).price);
  await send(app, 'later');
  expect(server.mails.splice(0).map(({ to }: any) => to.text)).toEqual(['dev@example.com']);
});

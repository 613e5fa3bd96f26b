/** Signing in by a code: the same for every address, few attempts, and one use. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { openPortalBrowser, setPortal, wordsOf } from '../../support/portal.ts';
import { startMailServer, type MailServer } from '../../support/mailServer.ts';
import { createShop, type Shop } from '../../support/shop.ts';

const origin = 'http://pay.test';

let app: TestApp;
let server: MailServer;
let clock: TestClock;
let client: Client;
let shop: Shop;

beforeAll(async () => {
  clock = stoppedClock('2026-01-31T10:00:00.000Z');
  server = await startMailServer();
  app = await startApp(
    {
      publicUrl: origin,
      rateLimitPerSecond: '100000',
      smtpUrl: server.url,
      mailFrom: 'billing@sender.example',
    },
    { clock },
  );
  client = await app.tenant({ alias: 'acme', name: 'Acme', test: false });
  shop = createShop(client, 'acme');
});
afterAll(async () => {
  await app.close();
  await server.close();
});

let made = 0;
const newAddress = () => `person-${++made}@example.org`;
let peer = 0;

const listMails = (email: string) => server.mails.filter(({ to }: any) => to.text === email);

/** Asks for a code from an IP address of its own. */
async function request(email: string, alias = 'acme') {
  const browser = openPortalBrowser(app, origin);
  const remote = `10.0.${Math.floor(++peer / 250)}.${peer % 250}`;
  return { browser, answer: await browser.post(`/portal/${alias}/sign-in`, { email }, {}, remote) };
}

/** Asks for a code and waits until its mail has arrived. Returns the browser, the mail and the code in it. */
async function ask(typed: string) {
  const email = typed.trim().toLowerCase();
  const before = listMails(email).length;
  const { browser, answer } = await request(typed);
  await vi.waitFor(async () => {
    await app.service.mailer.sendDue(app.service, 'acme');
    expect(listMails(email).length).toBeGreaterThan(before);
  }, 10_000);
  const mail = listMails(email).at(-1)!;
  const code = /\b\d{8}\b/.exec(mail.text!)![0];
  return { browser, answer, code, mail };
}

/** Waits until every earlier request for a code was worked on: a tenant's units of work run in order. */
async function settle() {
  const email = newAddress();
  await shop.customer({ email });
  await ask(email);
}

const enter = (browser: ReturnType<typeof openPortalBrowser>, email: string, code: string, alias = 'acme') =>
  browser.post(`/portal/${alias}/code`, { email, code }, {}, `10.1.0.${++peer % 250}`);

describe('a code', () => {
  it('signs in once, also with spaces and another case of the address', async () => {
    const email = newAddress();
    const { id } = await shop.customer({ email });
    await client.graphql('mutation ($id: ID!) { updateCustomer(id: $id, input: { locale: "de" }) { id } }', {
      id,
    });
    const { browser, code, mail } = await ask(` ${email.toUpperCase()} `);
    expect(mail.html).toContain('lang="de"');
    const dump = await app.backdoor.dump('acme');
    expect(dump).not.toContain(code);
    const done = await enter(browser, email, `${code.slice(0, 4)} ${code.slice(4)}`);
    expect([done.status, done.headers['location']]).toEqual([303, '/portal/acme']);
    expect(wordsOf((await browser.follow(done)).text)).toContain('Abonnements');
    const again = await enter(openPortalBrowser(app, origin), email, code);
    expect(again.status).toBe(403);
  });

  it('has the same page for an address that nobody has', async () => {
    const email = newAddress();
    await shop.customer({ email });
    const [known, unknown] = [await ask(email), await request('nobody@example.org')];
    const strip = (text: string, address: string) => text.replaceAll(address, 'x');
    expect(strip(unknown.answer.text, 'nobody@example.org')).toBe(strip(known.answer.text, email));
    const wrong = await enter(unknown.browser, 'nobody@example.org', '12345678');
    const alsoWrong = await enter(known.browser, email, known.code === '12345678' ? '12345679' : '12345678');
    expect([wrong.status, strip(wrong.text, 'nobody@example.org')]).toEqual([
      403,
      strip(alsoWrong.text, email),
    ]);
  });

  it.each([
    ['after ten minutes', async () => void clock.advance(600_000)],
    [
      'after five wrong attempts',
      async (email: string, code: string) => {
        for (let index = 1; index <= 5; index++) {
          const guess = String((Number(code) + index) % 1e8).padStart(8, '0');
          expect((await enter(openPortalBrowser(app, origin), email, guess)).status).toBe(403);
        }
      },
    ],
    ['after a newer one', async (email: string) => void (await ask(email))],
  ])('is refused %s', async (_, spoil) => {
    const email = newAddress();
    await shop.customer({ email });
    const { browser, code } = await ask(email);
    await spoil(email, code);
    expect((await enter(browser, email, code)).status).toBe(403);
    expect(browser.cookie).toBe('');
  });

  it('has one winner of fifty at once', async () => {
    const email = newAddress();
    await shop.customer({ email });
    const { code } = await ask(email);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        openPortalBrowser(app, origin).post('/portal/acme/code', { email, code }, {}, `10.2.0.${index}`),
      ),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  it('is sent to an address at most five times in an hour', async () => {
    const email = newAddress();
    await shop.customer({ email });
    for (let index = 0; index < 5; index++) await ask(email);
    expect((await request(email)).answer.status).toBe(200);
    await settle();
    expect(listMails(email)).toHaveLength(5);
    clock.advance(3_600_001);
    await ask(email);
    expect(listMails(email)).toHaveLength(6);
  });

  it('is asked for by an IP address at most twenty times in ten minutes', async () => {
    const browser = openPortalBrowser(app, origin);
    const statuses: number[] = [];
    for (let index = 0; index < 21; index++)
      statuses.push(
        (await browser.post('/portal/acme/sign-in', { email: 'a@b.example' }, {}, '10.4.0.1')).status,
      );
    expect(statuses.lastIndexOf(200)).toBe(19);
    expect(statuses.at(-1)).toBe(429);
  });

  it.each(['', 'no address', `${'x'.repeat(300)}@example.org`, '<b>@example.org'])(
    'for %s sends nothing',
    async (email) => {
      const before = server.attempts.length;
      const { answer } = await request(email);
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain('<b>');
      await settle();
      expect(server.attempts).toHaveLength(before + 1);
    },
  );

  it('of one of several customers with the address lets choose among them, and nobody else', async () => {
    const email = newAddress();
    const [first, second] = [
      await shop.customer({ email, firstName: 'One' }),
      await shop.customer({ email, firstName: 'Two' }),
    ];
    const stranger = await shop.customer({ email: newAddress(), firstName: 'Mallory' });
    const { browser, code } = await ask(email);
    const done = await enter(browser, email, code);
    expect(done.headers['location']).toBe('/portal/acme/accounts');
    const page = await browser.follow(done);
    for (const name of ['One', 'Two']) expect(wordsOf(page.text)).toContain(name);
    expect(page.text).not.toContain('Mallory');
    const { cookie } = browser;
    expect((await browser.submit(`/accounts/${first.id}`)).status).toBe(303);
    expect(browser.cookie).not.toBe(cookie);
    await browser.get('/portal/acme/accounts');
    const { token } = browser.fields(`/accounts/${second.id}`);
    expect((await browser.post(`/portal/acme/accounts/${stranger.id}`, { token: token! })).status).toBe(403);
  });

  it('is neither sent nor accepted if it is switched off', async () => {
    const email = newAddress();
    await shop.customer({ email });
    await setPortal(client, { signInByCode: false });
    const browser = openPortalBrowser(app, origin);
    expect(wordsOf((await browser.get('/portal/acme')).text)).toContain('from the site where you subscribed');
    for (const path of ['sign-in', 'code'])
      expect((await browser.post(`/portal/acme/${path}`, { email, code: '1' }, {}, '10.5.0.1')).status).toBe(
        404,
      );
    await setPortal(client, { signInByCode: true });
  });

  it('of a test tenant goes to its test recipient only', async () => {
    const test = await app.tenant({ alias: 'trying', name: 'Acme', test: true });
    const email = newAddress();
    await createShop(test, 'trying').customer({ email });
    expect((await request(email, 'trying')).answer.status).toBe(404);
    await test.graphql(
      'mutation { updateTenant(input: { mail: { testRecipient: "dev@example.com" } }) { alias } }',
    );
    const { browser, answer } = await request(email, 'trying');
    expect(answer.status).toBe(200);
    await vi.waitFor(async () => {
      await app.service.mailer.sendDue(app.service, 'trying');
      expect(listMails('dev@example.com')).toHaveLength(1);
    }, 10_000);
    const [mail] = listMails('dev@example.com');
    expect((await enter(browser, email, /\b\d{8}\b/.exec(mail!.text!)![0], 'trying')).status).toBe(303);
    expect(listMails(email)).toEqual([]);
  });
});

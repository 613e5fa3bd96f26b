/** The examples, installed with the packed SDK, beside a server with a test tenant, in a real browser. */
import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectBrowser, expectReadable } from '../support/browser.ts';
import { freePort } from '../support/ports.ts';
import { build, program } from '../support/program.ts';
import { importSdk } from '../support/sdk.ts';
import { root } from '../sourceFiles.ts';
import { installExample, type Example } from './example.ts';

const { startPerennial } = await importSdk('testing');
const installMs = 600_000;

/** The folder of the Node.js that the executable has: the tools of the examples need a recent one. */
let bin: string;
beforeAll(() => {
  build();
  bin = execFileSync(process.execPath, ['scripts/build/runtime.mjs'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
}, installMs);

/** Pays on the payment page by the test card that succeeds. */
async function pay(page: Page) {
  await page.getByRole('button', { name: 'Pay $' }).click();
}

describe('nextjs', () => {
  let billing: any;
  let example: Example;
  let site: string;
  beforeAll(async () => {
    const port = await freePort();
    site = `http://localhost:${port}`;
    billing = await startPerennial({ program });
    example = await installExample('nextjs', '.env', bin);
    const settings = {
      BILLING_URL: billing.url,
      API_KEY: billing.key,
      SITE_URL: site,
      SESSION_SECRET: 'a'.repeat(64),
      DATABASE_URL: 'file:app.db',
    };
    example.writeSettings(settings);
    const [, secret] = /^WEBHOOK_SECRET=(\S+)$/m.exec(await example.runScript('setup'))!;
    example.writeSettings({ ...settings, WEBHOOK_SECRET: secret! });
    await example.runScript('build');
    await example.start('next', ['start', '--port', String(port)], /Ready in/);
  }, installMs);
  afterAll(async () => {
    await example?.stop();
    await billing?.stop();
  });

  it('sells a plan, counts what it allows, and follows a change of plan', async () => {
    const page = await (await connectBrowser()).newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    try {
      await page.goto(site);
      await page.getByRole('heading', { name: 'Reader' }).waitFor();
      expect(await page.getByRole('main').innerText()).toContain('$9.00 monthly');
      await expectReadable(page, 'example-pricing');

      await page.getByRole('button', { name: 'Choose Reader' }).click();
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByLabel('First name').fill('Ada');
      await page.getByLabel('Last name').fill('Lovelace');
      await expectReadable(page, 'example-sign-in');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'ada@example.com' }).waitFor();

      const summarize = async (expected: string) => {
        await page.getByLabel('Text').fill('One is first. Two is next. Three is left out.');
        await page.getByRole('button', { name: 'Summarize' }).click();
        await page.getByText(expected).waitFor();
      };
      await page.getByRole('link', { name: 'Summaries' }).click();
      await summarize('You have no plan yet.');

      await page.getByRole('link', { name: 'See the plans' }).click();
      await page.getByRole('button', { name: 'Choose Reader' }).click();
      await pay(page);
      await page.waitForURL(`${site}/summaries**`);
      await billing.waitForWebhook('subscription.created');
      await expect
        .poll(async () => (await page.reload(), page.getByRole('main').innerText()))
        .toContain('Your plan: Reader');
      for (const left of [2, 1, 0]) await summarize(`${left} left in this period`);
      await page.getByText('One is first. Two is next.', { exact: true }).waitFor();
      await summarize('Your plan has no summaries left in this period.');
      await expectReadable(page, 'example-summaries');

      await page.getByRole('link', { name: 'ada@example.com' }).click();
      await page.getByText('3 of 3 used').waitFor();
      await page.getByRole('button', { name: 'Choose Library' }).click();
      await page.getByText('You pay $').waitFor();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('3 of 1000 used').waitFor();
      await expectReadable(page, 'example-account');
      await page.goto(`${site}/summaries`);
      await expect
        .poll(async () => (await page.reload(), page.getByRole('main').innerText()))
        .toContain('Your plan: Library');

      await page.goto(`${site}/account`);
      await page.getByRole('button', { name: 'Invoices and payment methods' }).click();
      await page.waitForURL(/\/portal\//);
      expect(problems).toEqual([]);
      const customers = await billing.client.customers.list().first(10);
      expect(customers.map(({ email }: any) => email)).toEqual(['ada@example.com']);
    } finally {
      await page.close();
    }
  });

  it('refuses a session without a user, and a message that is not signed', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(`${site}/api/perennial`, { method: 'POST', headers, body: '{}' }).then(({ status }) => status);
    expect(await post({})).toBe(401);
    expect(await post({ cookie: 'user=eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.' })).toBe(401);
    expect(await post({ 'webhook-signature': 'v1,AAAA', 'webhook-id': '1', 'webhook-timestamp': '1' })).toBe(
      400,
    );
  });
});

describe('hono-worker', () => {
  let billing: any;
  let example: Example;
  let worker: string;
  beforeAll(async () => {
    const port = await freePort();
    worker = `http://localhost:${port}`;
    billing = await startPerennial({ program });
    example = await installExample('hono-worker', '.dev.vars', bin);
    const settings = { BILLING_URL: billing.url, API_KEY: billing.key, WORKER_URL: worker };
    example.writeSettings(settings);
    const [, secret] = /^WEBHOOK_SECRET=(\S+)$/m.exec(await example.runScript('setup'))!;
    example.writeSettings({ ...settings, WEBHOOK_SECRET: secret! });
    await example.runScript('check');
    await example.start('wrangler', ['dev', '--port', String(port), '--inspector-port', '0'], /Ready on/);
  }, installMs);
  afterAll(async () => {
    await example?.stop();
    await billing?.stop();
  });

  const call = async (target: string, body: string | undefined, key?: string) => {
    const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
    const method = body === undefined ? 'GET' : 'POST';
    const response = await fetch(`${worker}${target}`, { method, headers, body });
    return { status: response.status, body: (await response.json()) as any };
  };

  it('sells words, reserves what a text may have, and refuses what is too much', async () => {
    const person = { email: 'bob@example.com', firstName: 'Bob', lastName: 'Ray' };
    const { status, body } = await call('/signup', JSON.stringify(person));
    expect(status).toBe(201);
    const { key, paymentUrl } = body;
    expect(await call('/count', 'one two', key)).toMatchObject({
      status: 402,
      body: { reason: 'entitlement_exceeded' },
    });

    const page = await (await connectBrowser()).newPage();
    await page.goto(paymentUrl);
    await pay(page);
    await page.getByText('Thank you. Your key works now.').waitFor();
    await page.close();

    await expect.poll(async () => (await call('/usage', undefined, key)).body.plan).toBe('Words');
    const texts = Array.from({ length: 20 }, () => 'one two three');
    const counted = await Promise.all(texts.map((text) => call('/count', text, key)));
    expect(counted.filter(({ status: each }) => each === 200).length).toBeGreaterThan(10);
    const done = counted.filter(({ status: each }) => each === 200);
    expect(done.map((each) => each.body)).toEqual(done.map(() => ({ words: 3 })));
    const used = done.length * 3;
    expect((await call('/usage', undefined, key)).body).toMatchObject({ used: String(used), limit: '100' });
    expect(await call('/count', 'a '.repeat(150), key)).toMatchObject({ status: 402 });
    expect((await call('/usage', undefined, key)).body.used).toBe(String(used));
  });

  it('refuses unknown keys, and says what is wrong with a customer', async () => {
    expect((await call('/count', 'one', 'words_1')).status).toBe(401);
    expect((await call('/perennial', '{}', 'words_1')).status).toBe(401);
    const { status, body } = await call('/signup', '{"email":"nobody","firstName":"A","lastName":"B"}');
    expect({ status, ...body }).toMatchObject({
      status: 400,
      reason: 'validation_failed',
      error: expect.stringContaining('email'),
    });
  });
});

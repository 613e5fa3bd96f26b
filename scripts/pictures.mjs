// `npm run pictures -- [FOLDER] [--widths 360,1280,3840] [--languages en,fa] [--schemes light,dark] [--screens home,…]`: takes a
// picture of every screen of the console, with the demo's two years, and says which are wider than their window. With
// `--documents` it renews the picture of the README instead.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import packaged from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { ensureBuilt, program, root } from './setup.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    widths: { type: 'string', default: '360,1280,3840' },
    languages: { type: 'string', default: 'en,fa' },
    schemes: { type: 'string', default: 'light,dark' },
    screens: { type: 'string' },
    port: { type: 'string', default: '4017' },
    documents: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: false },
  },
});
if (values.documents)
  Object.assign(values, { widths: '1280', languages: 'en', schemes: 'light', screens: 'home' });
const folder = values.documents
  ? path.join(root, 'docs/pictures')
  : (positionals[0] ?? path.join(tmpdir(), 'perennial-screens'));
const heights = { 360: 780, 1280: 900, 3840: 2160 };
const tenant = 'demo';

ensureBuilt();
mkdirSync(folder, { recursive: true });
const base = `http://localhost:${values.port}`;
const data = mkdtempSync(path.join(tmpdir(), 'perennial-pictures-'));
const env = {
  ...process.env,
  PERENNIAL_DATABASE: `sqlite:${path.join(data, 'demo.db')}`,
  PERENNIAL_PUBLIC_URL: base,
};
const server = spawn(
  process.execPath,
  [program, 'serve', '--demo', '--host', 'localhost', '--port', values.port],
  { env, stdio: ['ignore', 'pipe', 2] },
);
await new Promise((resolve) =>
  server.stdout.on('data', (chunk) => String(chunk).includes('Server listening at') && resolve()),
);
const call = (...args) =>
  JSON.parse(execFileSync(process.execPath, [program, ...args, '--json'], { env, encoding: 'utf8' }));
const { url: link } = call('operator', 'create', 'owner@example.com');

const browser = await chromium.launch({
  executablePath: await packaged.executablePath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const first = await browser.newContext({ locale: 'en' });
const page = await first.newPage();
await page.goto(link);
await page.getByRole('button', { name: 'Open the console with this link' }).click();
await page.getByRole('button', { name: 'Not now' }).click();
await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();

/** The first record of a list, by the link of its first row. */
async function findFirst(list) {
  await page.goto(`${base}/console/t/${tenant}${list}`);
  await page.locator('[data-row] a, tbody a').first().waitFor({ timeout: 15_000 });
  const address = await page.locator('[data-row] a, tbody a').first().getAttribute('href');
  return address.replace(`/console/t/${tenant}`, '');
}
const lists = [
  'customers',
  'subscriptions',
  'invoices',
  'catalog',
  'meters',
  'coupons',
  'events',
  'webhooks',
  'mails',
];
const places = {
  home: '/',
  ...Object.fromEntries(
    [...lists, 'payments', 'keys', 'clock', 'account', 'new-tenant'].map((name) => [name, `/${name}`]),
  ),
  ...Object.fromEntries(
    ['', 'revenue', 'retention', 'cohorts', 'trials', 'payments', 'forecast', 'changes', 'tax'].map((tab) => [
      `reports-${tab || 'mrr'}`,
      `/reports?tab=${tab}`,
    ]),
  ),
  orders: '/subscriptions?tab=orders',
  'credit-notes': '/invoices?tab=credit-notes',
  groups: '/catalog?tab=groups',
  unknown: '/nothing/here',
  ...Object.fromEntries(
    ['all', 'refunds', 'disputes'].map((tab) => [`payments-${tab}`, `/payments?tab=${tab}`]),
  ),
  ...Object.fromEntries(
    [
      'business',
      'branding',
      'operators',
      'dunning',
      'portal',
      'policies',
      'taxes',
      'numbers',
      'mail',
      'providers',
      'pages',
      'texts?part=text',
      'tests',
    ].map((part) => [`settings-${part.replace(/\W.*/, '')}`, `/settings/${part}`]),
  ),
};
for (const list of lists) places[`${list}-one`] = await findFirst(`/${list}`).catch(() => undefined);
if (places['catalog-one']) places['new-price'] = `${places['catalog-one']}/prices/new`;
const storageState = await first.storageState();
await first.close();

const chosen = Object.entries(places).filter(
  ([name, place]) => place && (!values.screens || values.screens.split(',').includes(name)),
);
for (const width of values.widths.split(',').map(Number))
  for (const locale of values.languages.split(','))
    for (const colorScheme of values.schemes.split(',')) {
      const viewport = { width, height: heights[width] ?? 860 };
      const context = await browser.newContext({ storageState, viewport, locale, colorScheme });
      const tab = await context.newPage();
      for (const [name, place] of chosen) {
        const isOwn = name === 'account' || name === 'new-tenant';
        const start = isOwn ? '/console' : `/console/t/${tenant}`;
        await tab.goto(base + start + place);
        await tab.locator('h1, .empty h2').first().waitFor();
        await tab.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
        await tab.locator('.skeleton, .home-wait').last().waitFor({ state: 'detached', timeout: 20_000 });
        await tab.waitForTimeout(300);
        const picture = values.documents
          ? `console-${name}.png`
          : `${name}-${width}-${locale}-${colorScheme}.png`;
        await tab.screenshot({ path: path.join(folder, picture), fullPage: values.whole });
        const wide = await tab.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (wide > 0) console.log(`${picture}: ${wide} pixels wider than the window`);
      }
      await context.close();
    }
await browser.close();
server.kill();
console.log(`${chosen.length} screens in ${folder}`);

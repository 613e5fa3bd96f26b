// `npm run walk -- perennial-0.9.0.tgz`, or an executable: walks through the first hour of the packed product in Chromium, from
// nothing to the first paid invoice, and says how long it took, with how many clicks and fields. A package is installed from the
// registry into an empty folder first.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import packaged from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

const [file] = process.argv.slice(2);
if (!file) {
  console.error('Usage: npm run walk -- PACKAGE.tgz, or an executable');
  process.exit(1);
}
const folder = mkdtempSync(path.join(tmpdir(), 'perennial-walk-'));
const counted = { clicks: 0, fields: 0 };
const begunAt = performance.now();
let server, browser;
try {
  const [command, ...args] = placeProduct();
  report('the product is in an empty folder');
  server = spawn(command, [...args, 'serve', '--port', '0'], { cwd: folder, stdio: ['ignore', 'pipe', 2] });
  const base = await readAddress(server);
  report(`it serves on ${base}`);
  const created = execFileSync(command, [...args, 'operator', 'create', 'owner@example.com', '--json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  browser = await chromium.launch({
    executablePath: await packaged.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en' });
  const openedAt = performance.now();
  await makeTenant(context, JSON.parse(created).url);
  report(`the first tenant is made: ${counted.clicks} clicks, ${counted.fields} fields`);
  const [clicks, fields] = [counted.clicks, counted.fields];
  await sell(context);
  report(
    `the first invoice is paid: ${counted.clicks - clicks} clicks, ${counted.fields - fields} fields more`,
  );
  const minutes = (performance.now() - openedAt) / 60_000;
  console.log(`From the link to the paid invoice: ${minutes.toFixed(2)} minutes of the browser's own time.`);
} finally {
  await browser?.close();
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the command of the product, alone in the folder. */
function placeProduct() {
  const program = path.join(folder, 'perennial');
  if (!file.endsWith('.tgz')) {
    copyFileSync(file, program);
    return [program];
  }
  writeFileSync(path.join(folder, 'package.json'), '{}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', path.resolve(file)], {
    cwd: folder,
    stdio: 'pipe',
  });
  return [path.join(folder, 'node_modules/.bin/perennial')];
}

function readAddress(child) {
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
    child.stdout.on('data', (chunk) => {
      const [, address] = /Server listening at (http:\/\/[^"\s]+)/.exec(String(chunk)) ?? [];
      if (address) resolve(address);
    });
  });
}

/** Clicks and fills as a person does, and counts. */
function actOn(page) {
  page.setDefaultTimeout(30_000);
  return {
    click: async (name, within = page) => {
      await within.getByRole('button', { name }).or(within.getByRole('link', { name })).first().click();
      counted.clicks += 1;
    },
    fill: async (label, value, within = page) => {
      await within
        .getByRole('textbox', { name: RegExp(`^${label}`) })
        .first()
        .fill(value);
      counted.fields += 1;
    },
  };
}

async function makeTenant(context, link) {
  const page = await context.newPage();
  const { click, fill } = actOn(page);
  await page.goto(link);
  await click('Open the console with this link');
  await click('Not now');
  await fill('Name', 'Acme');
  await click('Create the tenant');
  await page.getByRole('heading', { name: 'Set up' }).waitFor();
}

/** Makes a product, a customer and a sale by the steps of Home, and pays as the customer. */
async function sell(context) {
  const [page] = context.pages();
  const { click, fill } = actOn(page);
  const dialog = () => page.getByRole('dialog').last();
  await click('Add a product');
  await fill('Name', 'Pro', dialog());
  await fill('Amount', '29.90', dialog());
  await click('New product', dialog());
  await click('Add a customer');
  await fill('First name', 'Ada', dialog());
  await fill('Last name', 'Lovelace', dialog());
  await fill('E-mail', 'ada@example.com', dialog());
  await click('New customer', dialog());
  await dialog().getByText('29.90').first().waitFor();
  await click(/^Create/, dialog());
  const opened = context.waitForEvent('page');
  await click('Open the page', dialog());
  const pay = await opened;
  await actOn(pay).click(/Pay|Subscribe/);
  await pay.waitForURL(/\/portal\//);
}

function report(what) {
  console.log(`${((performance.now() - begunAt) / 1000).toFixed(1).padStart(6)} s  ${what}`);
}

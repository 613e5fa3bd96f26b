/** The console's home screen and reports in a real browser: the figures shown are those of the API, readable for all. */
import { text } from 'node:stream/consumers';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import type { Books } from '../support/books.ts';
import { browserStartMs, connectBrowser, expectReadable, stepLimitMs } from '../support/browser.ts';
import { busyTenant } from '../support/busyTenant.ts';
import { listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';
import { askRevenue, listMovements } from '../support/revenue.ts';

/** The clock of the tenant, a day after a charge that failed. */
const now = '2026-08-02T00:00:00.000Z';

let app: TestApp;
let books: Books;
let url: string;
let cookie: { name: string; value: string };
let context: BrowserContext | undefined;
let page: Page;
let problems: string[];

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1' });
  books = await busyTenant(app);
  const plan = await books.plan(12.5);
  await books.subscribe(await books.shop.customer(), plan, 'sandbox_ok_then_declined');
  await books.advance(now);
  await app.tenant({ alias: 'empty', test: true });
  const operator = await signInOperator(app);
  const [name, value] = operator.cookie.split('=');
  cookie = { name: name!, value: value! };
  url = await listen(app);
}, browserStartMs);
afterAll(() => app?.close());
beforeEach(() => {
  problems = [];
});
afterEach(async () => {
  await context?.close();
  expect(problems).toEqual([]);
});

interface Look {
  width?: number;
  colorScheme?: 'light' | 'dark';
  locale?: string;
}

/** Opens a page of a tenant's console as its owner. */
async function open(path: string, look: Look = {}, tenant = books.alias): Promise<void> {
  const { width = 1280, colorScheme = 'light', locale = 'en' } = look;
  const browser = await connectBrowser();
  context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, locale });
  await context.addCookies([{ ...cookie, url }]);
  page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(`${url}/console/t/${tenant}${path}`);
}

/** 1234.5 as the console writes it in English. */
const write = (decimal: string) =>
  new Intl.NumberFormat('en', { minimumFractionDigits: decimal.split('.')[1]?.length ?? 0 })
    .format(Number(decimal))
    .replace('-', '−');

/** The rows of the table of a report, without its header, the newest first. */
const readRows = () =>
  page
    .locator('section:has(h2:text-is("Figures")) tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText.replace(/\s*AFN$/, ''))),
    );

describe('home', () => {
  it('shows what needs a person, with the amount', async () => {
    const { paymentsToRecover } = await books.client.graphql(
      '{ paymentsToRecover(first: 100) { totalCount nodes { amount { decimal } } } }',
    );
    expect(paymentsToRecover.totalCount).toBeGreaterThan(0);
    const total = paymentsToRecover.nodes.reduce(
      (sum: number, { amount }: any) => sum + Number(amount.decimal),
      0,
    );
    await open('/');
    const row = page.getByRole('link', { name: /Payments to recover/ });
    await row.waitFor();
    expect(await row.innerText()).toContain(write(total.toFixed(2)));
    expect((await row.innerText()).split('\n')[0]).toBe(String(paymentsToRecover.totalCount));
    await row.click();
    await page.waitForURL('**/payments');
  });

  it('shows the figures of the last 30 days', async () => {
    const { total } = await askRevenue(books, {
      from: '2026-07-04T00:00:00.000Z',
      until: '2026-08-02T00:00:00.001Z',
      by: 'day',
    });
    await open('/');
    const tiles = page.locator('.home-figure strong');
    await tiles.getByText('AFN').first().waitFor();
    const [mrr, netRevenue, customers] = await tiles.allInnerTexts();
    expect(Number(total.mrrEnd)).toBeGreaterThan(0);
    expect(mrr).toBe(`${write(total.mrrEnd)} AFN`);
    expect(netRevenue).toBe(`${write(total.netRevenue)} AFN`);
    expect(customers).toBe(String(total.activeCustomers));
  });

  it('writes the figures of a chart as a table', async () => {
    const { points } = await askRevenue(books, { from: '2026-01-15T00:00:00.000Z', until: now, by: 'month' });
    await open('/');
    await page.getByRole('button', { name: 'Show the figures: MRR', exact: true }).click();
    const cells = page.getByRole('region', { name: 'MRR', exact: true }).locator('tbody td:last-child');
    const shown = await cells.allInnerTexts();
    expect(shown).toHaveLength(24);
    const last = points.at(-1).mrrEnd;
    expect(shown.at(-1)!.replace(/[^\d.,]/g, '')).toBe(write(last));
  });

  it('shows an event as it happens', async () => {
    await open('/');
    const events = page.locator('.home-events li');
    await events.first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await books.client.graphql('mutation { createGroup(input: { name: "Fresh" }) { id } }');
    await page.locator('.home-events').getByText('Product group Fresh created').waitFor();
    expect(await events.first().innerText()).toContain('Fresh');
  });

  it('leads an empty tenant to its first sale', async () => {
    await open('/', {}, 'empty');
    await page.getByRole('heading', { name: 'Make your first sale by the API' }).waitFor();
    await page.getByRole('button', { name: 'curl' }).first().click();
    expect(await page.locator('pre').first().innerText()).toMatch(/^curl .*\/graphql/);
    await expectReadable(page, 'console-home-empty');
  });
});

describe('reports', () => {
  it('shows the movements of the MRR by month', async () => {
    const { points } = await askRevenue(books, {
      from: '2026-01-15T00:00:00.000Z',
      until: '2026-07-01T00:00:01Z',
    });
    await open('/reports?from=2026-01-01&until=2026-07-01');
    await page.getByRole('heading', { name: 'Figures' }).waitFor();
    const expected = points.map(({ mrrStart, expansion, churn, mrrEnd, activeCustomers, ...rest }: any) => [
      write(mrrStart),
      write(rest.new),
      write(expansion),
      write(rest.reactivation),
      write(rest.contraction),
      write(churn),
      write(mrrEnd),
      String(rest.activeSubscriptions),
      String(activeCustomers),
    ]);
    const rows = await readRows();
    expect(rows.map(([, ...cells]) => cells).toReversed()).toEqual(expected);
    expect(rows.at(-1)![0]).toBe('Jan 2026');
  });

  it('takes the definition and the periods from the address', async () => {
    const asked = { from: '2026-01-15T00:00:00.000Z', until: '2026-07-01T00:00:01Z', by: 'quarter' };
    const { points } = await askRevenue(books, { ...asked, definition: { pastDue: false } });
    const { points: usual } = await askRevenue(books, asked);
    expect(points).not.toEqual(usual);
    await open('/reports?by=quarter&from=2026-01-01&until=2026-07-01&definition=pastDue');
    await page.getByRole('heading', { name: 'Figures' }).waitFor();
    const rows = await readRows();
    expect(rows.map(([period]) => period)).toEqual(['Q3 2026', 'Q2 2026', 'Q1 2026']);
    expect(rows.map((row) => row[7]).toReversed()).toEqual(points.map(({ mrrEnd }: any) => write(mrrEnd)));
  });

  it('exports what it shows', async () => {
    await open('/reports?tab=revenue&from=2026-01-01&until=2026-07-01');
    const { points } = await askRevenue(books, {
      from: '2026-01-15T00:00:00.000Z',
      until: '2026-07-01T00:00:01Z',
    });
    const button = page.getByRole('button', { name: 'Export CSV' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(download.suggestedFilename()).toBe('revenue-afn.csv');
    const lines = (await text(await download.createReadStream())).trim().split('\r\n').slice(1);
    expect(lines).toEqual(
      // No credit that was paid for has expired.
      points.map(({ start, invoiced, credited, refunded, netRevenue }: any) =>
        [start, invoiced, credited, refunded, netRevenue, '0.00'].join(),
      ),
    );
  });

  it('shows the retention of each cohort', async () => {
    const variables = { from: '2026-01-15T00:00:00.000Z', until: '2026-07-01T00:00:00.000Z' };
    const { cohorts } = await books.client.graphql(
      `query ($from: DateTime!, $until: DateTime!) {
        cohorts(currency: "afn", from: $from, until: $until) { customers ages { mrrRetention } }
      }`,
      variables,
    );
    const [first] = cohorts.filter(({ customers }: any) => customers > 0);
    await open('/reports?tab=cohorts&of=mrr&from=2026-01-01&until=2026-06-30');
    const cells = page.locator('.heat tbody tr').first().locator('.heat-cell');
    await cells.first().waitFor();
    expect(await cells.allInnerTexts()).toEqual(
      first.ages.map(({ mrrRetention }: any) => `${Math.round(Number(mrrRetention) * 100)}%`),
    );
  });

  it('lists who moved, by kind', async () => {
    const all = await listMovements(books, { kind: 'expansion' });
    expect(all.length).toBeGreaterThan(0);
    await open('/reports?tab=changes&kind=expansion&from=2026-01-01');
    const rows = page.locator('tr[data-row]');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(all.length);
  });
});

const places = [
  '/',
  ...['', 'revenue', 'retention', 'cohorts', 'trials', 'payments', 'forecast', 'changes'].map(
    (tab) => `/reports?tab=${tab}&compare=1`,
  ),
];
const looks: Look[] = [
  { width: 360, colorScheme: 'dark', locale: 'fa' },
  { width: 1280, colorScheme: 'light', locale: 'en' },
  { width: 1280, colorScheme: 'dark', locale: 'de' },
];

it.each(places.flatMap((place) => looks.map((look) => ({ place, ...look }))))(
  '$place is readable at $width in $colorScheme, $locale',
  async ({ place, ...look }) => {
    await open(place, look);
    await page.locator('canvas, .heat, tr[data-row]').first().waitFor();
    await expectReadable(page, `console${place.replaceAll(/\W+/g, '-')}-${look.width}-${look.colorScheme}`);
  },
);

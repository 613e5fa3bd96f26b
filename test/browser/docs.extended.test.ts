/** The documentation in a real browser: readable for everybody, searchable, in both themes and at all widths. */
import { execFileSync } from 'node:child_process';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { browserStartMs, connectBrowser, expectReadable } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { sampledInCore } from '../support/sample.ts';
import { root } from '../sourceFiles.ts';

let app: TestApp;
let url: string;
let context: BrowserContext;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build/docs.mjs'], { cwd: root, stdio: 'ignore' });
  app = await startApp();
  url = await listen(app);
  context = await (await connectBrowser()).newContext();
  page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
}, browserStartMs);
afterAll(async () => {
  await context?.close();
  await app?.close();
});

const places = [
  '',
  '/guides/pricing',
  '/rest/customers',
  '/graphql/subscriptions',
  '/errors/validation_failed',
];
const looks = [
  { width: 360, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const;

const shown = places.flatMap((place) => looks.map((look) => ({ place, ...look })));

it.each(sampledInCore(shown, 3))(
  '/docs$place is readable at $width in $colorScheme',
  async ({ place, width, colorScheme }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${url}/docs${place}`);
    await expectReadable(page, `docs${place.replaceAll('/', '-')}-${width}-${colorScheme}`);
  },
);

it('is searched by the keyboard alone', async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${url}/docs/guides/pricing`);
  await page.keyboard.press('/');
  await page.keyboard.type('order_number_reused');
  await page.locator('#found a').first().waitFor();
  await expectReadable(page, 'docs-search');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\/errors\/order_number_reused$/);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('order_number_reused');
  await page.keyboard.press('/');
  await page.keyboard.type('<img src=x onerror=alert(1)>');
  await page.getByText('Nothing is found').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('#found').isVisible()).toBe(false);
});

it('keeps the theme that was chosen', async () => {
  await page.goto(`${url}/docs`);
  const theme = () => page.evaluate('document.documentElement.dataset.theme ?? null');
  expect(await theme()).toBeNull();
  await page.getByRole('button', { name: 'Theme: system' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  expect(await theme()).toBe('dark');
  await page.goto(`${url}/docs/guides/rest`);
  expect(await theme()).toBe('dark');
});

it('breaks no rule of its policy', () => {
  expect(problems).toEqual([]);
});

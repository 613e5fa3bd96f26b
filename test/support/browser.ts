/** Pages in a real browser, which all tests of a run share. `TEST_PICTURES` names a folder that receives their pictures. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';

/** The first test that needs the browser waits for its executable, which is unpacked once. */
export const browserStartMs = 120_000;

/** How long a step in a page may take. A busy machine stalls a browser for many seconds; a step that fails takes them all. */
export const stepLimitMs = 60_000;

const pictures = process.env['TEST_PICTURES'];

let connection: Browser | undefined;

/** Connects to the browser, which the first call of a run starts. Close your pages and contexts, not the browser. */
export async function connectBrowser(): Promise<Browser> {
  if (connection?.isConnected()) return connection;
  const answer = await fetch(inject('browserUrl'));
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return (connection = await chromium.connect(text));
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const options = { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] };
const examination = `axe.run(${JSON.stringify(options)})`;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the rules of WCAG 2.2 AA that a page breaks, with the elements. */
async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(axe);
  const { violations } = (await page.evaluate(examination)) as any;
  return violations.flatMap(({ id, nodes }: any) =>
    nodes.map(({ html, failureSummary }: any) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Checks that everybody can read the page, and that it is not wider than the window; takes its picture as `name`. */
export async function expectReadable(page: Page, name: string): Promise<void> {
  if (pictures) {
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
  }
  expect(await findBarriers(page), name).toEqual([]);
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(overflow), name).toBe(0);
}

/** Adds a complaint for each request of the console that sends the text of a document, as it does after an unknown id too. */
export function watchDocuments(context: BrowserContext, complaints: string[]): void {
  context.on('request', (request) => {
    if (!/\/graphql(\/stream)?$/.test(request.url())) return;
    const { query, operationName } = request.postDataJSON() ?? {};
    // What a test sends by hand has no name.
    const isOfConsole = operationName !== undefined || request.url().endsWith('/stream');
    if (isOfConsole && query !== undefined) complaints.push(`sent as text: ${query}`);
  });
}

/** Chooses in a combobox: types a text, and takes the option that contains it. */
export async function pick(scope: Page | Locator, label: string, text: string): Promise<void> {
  const field = scope.getByRole('combobox', { name: label, exact: true });
  await field.fill(text);
  await scope.getByRole('option').filter({ hasText: text }).first().click();
}

/** Gives a page a device that has passkeys and confirms each question. */
export async function addPasskeyDevice(page: Page): Promise<void> {
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable');
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

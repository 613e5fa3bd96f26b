/** Credit and meters in the console, in German: what is typed with its commas becomes terms of the schema. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import { browserStartMs, connectBrowser, expectReadable, stepLimitMs } from '../support/browser.ts';
import { listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';
import { buildConsole } from '../support/program.ts';

let app: TestApp;
let books: Books;
let context: BrowserContext;
let page: Page;
let open: (place: string) => Promise<void>;
let customerId: string;
let meterId: string;

beforeAll(async () => {
  buildConsole();
  app = await startApp({ publicUrl: 'http://127.0.0.1', testMails: 'on' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  customerId = (await books.shop.customer({ firstName: 'Grace', lastName: 'Hopper' })).id;
  const input = { name: 'Images', event: 'image', aggregation: 'sum', value: 'n', groupBy: ['model'] };
  meterId = (
    await books.client.graphql('mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id } }', {
      input,
    })
  ).createMeter.id;
  const url = await listen(app);
  const [name, value] = (await signInOperator(app, { role: 'owner', tenant: books.alias })).cookie.split('=');
  const browser = await connectBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'de' });
  await context.addCookies([{ name: name!, value: value!, url }]);
  page = await context.newPage();
  page.setDefaultTimeout(stepLimitMs);
  open = async (place) => {
    await page.goto(`${url}/console/t/${books.alias}${place}`);
    await page.locator('h1').first().waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
  };
}, browserStartMs);
afterAll(async () => {
  await context.close();
  await app.close();
});

const dialog = () => page.locator('dialog[open]').last();
const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
const choose = async (entry: string) => {
  await press(/^Weitere Aktionen$/);
  await page.getByRole('menuitem', { name: entry }).click();
};
const fill = async (fields: Record<string, string>) => {
  for (const [label, text] of Object.entries(fields)) await dialog().getByLabel(label).first().fill(text);
};
const select = (label: string, choice: string) =>
  dialog().getByLabel(label, { exact: true }).selectOption({ label: choice });
const send = async () => {
  await dialog().locator('button[type=submit]').click();
  await dialog().waitFor({ state: 'detached' });
};

it('a credit type, a sold grant of it and an automatic top-up have the terms that were typed', async () => {
  await open('/catalog?tab=credits');
  await press('Neue Guthabenart');
  await fill({ Name: 'Münzen', Guthaben: '2,5', 'Für Einheiten': '1.000' });
  await send();
  await open(`/customers/${customerId}`);
  await choose('Guthaben verkaufen oder schenken');
  await dialog().getByLabel('Art').first().selectOption('paid');
  await fill({ Name: 'Paket' });
  await select('In', 'Münzen');
  await fill({ Betrag: '1.250,5', 'Preis einer Einheit': '0,015', Rang: '7', Verfällt: '2027-01-31' });
  await select('Mindert', 'Nutzung gewählter Zähler');
  await dialog().getByLabel('Images').check();
  await select('Was beim Verfall übrig ist', 'bleibt zu einem Anteil');
  await fill({ 'Anteil in Prozent': '12,5', 'Behalten für': '2' });
  await send();
  await choose('Automatisch aufladen');
  await fill({ Name: 'Nachschub' });
  await select('In', 'Münzen');
  await fill({ 'Wenn weniger übrig ist als': '100', Verkauft: '1.000', 'Preis einer Einheit': '0,01' });
  await fill({ 'Höchstens im Kalendermonat': '3' });
  await send();
  await page.getByRole('heading', { name: 'Automatisches Aufladen' }).waitFor();
  const found = await books.client.graphql(
    `query ($id: ID!) { creditTypes { nodes { name rates { meterId units credits } } } customer(id: $id) {
      creditGrants(first: 1) { nodes { name category priority costBasis credits appliesTo { meterIds }
        rollover { percent expiresAfter { frequency period } } } }
      autoTopUps { name creditThreshold credits costBasis monthlyLimit } } }`,
    { id: customerId },
  );
  expect(found).toEqual({
    creditTypes: { nodes: [{ name: 'Münzen', rates: [{ meterId, units: '1000', credits: '2.5' }] }] },
    customer: {
      creditGrants: {
        nodes: [
          {
            name: 'Paket',
            category: 'paid',
            priority: 7,
            costBasis: '0.015',
            credits: '1250.5',
            appliesTo: { meterIds: [meterId] },
            rollover: { percent: '12.5', expiresAfter: { frequency: 'Monthly', period: 2 } },
          },
        ],
      },
      autoTopUps: [
        { name: 'Nachschub', creditThreshold: '100', credits: '1000', costBasis: '0.01', monthlyLimit: 3 },
      ],
    },
  });
  await page.setViewportSize({ width: 390, height: 780 });
  await expectReadable(page, 'console-credits-de-390');
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.getByRole('button', { name: 'Verwendung' }).click();
  await dialog().getByText('12,5 % des Rests').waitFor();
  await expectReadable(page, 'console-grant-terms-de');
});

it('a refusal stands beside the field that it is about', async () => {
  await open(`/customers/${customerId}`);
  await choose('Guthaben verkaufen oder schenken');
  await fill({ Name: 'Paket', Betrag: '5', Rang: '101', Verfällt: '2027-01-31' });
  await select('Was beim Verfall übrig ist', 'bleibt zu einem Anteil');
  await fill({ 'Anteil in Prozent': '101' });
  await dialog().locator('button[type=submit]').click();
  await expect.poll(() => dialog().locator('[aria-invalid=true]').count()).toBeGreaterThan(0);
});

it('a meter changes what it counts from a time on, after a preview of it', async () => {
  const at = '2026-01-30T10:00:00.000Z';
  const events = ['large', 'small', 'small'].map((model, index) => ({
    id: `event-${index}`,
    event: 'image',
    customerId,
    at,
    properties: { n: '1.5', model },
  }));
  await books.client.graphql(
    'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted } }',
    { events },
  );
  await open(`/meters/${meterId}`);
  await press('Zählung ändern');
  await fill({ 'Nur Ereignisse mit': 'model: small, tiny' });
  await dialog().getByRole('button', { name: 'Vorschau mit den letzten 30 Tagen' }).click();
  await dialog().getByText('3 in 2 Ereignissen; 1 Ereignisse zählten nicht').waitFor();
  await send();
  const { meter } = await books.client.graphql(
    'query ($id: ID!) { meter(id: $id) { versions { startsAt groupBy filter { property values } } } }',
    { id: meterId },
  );
  expect(meter.versions).toEqual([
    { startsAt: expect.any(String), groupBy: ['model'], filter: [] },
    {
      startsAt: '2026-01-31T09:15:00.000Z',
      groupBy: ['model'],
      filter: [{ property: 'model', values: ['small', 'tiny'] }],
    },
  ]);
  await page.getByRole('heading', { name: 'Fassungen' }).waitFor();
  await expectReadable(page, 'console-meter-versions-de');
});

it('the settings say for how long usage events are kept', async () => {
  await open('/settings/policies');
  await page.getByLabel('Aufbewahrung von Nutzungsereignissen').fill('400');
  await press(/^Speichern/);
  await page.getByRole('status').getByText('Gespeichert').first().waitFor();
  const { tenant } = await books.client.graphql('{ tenant { usageRetentionDays } }');
  expect(tenant.usageRetentionDays).toBe(400);
});

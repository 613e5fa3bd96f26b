/** The looks of a tenant's pages: what may be set, what the pages show of it, and whose images are served. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildJpeg, buildPng } from '../../documents/images.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { createShop } from '../../support/shop.ts';
import { inject } from '../../support/world.ts';
import { payPath } from '../../support/payLinks.ts';

const document = `mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) {
  branding { displayName color faviconId termsUrl privacyUrl supportUrl supportEmail } } }`;
const png = buildPng({ width: 32, height: 32 }).toString('base64');
const none = {
  displayName: null,
  color: null,
  faviconId: null,
  termsUrl: null,
  privacyUrl: null,
  supportUrl: null,
  supportEmail: null,
};

let app: TestApp;
let tenants = 0;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'https://pay.test/billing', rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

async function openTenant() {
  const alias = `brand-${tenants++}`;
  const client = await app.tenant({ alias, name: 'Plain name' });
  const shop = createShop(client, alias);
  const { price } = await shop.product();
  const { intentId } = await shop.intent(await shop.customer(), price);
  const show = async () => (await inject(app, { url: await payPath(app, intentId) })).text;
  return { alias, client, show };
}

const brand = async (client: Client, branding: object | null) =>
  (await client.graphql(document, { input: { branding } })).updateTenant.branding;

it('is stored, shown, kept where omitted, and removed', async () => {
  const { alias, client, show } = await openTenant();
  const set = {
    displayName: ' Northwind <b>"Studio"</b> ',
    color: '#3B6EF6',
    termsUrl: 'https://acme.example/terms?a=1&b="2"',
    privacyUrl: 'https://acme.example/privacy',
    supportEmail: 'help+me@acme.example',
  };
  const stored = await brand(client, { ...set, favicon: png });
  expect(stored).toEqual({
    ...none,
    ...set,
    displayName: set.displayName.trim(),
    color: '#3b6ef6',
    faviconId: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const text = await show();
  expect(text).toContain('<bdi>Northwind &lt;b&gt;&quot;Studio&quot;&lt;/b&gt;</bdi>');
  expect(text).not.toContain('Plain name');
  expect(text).toMatch(/href="\/billing\/pages\/[0-9a-f]{16}\/3b6ef6\.css"/);
  expect(text).toContain(`href="/billing/pages/images/${alias}/${stored.faviconId}"`);
  expect(text).toContain('href="https://acme.example/terms?a=1&amp;b=&quot;2&quot;"');
  expect(text).toContain('href="mailto:help%2Bme@acme.example"');
  expect(await brand(client, set)).toEqual(stored);
  expect(await findFaults(app, alias)).toEqual([]);
  expect(await brand(client, { favicon: null })).toEqual(none);
  expect(await brand(client, null)).toBeNull();
  expect(await show()).toContain('<bdi>Plain name</bdi>');
});

describe('refuses', () => {
  const refused: [name: string, branding: object, path: string][] = [
    ['a colour by name', { color: 'red' }, 'branding.color'],
    ['a short colour', { color: '#fff' }, 'branding.color'],
    ['a colour with more', { color: '#ffffff;}' }, 'branding.color'],
    ['a script as a link', { termsUrl: 'javascript:alert(1)' }, 'branding.termsUrl'],
    ['data as a link', { privacyUrl: 'data:text/html,x' }, 'branding.privacyUrl'],
    ['a path as a link', { supportUrl: '/help' }, 'branding.supportUrl'],
    ['an address with lines', { supportEmail: 'a@b.example\r\nBcc: c@d.example' }, 'branding.supportEmail'],
    ['no address', { supportEmail: 'help' }, 'branding.supportEmail'],
    ['a long name', { displayName: 'x'.repeat(201) }, 'branding.displayName'],
    ['a name with marks of direction', { displayName: 'a\u202Eb' }, 'branding.displayName'],
    ['no image', { favicon: 'PHN2Zz4=' }, 'branding.favicon'],
    ['a JPEG', { favicon: buildJpeg().toString('base64') }, 'branding.favicon'],
  ];
  it.each(refused)('%s, and changes nothing', async (_, branding, path) => {
    const { client } = await openTenant();
    const { body } = await client.post(document, { input: { name: 'Changed', branding } });
    expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
    const { tenant } = await client.graphql('{ tenant { name branding { color } } }');
    expect(tenant).toEqual({ name: 'Plain name', branding: null });
  });
});

it('serves the images of the tenant by their hash, and no other', async () => {
  const [mine, other] = [await openTenant(), await openTenant()];
  const { faviconId } = await brand(mine.client, { favicon: png });
  const url = `/pages/images/${mine.alias}/${faviconId}`;
  const { status, headers } = await inject(app, { url });
  expect([status, headers]).toMatchObject([
    200,
    {
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
    },
  ]);
  const absent = [
    `/pages/images/${other.alias}/${faviconId}`,
    `/pages/images/${mine.alias}/${'0'.repeat(64)}`,
    `/pages/images/${mine.alias}/..%2F${faviconId}`,
    `/pages/images/none/${faviconId}`,
    '/pages/0000000000000000/3b6ef6.css',
  ];
  for (const each of absent) expect([each, (await inject(app, { url: each })).status]).toEqual([each, 404]);
});

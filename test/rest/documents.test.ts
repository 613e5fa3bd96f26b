/** Downloads of documents. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { inject, fillTenant, type World } from '../support/world.ts';

let app: TestApp;
let client: Client;
let world: World;
beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme', test: true });
  world = await fillTenant(client, 'acme');
});
afterAll(async () => {
  vi.restoreAllMocks();
  await app.close();
});

it('a download has the bytes that GraphQL returns in Base64, and is never encoded', async () => {
  const { invoice } = await client.graphql(
    'query ($id: ID!) { invoice(id: $id) { document(format: json) { contentType fileName base64 } } }',
    { id: world.invoice },
  );
  const { contentType, fileName, base64 } = invoice.document;
  const toText = vi.spyOn(Buffer.prototype, 'toString');
  const { status, headers, text } = await inject(app, {
    url: `/api/v1/invoices/${world.invoice}/document?format=json&tenantAlias=acme`,
    headers: { 'api-key': client.apiKey },
  });
  const encodings = toText.mock.calls.filter(([encoding]) => encoding === 'base64');
  expect({ status, type: headers['content-type'], encodings }).toEqual({
    status: 200,
    type: contentType,
    encodings: [],
  });
  expect(headers['content-disposition']).toBe(`attachment; filename="${fileName}"`);
  expect(text).toBe(Buffer.from(base64, 'base64').toString('utf8'));
});

/** Addresses of documents: whom they show what, and when they stop. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDocuments } from '../../documents/pdfFile.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { secondMs, stoppedClock, type TestClock } from '../../support/clock.ts';
import { afn } from '../../support/oneOff.ts';
import { createShop } from '../../support/shop.ts';

const origin = 'http://pay.test';
const hourMs = 3_600_000;

let app: TestApp;
let clock: TestClock;
let client: Client;
let other: Client;
let customer: any;
let invoice: any;
let note: any;

const urls = 'hostedUrl pdfUrl';

beforeAll(async () => {
  buildDocuments();
  clock = stoppedClock('2026-01-31T00:30:00.000Z');
  app = await startApp({ publicUrl: origin, rateLimitPerSecond: '100000' }, { clock });
  client = await app.tenant({ alias: 'acme', test: false });
  other = await app.tenant({ alias: 'other', test: false });
  ({ customer, invoice, note } = await bill(client, 'acme'));
});
afterAll(() => app.close());

/** A customer with an invoice and a credit note over a part of it. */
async function bill(by: Client, alias: string) {
  const ada = await createShop(by, alias).customer();
  const { createInvoice } = await by.graphql(
    `mutation ($id: ID!, $amount: MoneyInput!) {
      createInvoice(input: { customerId: $id, items: [{ amount: $amount, description: "Secret work" }], collect: send_invoice }) {
        id documentNumber ${urls}
      }
    }`,
    { id: ada.id, amount: afn(40) },
  );
  const { createCreditNote } = await by.graphql(
    `mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id documentNumber ${urls} } }`,
    { input: { invoiceId: createInvoice.id, amount: { amount: 10, currency: 'afn' }, kind: 'credit' } },
  );
  return { customer: ada, invoice: createInvoice, note: createCreditNote };
}

const open = (url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
  app.server.inject({ method, url: url.replace(origin, '') });

const read = async (args: string, by = client): Promise<string> =>
  (await by.graphql(`query ($id: ID!) { invoice(id: $id) { hostedUrl${args} } }`, { id: invoice.id })).invoice
    .hostedUrl;

describe('the address of a document', () => {
  it('shows an invoice and a credit note as a page, without anything to pay', async () => {
    for (const { hostedUrl, documentNumber } of [invoice, note]) {
      const page = await open(hostedUrl);
      expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
      });
      expect(page.headers['content-security-policy']).toMatch(/^default-src 'none';.*sandbox$/);
      expect(page.body).toContain(documentNumber);
      expect(page.body).not.toMatch(/<form|<script|href=|\/pay\//);
      expect((await open(hostedUrl, 'HEAD')).statusCode).toBe(200);
    }
  });

  it('sends both as PDF', async () => {
    for (const { pdfUrl, documentNumber } of [invoice, note]) {
      const file = await open(pdfUrl);
      expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'application/pdf']);
      expect(file.headers['content-disposition']).toBe(`attachment; filename="${documentNumber}.pdf"`);
      expect(file.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
    }
  });

  it('names nobody, is the same for an hour, and is given to all who may read', async () => {
    for (const { hostedUrl, pdfUrl } of [invoice, note])
      for (const url of [hostedUrl, pdfUrl])
        expect(url).not.toMatch(/ada|lovelace|example\.com|secret|cus_/i);
    const reader = await app.key('acme', 'read');
    expect(await read('')).toBe(invoice.hostedUrl);
    expect(await read('', reader)).toBe(invoice.hostedUrl);
  });

  it.each([59, 2_592_001, -1, 0])('is not made for %i seconds', async (seconds) => {
    const document = `query ($id: ID!) { invoice(id: $id) { pdfUrl(expiresInSeconds: ${seconds}) } }`;
    const { body } = await client.post(document, { id: invoice.id });
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: 'expiresInSeconds' }],
    });
  });

  it('is null while there is no document', async () => {
    const { createInvoice } = await client.graphql(
      `mutation ($id: ID!, $amount: MoneyInput!) {
        createInvoice(input: { customerId: $id, items: [{ amount: $amount, description: "a" }], draft: true }) { ${urls} }
      }`,
      { id: customer.id, amount: afn(1) },
    );
    expect(createInvoice).toEqual({ hostedUrl: null, pdfUrl: null });
  });
});

describe('an address that was changed', () => {
  const change = (swap: (parts: string[]) => string[]): string => {
    const link = invoice.hostedUrl.split('/').at(-1) as string;
    return `/documents/acme/${swap(link.split('.')).join('.')}`;
  };

  it.each<[string, () => string]>([
    ['the id of another document', () => change(([, ...rest]) => [note.id, ...rest])],
    ['a later end', () => change(([id, , token]) => [id!, 'zzzzzz', token!])],
    ['another token', () => change(([id, end]) => [id!, end!, 'A'.repeat(43)])],
    ['a shorter token', () => change(([id, end, token]) => [id!, end!, token!.slice(1)])],
    ['no token', () => change(([id, end]) => [id!, end!])],
    ['a part more', () => change((parts) => [...parts, 'a'])],
    ['an id alone', () => `/documents/acme/${invoice.id}`],
    ['another tenant', () => invoice.hostedUrl.replace('/acme/', '/other/')],
    ['no such tenant', () => invoice.hostedUrl.replace('/acme/', '/nobody/')],
    ['what no database stores', () => invoice.hostedUrl.replace('/acme/', '/%00/')],
    ['another format', () => `${invoice.hostedUrl}/json`],
  ])('to %s is not found', async (_, build) => {
    const page = await open(build());
    expect(page.statusCode).toBe(404);
    expect(page.body).not.toContain(invoice.documentNumber);
  });

  it('is not found with the link of another tenant to a document with the same path', async () => {
    const theirs = await bill(other, 'other');
    const token = theirs.invoice.hostedUrl.split('.').at(-1);
    const page = await open(change(([id, end]) => [id!, end!, token]));
    expect(page.statusCode).toBe(404);
  });

  it('takes no other methods', async () => {
    const refused = await open(invoice.hostedUrl, 'POST');
    expect([refused.statusCode, refused.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the end', () => {
  it('comes with the time, rounded up to the hour', async () => {
    const brief = await read('(expiresInSeconds: 60)');
    clock.advance(hourMs / 2 - secondMs);
    expect((await open(brief)).statusCode).toBe(200);
    clock.advance(secondMs);
    const page = await open(brief);
    expect(page.statusCode).toBe(404);
    expect(page.body).toContain('The link has expired');
    expect((await open(invoice.hostedUrl)).statusCode).toBe(200);
    clock.advance(24 * hourMs);
    expect((await open(invoice.hostedUrl)).statusCode).toBe(404);
    expect((await open(await read(''))).statusCode).toBe(200);
  });

  it('comes with the erasure of the customer, although the law keeps the document', async () => {
    const url = await read('');
    await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: customer.id });
    for (const each of [url, `${url}/pdf`]) expect((await open(each)).statusCode).toBe(404);
  });
});

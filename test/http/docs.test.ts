/** The documentation: every page answers, every link leads somewhere, and every example is one that the server accepts. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { getOperationAST, OperationTypeNode, parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { sampledInCore } from '../support/sample.ts';

const root = path.join(import.meta.dirname, '../..');

interface Page {
  url: string;
  html: string;
  ids: Set<string>;
  links: string[];
}

let app: TestApp;
const pages = new Map<string, Page>();

const get = (url: string, headers: Record<string, string> = {}) => app.server.inject({ url, headers });
const unescape = (html: string) =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

async function readPage(url: string): Promise<Page> {
  const answer = await get(url);
  expect(answer.statusCode, url).toBe(200);
  const html = answer.body;
  const ids = Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => unescape(id!));
  expect(ids.length, `${url} has ids twice`).toBe(new Set(ids).size);
  const links = Array.from(html.matchAll(/(?:href|src|data-index)="([^"]+)"/g), ([, link]) =>
    unescape(link!),
  );
  return { url, html, ids: new Set(ids), links };
}

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build/docs.mjs'], { cwd: root, stdio: 'ignore' });
  app = await startApp();
  const waiting = ['/docs'];
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    const page = await readPage(url);
    pages.set(url, page);
    for (const link of page.links) {
      const [target] = link.split('#');
      if (/^\/docs(\/(?!assets\/)|$)/.test(target!) && !pages.has(target!) && !waiting.includes(target!))
        waiting.push(target!);
    }
  }
});
afterAll(() => app.close());

it('has no link that leads nowhere', async () => {
  expect(pages.size).toBeGreaterThan(80);
  const broken: string[] = [];
  const assets = new Set<string>();
  for (const { url, ids, links } of pages.values()) {
    for (const link of links) {
      const [target, anchor] = link.split('#') as [string, string?];
      if (/^(https?:|data:|mailto:)/.test(link)) continue;
      const page = target === '' ? { ids } : pages.get(target);
      if (!page) assets.add(target);
      else if (anchor && !page.ids.has(decodeURIComponent(anchor))) broken.push(`${url}: ${link}`);
    }
  }
  for (const asset of assets) if ((await get(asset)).statusCode !== 200) broken.push(asset);
  expect(broken).toEqual([]);
});

it('needs nothing from other hosts and runs nothing but its own script', async () => {
  for (const { url, html } of pages.values()) {
    expect(html.match(/<script/g), url).toHaveLength(1);
    expect(html, url).not.toMatch(/<style|<[^>]* style=|<[^>]* on\w+=|(src|action)="https?:/);
  }
  const { headers } = await get('/docs/guides/rest');
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' });
});

it('sends compressed copies, and keeps assets forever', async () => {
  const plain = await get('/docs/events');
  const smaller = await get('/docs/events', { 'accept-encoding': 'gzip, br' });
  expect(smaller.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
  expect(brotliDecompressSync(smaller.rawPayload).toString()).toBe(plain.body);
  const zipped = await get('/docs/events', { 'accept-encoding': 'gzip, br;q=0' });
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
  const style = pages.get('/docs')!.links.find((link) => link.endsWith('.css'))!;
  const { headers } = await get(style);
  expect(headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
});

it.each([
  '/docs/none',
  '/docs/../package',
  '/docs/%2e%2e/documents/index',
  '/docs/index.html',
  '/docs/assets/..%2findex.html',
  '/docs/assets/none.js',
])('has no page %s', async (url) => {
  expect((await get(url)).statusCode).toBe(404);
});

it('has a page for each reason, to which errors of REST link', async () => {
  const listed = readFileSync(path.join(root, 'docs/errors.md'), 'utf8').matchAll(/^\| `(\w+)` +\| \d/gm);
  const reasons = Array.from(listed, ([, reason]) => reason!);
  expect(reasons.length).toBeGreaterThan(40);
  expect(reasons.filter((reason) => !pages.has(`/docs/errors/${reason}`))).toEqual([]);
  const answer = await get('/api/v1/customers');
  expect(answer.headers['link']).toBe('</docs/errors/api_key_missing>; rel="help"');
});

it('lists the events with their examples', () => {
  const { ids, html } = pages.get('/docs/events')!;
  expect(ids).toContain('subscriptioneventcancelled');
  expect(html).toContain('&quot;type&quot;: &quot;SubscriptionEvent.cancelled&quot;');
});

/** The example of each root field as the pages show it, with its variables. */
function listExamples() {
  const examples: { field: string; document: string; variables: Record<string, unknown> }[] = [];
  for (const { url, html } of pages.values()) {
    if (!url.startsWith('/docs/graphql/')) continue;
    for (const [, field, code] of html.matchAll(/aria-label="Example of (\w+)"><code>(.*?)<\/code>/gs)) {
      const [, given] =
        new RegExp(`aria-label="Variables of ${field}"><code>(.*?)</code>`, 's').exec(html) ?? [];
      const variables = given ? JSON.parse(unescape(given)) : {};
      examples.push({ field: field!, document: unescape(code!), variables });
    }
  }
  return examples;
}

it('has an example of each root field, which the server accepts', async () => {
  const examples = listExamples();
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = roots.flatMap((type) => Object.keys(type?.getFields() ?? {}));
  expect(examples.map(({ field }) => field).toSorted()).toEqual(fields.toSorted());
  const client = await app.tenant({ alias: 'acme' });
  const refused = examples.flatMap(({ field, document }) =>
    validate(schema, parse(document)).map(({ message }) => `${field}: ${message}`),
  );
  for (const { field, document, variables } of sampledInCore(examples, 4)) {
    if (getOperationAST(parse(document))?.operation === OperationTypeNode.SUBSCRIPTION) continue;
    const { status, body } = await client.post(document, variables);
    // A refusal of the whole operation: of its text, its variables or its cost.
    if (status !== 200 || body.errors?.some((error: object) => !('path' in error)))
      refused.push(`${field}: ${JSON.stringify(body)}`);
  }
  expect(refused).toEqual([]);
});

it('is not served if switched off', async () => {
  const without = await startApp({ docs: 'off' });
  expect((await without.server.inject({ url: '/docs' })).statusCode).toBe(404);
  await without.close();
});

/** docs/interface.md against the real app: its examples in their order, its tables of errors, its table of routes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isEnumType } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { routes } from '../../src/rest/routes.ts';
import { root } from '../sourceFiles.ts';
import { startApp, type Client, type Method, type TestApp } from '../support/app.ts';
import { readBlocks } from './guide.ts';

const page = '../interface.md';
const text = readFileSync(path.join(root, 'docs/interface.md'), 'utf8');

interface Example {
  request: string;
  /** Absent where the page shows no response: any success. */
  response?: { status: number; headers: Record<string, string>; body: unknown };
}

/** Each `http` block with the `json` block that follows it, if one does. */
function listExamples(): Example[] {
  const blocks = readBlocks(page);
  return blocks.flatMap(({ info, text: request }, index) => {
    if (info !== 'http') return [];
    const next = blocks[index + 1];
    if (!next?.info.startsWith('json')) return [{ request }];
    const { status, ...headers } = Object.fromEntries(
      next.info.split(' ').flatMap((part) => (part.includes('=') ? [part.split('=')] : [])),
    );
    return [{ request, response: { status: Number(status), headers, body: JSON.parse(next.text) } }];
  });
}

/** The rows of all tables whose first cell is a request and whose second is a status. */
const refusals = [
  ...text.matchAll(/^\| `([A-Z]+ [^`]+)` +\| (\d{3}) +\| `(\w+)` +\| (?:`([^`]+)`)? *\|$/gm),
].map(([, request, status, reason, field]) => ({ request: request!, status: Number(status), reason, field }));

/** What the names in braces were in the responses so far. */
const known = new Map<string, string>();
const fill = (request: string) =>
  request.replace(/\{(\w+)\}/g, (whole, name: string) => known.get(name) ?? whole);

async function send(client: Client, request: string) {
  const [head = '', ...body] = fill(request).trim().split('\n\n');
  const [first = '', ...headers] = head.split('\n');
  const [, method, url, inline] = /^(\w+) (\S+) ?(.*)$/.exec(first)!;
  const sent = body.join('\n\n') || inline || undefined;
  const names = Object.fromEntries(headers.map((line) => line.split(': ') as [string, string]));
  const { href } = new URL(url!, 'http://x');
  const escaped = href.slice('http://x'.length);
  return client.rest(method as Method, escaped, sent, names);
}

/** The expected value with `…` and names in braces replaced by what was received, which a name must repeat ever after. */
function resolve(expected: unknown, received: any): unknown {
  if (expected === '…') return typeof received === 'string' ? received : expected;
  if (typeof expected === 'string') {
    const name = /^\{(\w+)\}$/.exec(expected)?.[1];
    if (name === undefined) return expected;
    if (!known.has(name)) known.set(name, String(received));
    return known.get(name);
  }
  if (Array.isArray(expected)) return expected.map((each, index) => resolve(each, received?.[index]));
  if (typeof expected !== 'object' || expected === null) return expected;
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [key, resolve(value, received?.[key])]),
  );
}

const examples = listExamples();
let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'demo' });
});
afterAll(() => app.close());

it('the examples return the responses on the page', async () => {
  expect(examples.length).toBeGreaterThan(8);
  for (const { request, response } of examples) {
    const answer = await send(client, request);
    if (!response) {
      expect(answer.status, `${request}${answer.text}`).toBeLessThan(300);
      continue;
    }
    expect(answer.status, `${request}${answer.text}`).toBe(response.status);
    expect(answer.headers).toMatchObject(response.headers);
    expect(answer.body).toEqual(resolve(response.body, answer.body));
  }
});

it('the tables of refusals are correct', async () => {
  expect(refusals.length).toBeGreaterThan(30);
  const found = [];
  for (const { request } of refusals) {
    const { status, body } = await send(client, request);
    found.push({ request, status, reason: body?.body?.reason, field: body?.cause?.issues[0].path });
  }
  expect(found).toEqual(refusals);
});

it('the table of routes is complete', () => {
  const section = text.split(/^## /m).find((each) => each.startsWith('Routes\n'))!;
  const listed = [...section.matchAll(/^\| `([A-Z]+ \/[^`]*)`( \\\*)? /gm)]
    .map(([, route, star]) => `${route}${star ? ' *' : ''}`)
    .toSorted();
  const served = routes.map(({ method, path: at, extension }) => `${method} ${at}${extension ? ' *' : ''}`);
  expect(listed).toEqual(served.toSorted());
});

it('the table of intent statuses is complete', () => {
  const type = schema.getType('IntentStatus');
  const statuses = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
  const [, table] = text.split('| `status` ');
  const listed = [...table!.split('\n\n')[0]!.matchAll(/^\| `(\w+)` /gm)].map(([, status]) => status!);
  expect(listed.toSorted()).toEqual(statuses.toSorted());
});

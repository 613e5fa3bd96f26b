/** What Prometheus reads on its own port, and what a collector of OpenTelemetry is sent. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../sourceFiles.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';

let collector: Server;
const received: { url: string; headers: IncomingHttpHeaders; body: any }[] = [];
let app: TestApp;
let client: Client;
let port: number;

beforeAll(async () => {
  collector = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      received.push({ url: request.url!, headers: request.headers, body: JSON.parse(text) });
      response.writeHead(200).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port: collectorPort } = collector.address() as AddressInfo;
  app = await startApp({
    metricsPort: '0',
    otlpEndpoint: `http://127.0.0.1:${collectorPort}`,
    otlpHeaders: 'authorization=Bearer%20abc, x-scope=billing',
  });
  port = await app.metrics!.listen(0);
  client = await app.tenant({ alias: 'acme', test: false });
});
afterAll(() => {
  collector.close();
});

const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
const readValue = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  );

it('counts requests by route and outcome, not by URL', async () => {
  const customer = {
    tenantAlias: 'acme',
    email: 'a@example.com',
    firstName: 'A',
    lastName: 'B',
    associatedId: 'u-1',
  };
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  expect((await client.rest('POST', '/customers', customer, { traceparent })).status).toBe(201);
  expect((await client.rest('GET', '/subscriptions/sub_none', { tenantAlias: 'acme' })).status).toBe(404);
  const unsampled = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-00`;
  for (const sent of [unsampled, `00-${'0'.repeat(32)}-${'d'.repeat(16)}-01`])
    expect(
      (await client.rest('GET', '/customers', { tenantAlias: 'acme' }, { traceparent: sent })).status,
    ).toBe(200);
  await client.post('query Own { customers(first: 1) { nodes { id } } }');
  await client.post('{ a: customers(first: 1) { nodes { id } } b: __typename }');
  await client.post('mutation { updateTenant(input: { name: "Acme" }) { name } }');
  await client.post('{ nothing }');
  await client.rest('GET', '/unheard/of', {});
  const text = await read();
  const requests = (operation: string, status: number) =>
    readValue(text, `perennial_requests_total{operation="${operation}",status="${status}"}`);
  expect(requests('POST /api/v1/customers', 201)).toBe(1);
  expect(requests('GET /api/v1/subscriptions/:subscriptionId', 404)).toBe(1);
  expect(requests('query customers', 200)).toBe(1);
  expect(requests('query several', 200)).toBe(1);
  expect(requests('mutation updateTenant', 200)).toBe(1);
  expect(requests('POST /graphql', 200)).toBe(1);
  expect(requests('unknown', 404)).toBe(1);
  expect(text).not.toContain('sub_none');
  expect(text).not.toContain('unheard');
  expect(readValue(text, 'perennial_request_duration_seconds_count{operation="query customers"}')).toBe(1);
  const slowest = 'perennial_request_duration_seconds_bucket{le="+Inf",operation="query customers"}';
  expect(readValue(text, slowest)).toBe(1);
  expect(readValue(text, 'perennial_commit_units_count')).toBeGreaterThanOrEqual(2);
  expect(readValue(text, 'perennial_commit_duration_seconds_sum')).toBeGreaterThan(0);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
});

it('counts usage events by what became of them, and how late they come', async () => {
  const { createCustomer } = await client.graphql(
    `mutation { createCustomer(input: { email: "u@example.com", firstName: "U", lastName: "V", associatedId: "u-2" }) { id } }`,
  );
  const old = new Date(Date.now() - 90_000).toISOString();
  const event = (id: string, n: unknown, at?: string) => ({
    id,
    event: 'call',
    customerId: createCustomer.id,
    at,
    properties: { n },
  });
  const events = [event('1', 1, old), event('1', 1, old), event('1', 2, old), event('2', {}), event('3', 1)];
  expect((await client.rest('POST', '/usage', { events })).status).toBe(201);
  const text = await read();
  const count = (result: string) => readValue(text, `perennial_usage_events_total{result="${result}"}`);
  expect(['accepted', 'duplicate', 'conflict', 'refused'].map(count)).toEqual([2, 1, 1, 1]);
  expect(readValue(text, 'perennial_usage_lag_seconds_bucket{le="60"}')).toBe(0);
  expect(readValue(text, 'perennial_usage_lag_seconds_bucket{le="600"}')).toBe(1);
});

it('counts calls of tools by their result, without names that a client chose', async () => {
  const call = (name: string, args: object) =>
    app.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'api-key': client.apiKey,
      },
      payload: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
  await call('list_overdue', {});
  await call('explain_invoice', { invoiceId: 'nothing' });
  await call('invented_name', {});
  const text = await read();
  const count = (tool: string, result: string) =>
    readValue(text, `perennial_mcp_calls_total{tool="${tool}",result="${result}"}`);
  expect(count('list_overdue', 'ok')).toBe(1);
  expect(count('explain_invoice', 'invoice_not_found')).toBe(1);
  expect(readValue(text, 'perennial_requests_total{operation="mcp tools/call",status="200"}')).toBe(3);
  expect(text).not.toContain('invented_name');
});

it('are all on the page about monitoring, and no others', async () => {
  const page = readFileSync(path.join(root, 'docs/operations/watching.md'), 'utf8');
  const named = [...page.matchAll(/^\| `(perennial_\w+)`(?:, `…(_\w+)`)?/gm)].flatMap(([, name, ending]) =>
    ending === undefined ? [name!] : [name!, name!.replace(/_[a-z]+$/, ending)],
  );
  const served = [...(await read()).matchAll(/^# TYPE (perennial_\w+)/gm)].map(([, name]) => name!);
  expect(named.toSorted()).toEqual(served.toSorted());
});

it('counts queued work when scraped', async () => {
  const due = `'2020-01-01T00:00:00.000Z'`;
  const [subscription] = await app.backdoor.all('select count(*) as rows from subscriptions');
  expect(Number(subscription!['rows'])).toBe(0);
  await app.backdoor.execute(
    `insert into subscriptions (tenant_alias, id, payment_intent_id, customer_id, product_id, price_id, product_name, amount_minor,
       currency, frequency, period, anchor, starts_at, first_billing_date, billed_count, due_at, cancel_at_period_end, metadata, created_at, updated_at)
     values ('acme', 'sub_1', 'int_1', 'cus_1', 'prod_1', 'price_1', 'Pro', 1, 'usd', 'Monthly', 1, ${due}, ${due}, ${due}, 0, ${due}, 0, '{}', ${due}, ${due})`,
  );
  const text = await read();
  expect(readValue(text, 'perennial_renewals_due')).toBe(1);
  expect(readValue(text, 'perennial_renewals_late')).toBe(1);
  expect(readValue(text, 'perennial_deliveries_due')).toBe(0);
  expect(readValue(text, 'perennial_alerts_failing')).toBe(0);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
});

it('sends a span for each request, with the trace id of its activity', async () => {
  const { traces } = await client.graphql('{ traces(first: 100) { nodes { traceId activityType } } }');
  await app.close();
  const spans = received.flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans);
  expect(received[0]).toMatchObject({
    url: '/v1/traces',
    headers: { authorization: 'Bearer abc', 'x-scope': 'billing', 'content-type': 'application/json' },
  });
  const created = spans.find(({ name }) => name === 'POST /api/v1/customers');
  expect(created).toMatchObject({
    traceId: 'a'.repeat(32),
    parentSpanId: 'b'.repeat(16),
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    kind: 2,
    status: {},
  });
  expect(traces.nodes).toContainEqual({ traceId: 'a'.repeat(32), activityType: 'CustomerEvent' });
  expect(created.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 201 } });
  expect(created.attributes).toContainEqual({ key: 'perennial.tenant', value: { stringValue: 'acme' } });
  const lengthNs = BigInt(created.endTimeUnixNano) - BigInt(created.startTimeUnixNano);
  expect(lengthNs).toBeGreaterThan(0n);
  expect(received[0]!.body.resourceSpans[0].resource.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'perennial' },
  });
  const changed = spans.find(({ name }) => name === 'mutation updateTenant');
  expect(traces.nodes).toContainEqual({ traceId: changed.traceId, activityType: 'TenantEvent' });
  expect(changed).not.toHaveProperty('parentSpanId');
  // The client decided against sampling (flags 00), or sent what is no parent: each request has its span all the same.
  expect(spans.filter(({ name }) => name === 'GET /api/v1/customers')).toMatchObject([
    { traceId: 'c'.repeat(32), parentSpanId: 'd'.repeat(16) },
    { traceId: expect.not.stringMatching(/^0+$/) },
  ]);
  expect(spans.map(({ status }) => status.code)).toEqual(spans.map(() => 0));
});

it('warns once while the collector fails, and a stop does not wait for it', async () => {
  const warnings: { dropped?: number }[] = [];
  const keep = (line: string) => void (line.includes('spans') && warnings.push(JSON.parse(line)));
  const log = pino({ level: 'warn' }, { write: keep });
  let requests = 0;
  // It refuses the first batch, and never answers the second.
  const failing = createServer((_, response) => {
    requests += 1;
    if (requests === 1) response.writeHead(400).end('{}');
  });
  await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
  const { port: failingPort } = failing.address() as AddressInfo;
  const alone = await startApp({ otlpEndpoint: `http://127.0.0.1:${failingPort}` }, { log });
  await alone.server.inject({ url: '/livez' });
  await expect.poll(() => warnings).toHaveLength(1);
  await alone.server.inject({ url: '/livez' });
  await alone.close();
  expect(requests).toBe(2);
  expect(warnings).toMatchObject([{ dropped: 1, failure: 'Bad Request' }]);
  failing.closeAllConnections();
  failing.close();
});

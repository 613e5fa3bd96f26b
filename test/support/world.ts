import { connect } from 'node:net';
import Database from 'better-sqlite3';
import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import { catalogue, type Reason } from '../../src/errors.ts';
import type { Answer, Client, TestApp } from './app.ts';

/** What one tenant owns: an id of every kind. */
export interface World {
  alias: string;
  customer: string;
  associatedId: string;
  group: string;
  product: string;
  /** Another product of the group, which nobody subscribes to. */
  spareProduct: string;
  price: string;
  sparePrice: string;
  /** One that waits to be paid. */
  intent: string;
  subscription: string;
  invoice: string;
  /** A trace of this tenant. */
  eventId: string;
  traceId: string;
  timestamp: string;
  executorId: string;
}

const everyone = `{
  customers { nodes { id associatedId } } invoices { nodes { id } } subscriptions { nodes { id } }
  traces(first: 1) { nodes { eventId traceId createdAt executorId } }
}`;

/** Fills a new tenant through the interface with one record of every kind, all texts beginning with its alias. */
export async function fillTenant(client: Client, alias: string): Promise<World> {
  const send = async (path: string, fields: object) => {
    const answer = await client.rest('POST', path, { tenantAlias: alias, ...fields });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  const metadata = { note: `${alias} note` };
  const customer = await send('/customers', {
    email: `${alias}@example.org`,
    firstName: `${alias} first`,
    lastName: `${alias} last`,
    associatedId: `${alias}-1`,
    metadata,
  });
  const group = await send('/groups', { name: `${alias} group`, metadata });
  const productOf = (name: string, amount: number) =>
    send('/products', {
      name: `${alias} ${name}`,
      description: `${alias} description`,
      groupId: group.id,
      metadata,
      prices: [{ details: { amount, currency: 'afn' } }],
    });
  const bought = await productOf('bought', 50);
  const spare = await productOf('spare', 20);
  const loose = await send('/products', {
    name: `${alias} loose`,
    description: `${alias} description`,
    prices: [{ details: { amount: 5, currency: 'afn' } }],
  });
  const intentOf = ({ product, prices }: any) =>
    send('/subscriptions/intent', {
      customerId: customer.id,
      associatedCustomerId: customer.associatedId,
      productId: product.id,
      priceId: prices[0].id,
      receiptUrl: `https://${alias}.example/receipt`,
      reason: `${alias} reason`,
    });
  const paid = await intentOf(bought);
  await client.graphql(
    'mutation ($id: ID!) { confirmIntent(id: $id, paymentMethod: "sandbox_ok") { status } }',
    { id: paid.intentId },
  );
  const open = await intentOf(loose);
  const { invoices, subscriptions, traces } = await client.graphql(everyone);
  const [{ eventId, traceId, createdAt: timestamp, executorId }] = traces.nodes;
  return {
    alias,
    customer: customer.id,
    associatedId: customer.associatedId,
    group: group.id,
    product: bought.product.id,
    spareProduct: spare.product.id,
    price: bought.prices[0].id,
    sparePrice: spare.prices[0].id,
    intent: open.intentId,
    subscription: subscriptions.nodes[0].id,
    invoice: invoices.nodes[0].id,
    eventId,
    traceId,
    timestamp,
    executorId,
  };
}

/** Every row of every table that belongs to a tenant (or to anybody), as text that can be compared. */
export function dump({ path }: Pick<TestApp, 'path'>, alias?: string): string {
  const database = new Database(path, { readonly: true });
  database.defaultSafeIntegers(true);
  const kept = tablesOf(database).map(({ name, columns }) => {
    const owner = columns.includes('tenant_alias') ? 'tenant_alias' : 'alias';
    const where = alias === undefined ? '' : `where ${owner} = '${alias}'`;
    return [name, database.prepare(`select * from ${name} ${where} order by rowid`).all()];
  });
  database.close();
  return JSON.stringify(kept, (_, value) => (typeof value === 'bigint' ? `${value}n` : value), 1);
}

/** The tables that hold what tenants own. */
export function tablesOf(database: Database.Database): { name: string; columns: string[] }[] {
  const names = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
    .pluck()
    .all() as string[];
  return names
    .map((name) => ({
      name,
      columns: (database.pragma(`table_info(${name})`) as { name: string }[]).map((column) => column.name),
    }))
    .filter(({ columns }) => columns.includes('tenant_alias') || columns.includes('alias'));
}

/** Sends one request as it is given, without a key unless it has one. */
export async function inject({ server }: Pick<TestApp, 'server'>, options: InjectOptions): Promise<Answer> {
  const answer = await server.inject(options);
  const text = answer.body;
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: answer.statusCode, headers: answer.headers, text, body };
}

/** Copies all that a tenant owns, ids and all, to another; its name is replaced wherever it stands in a text. */
export function twinTenant({ path }: Pick<TestApp, 'path'>, alias: string, twin: string): void {
  const database = new Database(path);
  database.defaultSafeIntegers(true);
  database.pragma('foreign_keys = OFF');
  const copy = database.transaction(() => {
    for (const { name, columns } of tablesOf(database)) {
      if (!columns.includes('tenant_alias') || name === 'api_keys') continue;
      const insert = database.prepare(
        `insert into ${name} (${columns.join()}) values (${columns.map((column) => `@${column}`).join()})`,
      );
      for (const row of database.prepare(`select * from ${name} where tenant_alias = ?`).all(alias)) {
        const renamed = Object.entries(row as object).map(([column, value]) => [
          column,
          typeof value === 'string' ? value.replaceAll(alias, twin) : value,
        ]);
        insert.run(Object.fromEntries(renamed));
      }
    }
  });
  copy();
  database.close();
}

const echoable = ['accept', 'content-length', 'content-type', 'user-agent', 'x-executor-id', 'x-request-id'];

/** Expects the whole error body of the interface (section 7), nothing more, for a reason of the catalogue. */
export function expectRestError({ status, headers, body, text }: Answer, reason?: Reason): void {
  expect(headers['content-type'], text).toBe('application/json; charset=utf-8');
  expect(Object.keys(body)).toEqual(['cause', 'body']);
  const { code, request, response, ...rest } = body.body;
  expect(Object.keys(rest), text).toEqual(['reason']);
  expect(catalogue, text).toHaveProperty(rest.reason);
  if (reason) expect(rest.reason, text).toBe(reason);
  expect(code).toBe(catalogue[rest.reason as Reason].status);
  expect(status).toBe(code);
  expect(Object.keys(request)).toEqual(['body', 'headers', 'url', 'method']);
  expect([request.body, request.url, request.method].every((each) => typeof each === 'string')).toBe(true);
  expect(echoable).toEqual(expect.arrayContaining(Object.keys(request.headers)));
  expect(Object.values(request.headers).every((each) => typeof each === 'string')).toBe(true);
  expect(Object.keys(response)).toEqual(['body', 'headers']);
  expect(typeof response.body).toBe('string');
  expect(response.headers).toEqual({ 'content-type': headers['content-type'] });
  if (body.cause === null) return;
  expect(Object.keys(body.cause)).toEqual(['message', 'issues']);
  expect(typeof body.cause.message).toBe('string');
  for (const issue of body.cause.issues) {
    expect(Object.keys(issue)).toEqual(['path', 'message']);
    expect(typeof issue.path, text).toBe('string');
    expect(issue.message, text).toMatch(/./s);
  }
}

/** Sends bytes through a socket of its own and reads what comes until it is closed. */
export function raw(port: number, request: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    const done = () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const cut = text.indexOf('\r\n\r\n');
      const [first = '', ...lines] = text.slice(0, cut).split('\r\n');
      const content = text.slice(cut + 4);
      const headers = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 2),
        ]),
      );
      const body = content.startsWith('{') ? JSON.parse(content) : undefined;
      resolve({ status: Number(first.split(' ')[1]), headers, text: content, body });
    };
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', done);
    // The server may close while the client still sends: what it said before counts.
    socket.on('error', (error) => chunks.length === 0 && reject(error));
    socket.setTimeout(2000, () => reject(new Error('no answer within two seconds')));
  });
}

/** Expects an answer of GraphQL with errors, each of a reason of the catalogue, and nothing else besides the data. */
export function expectGraphqlError({ status, headers, body, text }: Answer, reason?: Reason): void {
  expect(headers['content-type'], text).toMatch(/^application\/(graphql-response\+)?json; charset=utf-8$/);
  expect(body.errors.length, text).toBeGreaterThanOrEqual(1);
  expect(status).toBeLessThan(reason && catalogue[reason].status >= 500 ? 504 : 500);
  for (const { message, extensions } of body.errors) {
    expect(message, text).toMatch(/./s);
    expect(catalogue, text).toHaveProperty(extensions.reason);
    if (reason) expect(extensions.reason, text).toBe(reason);
    expect(extensions.code).toBe(extensions.reason.toUpperCase());
    expect(extensions.status).toBe(catalogue[extensions.reason as Reason].status);
    for (const issue of extensions.issues ?? []) {
      expect(Object.keys(issue)).toEqual(['path', 'message']);
      expect(issue.path, text).toMatch(/./s);
      expect(issue.message, text).toMatch(/./s);
    }
  }
}

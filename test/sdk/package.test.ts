/** The packed SDK in an empty folder: its size, its types under both module resolutions, and that it needs nothing. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it, afterAll } from 'vitest';
import { version } from '../../src/lib/version.ts';
import { root } from '../sourceFiles.ts';
import { findInstalled, installSdk } from '../support/sdk.ts';

const mostBytes = 400_000;

let installed: string;
let folder: string;
beforeAll(() => {
  installed = findInstalled(installSdk());
  folder = mkdtempSync(path.join(tmpdir(), 'perennial-sdk-user-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const listInstalled = () =>
  readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(path.join(installed, name)).isFile(),
  );

it('is small, complete, of the present version, and depends on nothing', () => {
  const bytes = listInstalled().reduce((sum, name) => sum + statSync(path.join(installed, name)).size, 0);
  expect(bytes).toBeLessThanOrEqual(mostBytes);
  const manifest = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  expect(manifest.version).toBe(version);
  expect(manifest.dependencies).toBeUndefined();
  for (const each of Object.values(manifest.exports) as (string | Record<string, string>)[])
    for (const file of typeof each === 'string' ? [each] : Object.values(each))
      expect(listInstalled(), file).toContain(file.replace('./', ''));
});

it('imports nothing, but for React and the server of tests', () => {
  const modules = listInstalled().filter((name) => name.endsWith('.js'));
  expect(modules.length).toBeGreaterThan(10);
  const importing = modules.filter((name) =>
    /\bfrom ['"][^.]/.test(readFileSync(path.join(installed, name), 'utf8')),
  );
  expect(importing.toSorted()).toEqual(['dist/react/hooks.js', 'dist/react/parts.js', 'dist/testing.js']);
});

const program = `
import { Perennial, PerennialError, Money, type Customer, type Invoice, type InvoiceStatus, type Reason } from '@perennial/sdk';
import { createGraphql, type TypedDocument } from '@perennial/sdk/graphql';
import { createWebhookHandler, verifyWebhook, type WebhookEvents } from '@perennial/sdk/webhooks';
import { perennialRoute as next } from '@perennial/sdk/next';
import { perennialRoute as hono } from '@perennial/sdk/hono';
import { perennialRoute as express } from '@perennial/sdk/express';
import { startPerennial } from '@perennial/sdk/testing';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const expectType = <Wanted>() => <Found>(_value: Found, _same: Same<Wanted, Found>) => {};

const perennial = new Perennial({ url: 'https://billing.example', key: 'prn_…', maxRetries: 3, hooks: { onResponse: (e) => void e.durationMs } });

export async function use() {
  const customer = await perennial.customers.create({ email: 'a@example.com', firstName: 'A', lastName: 'B', associatedId: '7' });
  expectType<Customer>()(customer, true);
  const at: string = customer.createdAt;
  for await (const invoice of perennial.invoices.list({ status: 'open', customerId: customer.id })) {
    expectType<Invoice>()(invoice, true);
    expectType<InvoiceStatus>()(invoice.status, true);
    expectType<string>()(invoice.lines[0]!.amount.decimal, true);
    const total: Money = invoice.total;
    Money.add(total, Money.of('1.00', 'usd'));
  }
  // @ts-expect-error There is no such status.
  perennial.invoices.list({ status: 'opened' });
  // @ts-expect-error There is no such filter.
  perennial.invoices.list({ colour: 'red' });
  // @ts-expect-error The e-mail address is required.
  await perennial.customers.create({ firstName: 'A', lastName: 'B' });
  // @ts-expect-error There is no such method.
  perennial.customers.destroy('cus_0');
  const cancelled = await perennial.subscriptions.cancel('sub_0', { atPeriodEnd: true }, { idempotencyKey: 'k', signal: new AbortController().signal });
  expectType<string | null>()(cancelled.cancelAt, true);
  await perennial.intents.confirm('int_0', { paymentMethod: 'sandbox_ok' });
  const preview = await perennial.subscriptions.previewChange('sub_0', { priceId: 'price_0' });
  expectType<string>()(preview.total.decimal, true);
  const chosen = await perennial.customers.retrieve<{ email: string }>('cus_0', { select: 'email' });
  expectType<string>()(chosen.email, true);
  const first = await perennial.products.list().first(10);
  expectType<string>()(first[0]!.prices[0]!.id, true);

  try {
    await perennial.customers.retrieve('cus_0');
  } catch (error) {
    if (!(error instanceof PerennialError)) throw error;
    if (error.reason === 'customer_not_found') return at;
    // @ts-expect-error There is no such reason.
    if (error.reason === 'customer_missing') return at;
    const reason: Reason = 'validation_failed';
    return error.issues[0]?.path ?? reason;
  }
  return undefined;
}

declare const shown: TypedDocument<{ customer: { email: string } | null }, { id: string }>;
declare const all: TypedDocument<{ tenant: { alias: string } }, Record<string, never>>;

export async function documents() {
  const graphql = createGraphql({ url: 'https://billing.example', key: async () => 'prn_…' });
  expectType<{ customer: { email: string } | null }>()(await perennial.graphql(shown, { id: 'cus_0' }), true);
  expectType<{ tenant: { alias: string } }>()(await graphql(all), true);
  // @ts-expect-error The id is required.
  await perennial.graphql(shown, {});
  // @ts-expect-error The variables are required.
  await perennial.graphql(shown);
  return graphql('{ tenant { alias } }');
}

const webhooks = createWebhookHandler({ secret: ['whsec_a', 'whsec_b'] })
  .on('invoice.paid', (event) => {
    expectType<'InvoiceEvent.paid'>()(event.type, true);
    expectType<string>()(event.data.payload.object.customerId, true);
    expectType<number>()(event.data.payload.object.total.amount, true);
  })
  .on('subscription.past_due', ({ data }) => void data.payload.object.nextBillingDate);
// @ts-expect-error There is no such event.
webhooks.on('invoice.payed', () => {});

export async function receive(request: Request) {
  const event = await verifyWebhook(request, 'whsec_a');
  if (event.name === 'credit_note.created') expectType<WebhookEvents['credit_note.created']>()(event, true);
  return event;
}

export const { POST } = next({ perennial, webhooks, customer: async (request) => ({ associatedId: request.url, allow: ['cancel_subscription'] }) });
export const honoRoute = hono({ perennial, customer: (context: { req: { raw: Request }; user: string }) => ({ associatedId: context.user }) });
export const expressRoute = express({ perennial, customer: () => null });

export async function test() {
  const billing = await startPerennial({ clock: '2026-01-01' });
  await billing.advanceTo(new Date());
  const event = await billing.waitForWebhook('subscription.created');
  expectType<'SubscriptionEvent.created'>()(event.type, true);
  await billing.stop();
}
`;

const typescript = path.join(root, 'node_modules/typescript/bin/tsc');

/** Type-checks a program in a folder with the package and nothing else. */
function check(name: string, compilerOptions: object, text: string, others: string[] = []) {
  const place = path.join(folder, name);
  mkdirSync(path.join(place, 'node_modules/@perennial'), { recursive: true });
  symlinkSync(installed, path.join(place, 'node_modules/@perennial/sdk'));
  for (const other of others) {
    mkdirSync(path.dirname(path.join(place, 'node_modules', other)), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', other), path.join(place, 'node_modules', other));
  }
  writeFileSync(path.join(place, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(place, 'use.ts'), text);
  const options = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    ...compilerOptions,
  };
  writeFileSync(
    path.join(place, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['use.ts'] }),
  );
  try {
    return execFileSync(process.execPath, [typescript, '-p', place], { cwd: place, encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout: unknown }).stdout);
  }
}

describe('its types', () => {
  it.each([
    ['node16', { module: 'node16', moduleResolution: 'node16' }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ])('hold under strict with %s', (name, options) => {
    expect(check(name, options, program)).toBe('');
  });

  it('take the documents of gql.tada and of GraphQL Code Generator', () => {
    const text = `
import { initGraphQLTada } from 'gql.tada';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { Perennial } from '@perennial/sdk';
type Schema = { query: 'Query'; mutation: never; subscription: never; types: { Query: { kind: 'OBJECT'; name: 'Query'; fields: { customer: { name: 'customer'; type: { kind: 'OBJECT'; name: 'Customer'; ofType: null } } } }; Customer: { kind: 'OBJECT'; name: 'Customer'; fields: { email: { name: 'email'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } } } }; String: unknown } };
const graphql = initGraphQLTada<{ introspection: { __schema: any } & { name: 'x' } & Schema }>();
void graphql;
declare const made: TypedDocumentNode<{ customer: { email: string } | null }, { id: string }>;
const perennial = new Perennial({ url: '', key: '' });
export const email: Promise<string | undefined> = perennial.graphql(made, { id: 'cus_0' }).then((data) => data.customer?.email);
// @ts-expect-error The id is a string.
void perennial.graphql(made, { id: 7 });
`;
    const others = ['gql.tada', 'graphql', '@graphql-typed-document-node/core', '@0no-co/graphql.web'];
    const options = {
      module: 'esnext',
      moduleResolution: 'bundler',
      skipLibCheck: true,
      exactOptionalPropertyTypes: false,
    };
    expect(check('documents', options, text, others)).toBe('');
  });
});

// The requests of the test of the most expensive requests, and their data.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { build } from 'esbuild';

/** Loads the requests from the test, so that both use the same ones. */
export async function loadWorstRequests() {
  const entry = fileURLToPath(new URL('../../../test/support/worstRequests.ts', import.meta.url));
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-requests-'));
  const outfile = path.join(folder, 'requests.cjs');
  try {
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
    return createRequire(import.meta.url)(outfile).worstRequests;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fills a tenant like the test: large metadata, a group of 2,000 products, 3,000 subscriptions, 5,000 traces. */
export async function fillWorst(send, file) {
  const post = async (target, fields) => {
    const body = JSON.stringify({ tenantAlias: 'acme', ...fields });
    const answer = await send({ method: 'POST', path: `/api/v1${target}`, body });
    if (answer.status !== 201) throw new Error(answer.text());
    return JSON.parse(answer.text());
  };
  const graphql = async (query, variables) => {
    const body = JSON.stringify({ query, variables });
    const { data, errors } = JSON.parse((await send({ method: 'POST', path: '/graphql', body })).text());
    if (errors) throw new Error(errors[0].message);
    return data;
  };
  const person = { email: 'a@example.org', firstName: 'A', lastName: 'B', associatedId: 'a' };
  const customer = await post('/customers', person);
  const group = await post('/groups', { name: 'group' });
  const prices = [{ details: { amount: 5, currency: 'afn' } }];
  const { product, prices: sold } = await post('/products', { name: 'bought', description: '', groupId: group.id, prices });
  const { product: spare } = await post('/products', { name: 'spare', description: '', groupId: group.id, prices });
  const { intentId } = await post('/subscriptions/intent', {
    customerId: customer.id,
    associatedCustomerId: customer.associatedId,
    productId: product.id,
    priceId: sold[0].id,
    receiptUrl: 'https://a.example/receipt',
  });
  const confirm = 'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { subscriptionId } }';
  const { subscriptionId } = (await graphql(confirm, { id: intentId })).confirmIntent;

  const database = new Database(file, { timeout: 5000 });
  const copy = (table, id, count, others) => {
    const columns = database.pragma(`table_info(${table})`).map(({ name }) => name);
    const cells = columns.map((column) => others[column] ?? `t."${column}"`);
    database.exec(
      `insert into ${table} (${columns.map((column) => `"${column}"`).join()})
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
       select ${cells.join()} from n, (select * from ${table} where ${id} limit 1) t`,
    );
  };
  const large = JSON.stringify({ a: Array.from({ length: 349_000 }, () => ({})) });
  const heavy = `'{"note":"${'x'.repeat(16_000)}"}'`;
  const ownCustomer = `id = '${customer.id}'`;
  copy('customers', ownCustomer, 300, { id: "'cus_heavy' || i", associated_id: "'heavy' || i", metadata: heavy });
  copy('customers', ownCustomer, 1, { id: "'cus_large'", associated_id: "'large'", metadata: `'${large}'` });
  copy('products', `id = '${spare.id}'`, 20_000, {
    id: "'prod_many' || i",
    group_id: 'case when i < 2000 then t.group_id end',
  });
  copy('prices', `product_id = '${spare.id}'`, 20_000, {
    id: "'price_many' || i",
    product_id: "'prod_many' || i",
  });
  copy('subscriptions', `id = '${subscriptionId}'`, 3000, {
    id: "'sub_many' || i",
    payment_intent_id: "'int_many' || i",
    group_id: 'null',
    customer_id: "'cus_heavy' || (i % 300 + 1)",
    product_id: "'prod_many' || i",
    price_id: "'price_many' || i",
  });
  copy('traces', "tenant_alias = 'acme'", 5000, { event_id: "'evt_many' || i" });
  database.close();
  return {
    alias: 'acme',
    group: group.id,
    customer: customer.id,
    product: product.id,
    subscription: subscriptionId,
  };
}

// Creates the data of all benchmarks once, through the product's REST interface.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import Database from 'better-sqlite3';
import { confirmMutation } from '../../peers/queries.mjs';
import { alias } from '../../peers/store.mjs';
import { startServer } from '../servers/processes.mjs';

const groupCount = 20;
const pricesPerProduct = 3;
/** Products without a group, so that a customer can subscribe to each of them. */
const singleProducts = 20;
const groupedProducts = 200;
const requestsAtOnce = 64;

/** Fills a new file; `confirm` is the mutation that pays an intent. Returns its records and an API key. */
export async function seed(variants, program, folder, customerCount, confirm = confirmMutation) {
  const database = path.join(folder, 'seed.db');
  const apiKey = createTenant(program, database);
  const server = await startServer({ name: 'perennial', command: variants.perennial }, { database });
  try {
    const send = createSender(server.port, apiKey);
    const groups = await runInTurn(groupCount, (index) => send('/api/v1/groups', { name: `Group ${index}` }));
    const singles = await runInTurn(singleProducts, (index) =>
      send('/api/v1/products', product(`Single ${index}`)),
    );
    // One after another, so that the newest pages contain only these.
    const products = await runInTurn(groupedProducts, (index) =>
      send('/api/v1/products', { ...product(`Plan ${index}`), groupId: groups[index % groupCount].id }),
    );
    const customers = await runConcurrently(customerCount, (index) => send('/api/v1/customers', customer(index)));
    await payOnce(send, customers[0], singles[0], confirm);
    return {
      database,
      apiKey,
      customers: customers.map(({ id, associatedId }) => ({ id, associatedId })),
      prices: products.flatMap(({ prices }) => prices.map(({ id, productId }) => ({ id, productId }))),
      singles: singles.map(({ product: { id }, prices }) => ({ productId: id, priceId: prices[0].id })),
    };
  } finally {
    await server.stop();
    // The file is copied, so its write-ahead log must be empty.
    const file = new Database(database);
    file.pragma('wal_checkpoint(TRUNCATE)');
    file.close();
  }
}

function createTenant(program, database) {
  const args = [program, 'tenant', 'create', alias, '--test', '--database', `sqlite:${database}`];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const [apiKey] = /prn_\S+/.exec(stdout) ?? [];
  if (!apiKey) throw new Error(`No tenant was made: ${stderr}`);
  return apiKey;
}

const product = (name) => ({
  tenantAlias: alias,
  name,
  description: `${name}: everything that a small office needs, and support by people who answer.`,
  prices: Array.from({ length: pricesPerProduct }, (_, index) => ({
    details: { amount: 9.5 + 10 * index, currency: 'usd' },
    recurring: { frequency: index === 2 ? 'Yearly' : 'Monthly', period: 1 },
  })),
});

const customer = (index) => ({
  tenantAlias: alias,
  email: `customer.${index}@example.com`,
  firstName: 'Ada',
  lastName: `Lovelace ${index}`,
  associatedId: `user-${index}`,
  metadata: { plan: 'small', city: 'Kabul' },
});

/** The floor benchmark uses the rows of this payment as its model. */
async function payOnce(send, { id, associatedId }, { product: { id: productId }, prices }, confirm) {
  const { intentId } = await send('/api/v1/subscriptions/intent', {
    customerId: id,
    associatedCustomerId: associatedId,
    productId,
    priceId: prices[0].id,
    receiptUrl: 'https://example.com/thanks',
  });
  const { data } = await send('/graphql', { query: confirm, variables: { id: intentId } });
  if (data?.confirmIntent?.status !== 'succeeded') throw new Error('The first intent was not paid.');
}

function createSender(port, apiKey) {
  return async (target, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${target}`, {
      method: 'POST',
      headers: { 'api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(target === '/graphql' ? body : { tenantAlias: alias, ...body }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${target}: ${JSON.stringify(answer)}`);
    return answer;
  };
}

async function runInTurn(count, work) {
  const made = [];
  for (let index = 0; index < count; index++) made.push(await work(index));
  return made;
}

async function runConcurrently(count, work) {
  const made = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      made[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, worker));
  return made;
}

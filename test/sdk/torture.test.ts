/** Mutations through the SDK whose answers are lost at random: each is made once, and its call succeeds. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { sampledRunsInCore } from '../support/sample.ts';
import { importSdk } from '../support/sdk.ts';
import { startCuttingProxy, type Fate } from './cuttingProxy.ts';

const mutations = sampledRunsInCore(10_000, 40);
/** On a busy machine, with an attempt in three that succeeds. */
const longestMs = 900_000;
/** A customer may have 250 credits with a remainder, and as many waiting charges. */
const customers = Math.ceil(mutations / 400);
const atOnce = 16;
/** Six attempts in ten fail, and each pause is twice the one before: pauses of milliseconds would add up to minutes. */
const retryDelayMs = 0.01;

const { Perennial } = await importSdk();

let app: TestApp;
let client: Client;
let url: string;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCostPerSecond: '1000000' });
  client = await app.tenant({ alias: 'acme', test: true });
  url = await listen(app);
});
afterAll(() => app.close());

/** The same fates for each run of the test. */
function createChoice(): () => Fate {
  const weighted: Fate[] = [
    'pass',
    'pass',
    'pass',
    'pass',
    'lost',
    'cut',
    'cut',
    'half',
    'half',
    'unavailable',
  ];
  const [choices] = fc.sample(fc.array(fc.constantFrom(...weighted), { minLength: 5000, maxLength: 5000 }), {
    numRuns: 1,
    seed: 37,
  });
  let next = 0;
  return () => choices![(next += 1) % choices!.length]!;
}

/** Calls a function for 0 to `count - 1`, several at a time. */
async function repeat(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work((next += 1) - 1);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

it(
  `makes each of ${mutations} mutations once`,
  async () => {
    const proxy = await startCuttingProxy(url, createChoice());
    const perennial = new Perennial({ url: proxy.url, key: client.apiKey, maxRetries: 40, retryDelayMs });
    const ids: string[] = [];
    const results = new Map<string, string>();
    try {
      const email = 'ada@example.com';
      await repeat(customers, async (index) => {
        const input = { email, firstName: 'Ada', lastName: 'Lovelace', associatedId: `own-${index}` };
        ids[index] = (await perennial.customers.create(input)).id;
      });
      await repeat(mutations, async (index) => {
        const customerId = ids[index % customers];
        const text = `Number ${index}`;
        const amount = { decimal: '1.00', currency: 'usd' };
        const { id } =
          index % 2 === 0
            ? await perennial.credits.grant({ customerId, amount, reason: text })
            : await perennial.invoiceItems.create({ customerId, amount, description: text });
        results.set(text, id);
      });
    } finally {
      await proxy.close();
    }
    expect(results.size).toBe(mutations);
    for (const fate of ['lost', 'cut', 'half', 'unavailable'] as const)
      expect(proxy.counts[fate], fate).toBeGreaterThan(mutations / 20);

    const direct = new Perennial({ url, key: client.apiKey });
    const made = new Map<string, string>();
    let count = 0;
    for await (const { id, reason } of direct.credits.list()) {
      count += 1;
      made.set(reason, id);
    }
    for await (const { id, description } of direct.invoiceItems.list()) {
      count += 1;
      made.set(description, id);
    }
    expect(count).toBe(mutations);
    expect(Object.fromEntries(made)).toEqual(Object.fromEntries(results));
    expect(await direct.customers.list().first(customers + 1)).toHaveLength(customers);
  },
  longestMs,
);

/** Tasks of people, done by a scripted agent over both transports. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAgent, transports, type Agent, type ToolAnswer } from '../support/mcp.ts';
import { root } from '../sourceFiles.ts';
import { openBusiness, start, type Business } from './business.ts';
import { readingTasks } from './tasks.ts';

let business: Business;

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build/docs.mjs'], { cwd: root, stdio: 'ignore' });
  business = await openBusiness();
});
afterAll(() => business.close());

/** The only value in the data of a query, as text. */
async function ask(query: string): Promise<string> {
  const { subscriptions, prices } = business;
  const document = query.replaceAll(/(SUBSCRIPTION|PRICE)_([A-Z]+)/g, (_, kind: string, name: string) => {
    const ids: Record<string, string> = kind === 'PRICE' ? prices : subscriptions;
    return ids[name.toLowerCase()]!;
  });
  let value: any = await business.reader.graphql(document);
  while (typeof value === 'object' && value !== null) value = Object.values(value)[0];
  return String(value);
}

it('has at least 30 tasks', () => {
  expect(readingTasks.length).toBeGreaterThanOrEqual(30);
});

describe.each(transports)('over %s', (transport) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connectAgent(business.app, business.reader.apiKey, transport);
  });
  afterAll(() => agent.close());

  it.each(readingTasks)('$task', async ({ calls, figure, expected }) => {
    const answers: ToolAnswer[] = [];
    for (const [tool, args] of calls) {
      const answer = await agent.call(tool, args(business, answers));
      expect(answer.error, `${tool}: ${answer.text}`).toBeUndefined();
      answers.push(answer);
    }
    const shown = figure(answers);
    if (typeof expected === 'string') expect(String(shown)).toBe(await ask(expected));
    else expect(shown).toEqual(expected.equals);
  });
});

it('plans a catalogue, applies the plan once, also by ten calls at the same time, and refuses one that is old', async () => {
  const agent = await connectAgent(business.app, business.owner.apiKey);
  const products = [
    {
      lookupKey: 'plus',
      name: 'Plus',
      features: ['Everything'],
      prices: [
        { lookupKey: 'plus_monthly', details: { decimal: '15', currency: 'EUR' } },
        {
          lookupKey: 'plus_yearly',
          details: { decimal: '150', currency: 'EUR' },
          recurring: { frequency: 'Yearly' },
        },
      ],
    },
  ];
  const count = async () => [
    await ask('{ products { totalCount } }'),
    await ask('{ products(lookupKey: "plus") { totalCount } }'),
  ];
  const plan = await agent.call('create_catalog', { step: 'plan', products });
  const created = ['plus', 'plus_monthly', 'plus_yearly'].map((key) => ({ action: 'create', key }));
  expect(plan.value.changes).toMatchObject(created);
  const [before] = await count();
  const { planId } = plan.value;
  const applied = await Promise.all(
    Array.from({ length: 10 }, () => agent.call('create_catalog', { step: 'apply', products, planId })),
  );
  expect(applied.filter(({ value }) => value?.changes.length === 3).length).toBeGreaterThan(0);
  for (const { error } of applied)
    if (error) expect(['request_in_flight', 'catalog_changed']).toContain(error.reason);
  expect(await count()).toEqual([String(Number(before) + 1), '1']);

  const again = await agent.call('create_catalog', { step: 'plan', products });
  expect(again.value.changes).toEqual([]);
  const dearer = [
    {
      ...products[0],
      prices: [{ lookupKey: 'plus_monthly', details: { decimal: '16', currency: 'EUR' } }],
    },
  ];
  const old = await agent.call('create_catalog', {
    step: 'apply',
    products: dearer,
    planId: again.value.planId,
  });
  expect(old.error?.reason).toBe('catalog_changed');
  const replaced = await agent.call('create_catalog', { step: 'plan', products: dearer });
  expect(replaced.value.changes).toMatchObject([{ action: 'replace', key: 'plus_monthly' }]);
  const wrong = [
    {
      lookupKey: 'odd',
      name: 'Odd',
      prices: [{ lookupKey: 'odd_1', details: { decimal: '1.005', currency: 'EUR' } }],
    },
  ];
  const refused = await agent.call('create_catalog', { step: 'plan', products: wrong });
  expect(refused.error).toMatchObject({
    reason: 'amount_precision',
    issues: [{ path: expect.stringMatching(/^products\.0\.prices\.0/) }],
  });
  await agent.close();
});

it('simulates a customer, and nothing twice', async () => {
  const agent = await connectAgent(business.app, business.owner.apiKey, 'stdio');
  const args = {
    subscriber: { associatedId: 'sim-1', email: 'sim@example.com', priceId: business.prices.yearly },
    idempotencyKey: 'simulation-1',
  };
  const played = await agent.call('simulate', args);
  expect(played.error).toBeUndefined();
  const { customerId, subscriptionId, invoices } = played.value;
  expect(invoices).toMatchObject([{ customerId, total: { decimal: '350.00' }, status: 'paid' }]);
  const repeated = await agent.call('simulate', args);
  expect(repeated.value).toMatchObject({ customerId, subscriptionId });
  const changed = await agent.call('simulate', { ...args, advanceTo: '2026-03-01T00:00:00Z' });
  expect(changed.error?.reason).toBe('idempotency_key_reused');

  const advanced = await agent.call('simulate', { advanceTo: '2026-03-10T00:00:00Z' });
  expect(advanced.value).toMatchObject({ to: '2026-03-10T00:00:00.000Z', reached: true });
  expect(advanced.value.from < '2026-02-07' && advanced.value.from >= start).toBe(true);
  expect(String(advanced.value.invoiceCount)).toBe(
    await ask(`{ invoices(createdAfter: "${advanced.value.from}") { totalCount } }`),
  );
  expect(advanced.value.events).toContainEqual(
    expect.objectContaining({ type: 'SubscriptionEvent', action: 'billed' }),
  );
  await agent.close();
});

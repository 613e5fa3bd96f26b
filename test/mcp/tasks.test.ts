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
      name: 'Plus',
      features: ['Everything'],
      prices: [
        { details: { decimal: '15', currency: 'EUR' } },
        { details: { decimal: '150', currency: 'EUR' }, recurring: { frequency: 'Yearly' } },
      ],
    },
  ];
  const plan = await agent.call('create_catalog', { step: 'plan', products });
  expect(plan.value.steps).toMatchObject([{ action: 'create_product', productId: null }]);
  const before = await ask('{ products { totalCount } }');
  const { planId } = plan.value;
  const applied = await Promise.all(
    Array.from({ length: 10 }, () => agent.call('create_catalog', { step: 'apply', products, planId })),
  );
  const made = applied.filter(({ value }) => value?.steps[0].priceIds.length === 2);
  expect(made.length).toBeGreaterThan(0);
  for (const { value, error } of applied)
    if (error) expect(error.reason).toBe('request_in_flight');
    else expect(value.steps[0].productId).toBe(made[0]!.value.steps[0].productId);
  expect(await ask('{ products { totalCount } }')).toBe(String(Number(before) + 1));

  const again = await agent.call('create_catalog', { step: 'apply', products, planId });
  expect(again.value.steps).toMatchObject([{ action: 'keep', priceIds: [] }]);
  const other = [{ name: 'Plus', prices: [{ details: { decimal: '16', currency: 'EUR' } }] }];
  const old = await agent.call('create_catalog', { step: 'apply', products: other, planId });
  expect(old.error).toMatchObject({ reason: 'validation_failed', issues: [{ path: 'planId' }] });
  const wrong = [{ name: 'Odd', prices: [{ details: { decimal: '1.005', currency: 'EUR' } }] }];
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

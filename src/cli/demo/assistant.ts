/** An AI product of the demo, which is billed by tokens: its meter, its limit, its customers, their credit and their use. */
import { createProduct } from '../../billing/catalog/products.ts';
import { createCustomer } from '../../billing/customers/customers.ts';
import { attachFeature } from '../../billing/entitlements/productEntitlements.ts';
import { createFeature } from '../../billing/entitlements/features.ts';
import { createCreditGrant } from '../../billing/invoices/creditGrants.ts';
import { topUpCredit } from '../../billing/invoices/topUps.ts';
import { confirmIntent } from '../../billing/subscriptions/intents/confirmation.ts';
import { createSubscriptionIntent } from '../../billing/subscriptions/intents/intents.ts';
import { createMeter } from '../../billing/usage/meters.ts';
import { recordUsage } from '../../billing/usage/recordUsage.ts';
import type { UsageEventInput } from '../../billing/usage/usageEvent.ts';
import { dayMs } from '../../lib/durations.ts';
import { randomFrom, type Random } from '../../lib/random.ts';
import { toInstant } from '../../lib/time.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { inventPerson } from './people.ts';
import type { Act, Story } from './story.ts';

/** For how long the product has been sold. */
const daysOnSale = 75;

/** Those who use it, by their calls on a working day. The last is close to the limit, and the first has bought credit. */
const callsADay = [12, 5, 9, 3, 17, 7, 26];

/** A stream of its own, so that the rest of the history does not depend on it. */
const seed = 35;

/** The models, with how often each is called and the tokens of a call. */
const models = {
  small: { weight: 70, tokens: [500, 9_000] },
  large: { weight: 25, tokens: [2_000, 40_000] },
  vision: { weight: 5, tokens: [20_000, 90_000] },
} as const satisfies Record<string, { weight: number; tokens: [number, number] }>;
const weights = { small: models.small.weight, large: models.large.weight, vision: models.vision.weight };

const includedTokens = 1_000_000;
const mostTokens = 8_000_000;
const firstIndex = 9_000;

interface User {
  customerId: string;
  callsADay: number;
}

/** Plans the product and its use until the end of the history. */
export function planAssistant(story: Story): void {
  const { clock, endMs } = story;
  const beginMs = Math.max(clock.nowMs(), endMs - daysOnSale * dayMs);
  const random = randomFrom(seed);
  story.planAt(beginMs, async (_, tenant) => {
    const users: User[] = [];
    const offer = await createAssistant(tenant);
    for (const [index, calls] of callsADay.entries())
      story.planAt(beginMs + index * 2 * dayMs, subscribe(offer, users, { random, index, calls }));
    for (let ms = beginMs + dayMs; ms < endMs; ms += dayMs) story.planAt(ms, use(users, random));
  });
}

interface Offer {
  productId: string;
  priceId: string;
  meterId: string;
}

/** One price with a rate for each model, and a hard limit of tokens a month. */
async function createAssistant(tenant: TenantScope): Promise<Offer> {
  const meter = await tenant.write((unit) =>
    createMeter(unit, {
      name: 'Tokens',
      event: 'completion',
      aggregation: 'sum',
      value: 'tokens',
      groupBy: ['model'],
    }),
  );
  const product = await tenant.write((unit) =>
    createProduct(unit, {
      name: 'Assistant',
      description:
        'An assistant that reads and writes. Billed by tokens, of which the first million is free.',
      prices: [
        {
          meterId: meter.id,
          details: { decimal: '0.00001', currency: 'usd' },
          recurring: { frequency: 'Monthly', period: 1 },
          includedUnits: `${includedTokens}`,
          rates: [
            { match: { model: 'small' }, unitAmount: '0.000002' },
            { match: { model: 'large' }, unitAmount: '0.000015' },
            { match: { model: 'vision' }, unitAmount: '0.00003' },
          ],
        },
      ],
    }),
  );
  const price = (await tenant.read.one('prices', { productId: product.id }))!;
  const limit = {
    key: 'assistant_tokens',
    name: 'Tokens of the assistant',
    kind: 'limit',
    meterId: meter.id,
  };
  const vision = { key: 'assistant_vision', name: 'Reading pictures', kind: 'boolean' };
  const attach = (feature: string, value: unknown) =>
    tenant.write((unit) => attachFeature(unit, { productId: product.id, feature, value }));
  await tenant.write((unit) => createFeature(unit, limit));
  await tenant.write((unit) => createFeature(unit, vision));
  await attach(limit.key, mostTokens);
  await attach(vision.key, true);
  return { productId: product.id, priceId: price.id, meterId: meter.id };
}

/** A company subscribes, and gets some credit for tokens. */
const subscribe =
  (
    { meterId, ...offer }: Offer,
    users: User[],
    { random, index, calls }: { random: Random; index: number; calls: number },
  ): Act =>
  async (_, tenant) => {
    const { fields } = inventPerson(random, firstIndex + index, true);
    const { id: customerId } = await tenant.write((unit) => createCustomer(unit, fields));
    const order = { customerId, ...offer, receiptUrl: 'https://app.tidewater.example/welcome' };
    const intent = await tenant.write((unit) => createSubscriptionIntent(unit, order));
    await confirmIntent(tenant, intent.id, 'card_good');
    users.push({ customerId, callsADay: calls });
    const welcome = {
      customerId,
      name: 'Welcome',
      category: 'promotional',
      amount: { amount: 25, currency: 'usd' },
      appliesTo: { meterIds: [meterId] },
    };
    await tenant.write((unit) => createCreditGrant(unit, welcome));
    if (index === 0)
      await topUpCredit(tenant, {
        customerId,
        name: 'Prepaid',
        amount: { amount: 200, currency: 'usd' },
      });
  };

/** The calls of a day, of which there are few on Saturdays and Sundays. */
const use =
  (users: readonly User[], random: Random): Act =>
  async ({ clock }, tenant) => {
    const nowMs = clock.nowMs();
    const weekday = new Date(nowMs - dayMs).getUTCDay();
    const share = weekday === 0 || weekday === 6 ? 0.2 : 1;
    const events: UsageEventInput[] = [];
    for (const { customerId, callsADay: usual } of users) {
      const calls = Math.round(usual * share * (0.7 + random.fraction() * 0.6));
      for (let call = 0; call < calls; call++)
        events.push(inventCall(random, customerId, nowMs, events.length));
    }
    if (events.length > 0) await recordUsage(tenant, { events });
  };

function inventCall(random: Random, customerId: string, nowMs: number, index: number): UsageEventInput {
  const model = random.weighted(weights);
  const [least, most] = models[model].tokens;
  return {
    id: `call-${nowMs}-${index}`,
    event: 'completion',
    customerId,
    at: toInstant(nowMs - Math.floor(random.fraction() * 0.4 * dayMs)),
    properties: { model, tokens: random.whole(least, most) },
  };
}

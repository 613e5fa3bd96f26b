/** How customers of the demo subscribe. */
import { createCustomer } from '../../billing/customers/customers.ts';
import { confirmIntent } from '../../billing/subscriptions/intents/confirmation.ts';
import { createSubscriptionIntent } from '../../billing/subscriptions/intents/intents.ts';
import { setPaymentMethod } from '../../billing/collection/paymentMethodChange.ts';
import { startTrial } from '../../billing/subscriptions/intents/startTrial.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { promotionCodes, type Currency, type Frequency } from './catalog.ts';
import { inventPerson } from './people.ts';
import type { Act, Story } from './story.ts';

/** A customer with a plan in mind. */
export interface Buyer {
  customerId: string;
  currency: Currency;
  plan: string;
  frequency: Frequency;
}

/** How often each plan is chosen, with its interval. */
const choices = {
  'Basic Monthly': 16,
  'Basic Yearly': 5,
  'Pro Monthly': 14,
  'Pro Yearly': 6,
  'Starter Monthly': 9,
  'Solo Monthly': 16,
  'Solo Yearly': 6,
  'Team Monthly': 20,
  'Team Yearly': 6,
  'Business Monthly': 7,
  'Business Yearly': 3,
  'API Monthly': 7,
};
const forCompanies = new Set(['Pro', 'Team', 'Business', 'API']);
const onlyInDollars = new Set(['Basic', 'Pro']);

const methods = { card_good: 71, card_weak: 14, sepa_good: 7, card_declined: 5 };

/** A new customer comes to the checkout; `follow` plans the life of their subscription. */
export const join =
  (follow: Follow): Act =>
  async (story, tenant) => {
    const { random } = story;
    const [plan, frequency] = random.weighted(choices).split(' ') as [string, Frequency];
    story.customers += 1;
    const person = inventPerson(random, story.customers, forCompanies.has(plan));
    const { id: customerId } = await tenant.write((unit) => createCustomer(unit, person.fields));
    const currency = onlyInDollars.has(plan) ? 'usd' : person.place.currency;
    await buy({ customerId, plan, frequency, currency }, follow)(story, tenant);
  };

/** Plans what follows the start of a subscription. */
export type Follow = (story: Story, subscriptionId: string, buyer: Buyer) => void;

/** A customer subscribes: with a code now and then, and sometimes at the second attempt or never. */
export const buy =
  (buyer: Buyer, follow: Follow): Act =>
  async (story, tenant) => {
    const { random } = story;
    const order = buildOrder(story, buyer);
    const intent = await tenant.write((unit) => createSubscriptionIntent(unit, order));
    if (random.chance(0.04)) return;
    const isTrial = intent.trialDays !== null;
    if (isTrial && random.chance(0.35)) return tryOut(story, tenant, intent.id, buyer, follow);
    const method = chooseMethod(story, buyer);
    const pay = async (again: TenantScope, chosen: string) => {
      const { subscriptionId } = await confirmIntent(again, intent.id, chosen);
      if (subscriptionId) follow(story, subscriptionId, buyer);
      else if (chosen === 'manual') story.plan(30, followPaid(intent.id, buyer, follow));
    };
    // Most come back with another card within minutes.
    if (method === 'card_declined' && random.chance(0.8))
      story.plan(0.003, (_, later) => pay(later, 'card_good'));
    await pay(tenant, method);
  };

/** A subscription that begins with a transfer has a life once the money has come. */
const followPaid =
  (intentId: string, buyer: Buyer, follow: Follow): Act =>
  async (story, { read }) => {
    const intent = await read.one('intents', { id: intentId });
    if (intent?.subscriptionId) follow(story, intent.subscriptionId, buyer);
  };

function buildOrder({ random, catalog }: Story, { customerId, plan, frequency, currency }: Buyer) {
  const offer = catalog[plan]!;
  const key = `${currency} ${frequency}` as const;
  const addOns = ['Storage', 'Priority support'].flatMap((name) => {
    const priceId = catalog[name]![key];
    if (!forCompanies.has(plan) || !random.chance(0.12)) return [];
    return [{ priceId, ...(name === 'Storage' && { quantity: random.whole(1, 6) * 100 }) }];
  });
  return {
    customerId,
    productId: offer.productId,
    priceId: offer[key],
    receiptUrl: 'https://app.tidewater.example/welcome',
    quantity: chooseQuantity(random, plan),
    addOns,
    promotionCode: random.chance(0.14) ? random.pick(promotionCodes) : undefined,
    metadata: { channel: forCompanies.has(plan) ? 'sales' : 'website' },
  };
}

function chooseQuantity(random: Story['random'], plan: string): number | undefined {
  if (plan === 'Team') return random.whole(2, 9);
  if (plan === 'Business') return random.whole(10, random.chance(0.2) ? 140 : 40);
  return plan === 'API' ? random.whole(8, 320) : undefined;
}

/** Companies on the larger plans sometimes pay by bank transfer, and those in euros by direct debit. */
function chooseMethod({ random }: Story, { plan, currency }: Buyer): string {
  if (plan === 'Business' && random.chance(0.3)) return 'manual';
  const method = random.weighted(methods);
  return method === 'sepa_good' && currency !== 'eur' ? 'card_good' : method;
}

/** A trial without a payment method: half of them give one before it ends, the others never do. */
async function tryOut(
  story: Story,
  tenant: TenantScope,
  intentId: string,
  buyer: Buyer,
  follow: Follow,
): Promise<void> {
  const begun = await tenant.write((unit) => startTrial(unit, intentId));
  const id = begun.subscriptionId!;
  if (!story.random.chance(0.55)) return;
  story.plan(story.random.whole(5, 13), async (_, later) => {
    await setPaymentMethod(later, id, 'card_good');
    follow(story, id, buyer);
  });
}

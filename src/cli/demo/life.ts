/** What happens to the subscriptions of the demo after they have started. */
import { createInvoice, createInvoiceItem } from '../../billing/invoices/oneOffInvoices.ts';
import { grantCustomerCredit } from '../../billing/invoices/grantedCredits.ts';
import { refundInvoice } from '../../billing/invoices/refunds.ts';
import { addMs } from '../../lib/time.ts';
import { createCreditNote } from '../../billing/invoices/issueCreditNote.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import {
  cancellationReasons,
  cancelSubscription,
  pauseSubscription,
  resumeSubscription,
  uncancelSubscription,
} from '../../billing/subscriptions/lifecycle.ts';
import { changeSubscription } from '../../billing/subscriptions/changes/subscriptionChange.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { toMajor } from '../../lib/money.ts';
import { buy, type Buyer, type Follow } from './join.ts';
import { dayMs } from '../../lib/durations.ts';
import { getNow, type Story } from './story.ts';

type Subscription = Row<'subscriptions'>;

/** One customer's subscription at a moment. */
interface Moment {
  story: Story;
  tenant: TenantScope;
  subscription: Subscription;
  buyer: Buyer;
}

type Event = (moment: Moment) => Promise<unknown>;

/** What may happen to a subscription in a month, with its weight; mostly nothing does. */
const events: Record<string, [weight: number, event: Event]> = {
  nothing: [830, async () => undefined],
  cancel: [30, cancel],
  upgrade: [34, (moment) => climb(moment, 1)],
  downgrade: [9, (moment) => climb(moment, -1)],
  addSeats: [46, (moment) => changeSeats(moment, moment.story.random.whole(1, 5))],
  dropSeats: [14, (moment) => changeSeats(moment, -moment.story.random.whole(1, 3))],
  pause: [6, pause],
  refund: [9, refund],
  creditNote: [5, noteCredit],
  goodwill: [5, grantCredit],
  billWork: [8, billWork],
  addCharge: [6, addCharge],
};

const weights = Object.fromEntries(Object.entries(events).map(([name, [weight]]) => [name, weight]));

/** Plans the life of a subscription: a look at it about once a month, until it has ended. */
export const follow: Follow = (story, subscriptionId, buyer) => {
  story.plan(story.random.whole(24, 36) + story.random.fraction(), async (_, tenant) => {
    const subscription = await tenant.read.one('subscriptions', { id: subscriptionId });
    if (!subscription || subscription.cancelledAt !== null) return;
    follow(story, subscriptionId, buyer);
    const name = chooseEvent(story, buyer);
    if (subscription.pausedAt === null && subscription.pastDueSince === null)
      await events[name]![1]({ story, tenant, subscription, buyer });
  });
};

/** Those who pay by the year rarely leave. */
function chooseEvent({ random }: Story, { frequency }: Buyer): string {
  const name = random.weighted(weights);
  return name === 'cancel' && frequency === 'Yearly' && random.chance(0.6) ? 'nothing' : name;
}

const comments: Partial<Record<string, string[]>> = {
  too_expensive: ['We had to cut our tools this quarter.', 'Too much for what we use.'],
  missing_features: ['We need an audit log.', 'No calendar view yet?'],
  switched_service: ['Our parent company has its own tool.'],
  unused: ['The project ended.'],
};

async function cancel(moment: Moment): Promise<void> {
  const { story, tenant, subscription, buyer } = moment;
  const { random } = story;
  const reason = random.pick([...cancellationReasons, 'too_expensive', 'unused', 'unused'] as const);
  const comment = random.chance(0.4) ? random.pick(comments[reason] ?? ['']) : null;
  const atPeriodEnd = random.chance(0.8);
  await tenant.write((unit) => cancelSubscription(unit, subscription.id, { atPeriodEnd, reason, comment }));
  if (!atPeriodEnd && random.chance(0.5)) await refund(moment);
  if (atPeriodEnd && random.chance(0.12)) {
    story.plan(random.whole(1, 8), (_, later) =>
      later.write((unit) => uncancelSubscription(unit, subscription.id)),
    );
  } else if (random.chance(0.16)) story.plan(random.whole(40, 150), buy(buyer, follow));
}

/** The plans from the smallest to the largest; those in dollars only come last. */
const ladder = ['Starter', 'Solo', 'Team', 'Business'];
const dollarLadder = ['Basic', 'Pro', 'Team', 'Business'];

/** Moves to a larger or smaller plan, or from monthly to yearly payments. */
async function climb({ story, tenant, subscription, buyer }: Moment, by: 1 | -1): Promise<void> {
  const { random, catalog } = story;
  const steps = dollarLadder.includes(buyer.plan) && buyer.currency === 'usd' ? dollarLadder : ladder;
  const at = steps.indexOf(buyer.plan);
  const isSwitch = by === 1 && buyer.frequency === 'Monthly' && random.chance(0.25);
  const plan = isSwitch ? buyer.plan : at < 0 ? undefined : steps[at + by];
  const frequency = isSwitch ? 'Yearly' : buyer.frequency;
  const priceId = plan && catalog[plan]![`${buyer.currency} ${frequency}`];
  if (!plan || !priceId || plan === 'Starter') return;
  const quantity = plan === 'Team' ? random.whole(2, 6) : plan === 'Business' ? random.whole(10, 18) : null;
  await changeSubscription(tenant, subscription.id, { priceId, quantity });
  Object.assign(buyer, { plan, frequency });
}

async function changeSeats({ tenant, subscription, buyer }: Moment, by: number): Promise<void> {
  if (subscription.quantity === null) return;
  const least = buyer.plan === 'Business' ? 10 : 1;
  const quantity = Math.max(least, subscription.quantity + by);
  if (quantity !== subscription.quantity)
    await changeSubscription(tenant, subscription.id, { quantity, billing: by > 0 ? 'charge_now' : null });
}

async function pause({ story, tenant, subscription }: Moment): Promise<void> {
  await tenant.write((unit) => pauseSubscription(unit, subscription.id));
  if (story.random.chance(0.9))
    story.plan(story.random.whole(14, 70), (_, later) =>
      later.write((unit) => resumeSubscription(unit, subscription.id)),
    );
}

/** The latest paid invoice of the subscription that asked for money. */
async function findLastPaid({ tenant, subscription }: Moment): Promise<Row<'invoices'> | undefined> {
  const paid = await tenant.read.many('invoices', {
    where: { subscriptionId: subscription.id, status: 'paid' },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
    limit: 3,
  });
  return paid.find(({ totalMinor }) => totalMinor > 0n);
}

async function refund(moment: Moment): Promise<void> {
  const invoice = await findLastPaid(moment);
  if (!invoice) return;
  const { currency } = invoice;
  const total = toMajor(invoice.totalMinor, currency);
  const isWhole = moment.story.random.chance(0.5);
  const half = { amount: Math.max(1, Math.floor(total / 2)), currency };
  await refundInvoice(moment.tenant, invoice.id, { amount: isWhole ? undefined : half });
}

async function noteCredit(moment: Moment): Promise<void> {
  const invoice = await findLastPaid(moment);
  if (!invoice) return;
  const { currency } = invoice;
  const total = toMajor(invoice.totalMinor, currency);
  const kind = moment.story.random.pick(['credit', 'credit', 'refund'] as const);
  const amount = { amount: Math.max(1, Math.floor(total / 4)), currency };
  await createCreditNote(moment.tenant, {
    invoiceId: invoice.id,
    amount,
    kind,
    reason: 'Outage in the morning',
  });
}

async function grantCredit({ story, tenant, subscription }: Moment): Promise<void> {
  const { customerId, currency } = subscription;
  const expiresAt = story.random.chance(0.5) ? addMs(getNow(story), 120 * dayMs) : null;
  const credit = { amount: { amount: 10, currency }, reason: 'Referred a customer', expiresAt };
  await tenant.write((unit) => grantCustomerCredit(unit, customerId, credit));
}

/** An operator bills work at once. */
async function billWork({ story, tenant, subscription }: Moment): Promise<void> {
  const { customerId, currency } = subscription;
  const work = story.random.pick([
    { description: 'Onboarding workshop', amount: 240 },
    { description: 'Data migration', amount: 390 },
    { description: 'Custom report', amount: 120 },
  ]);
  const items = [{ description: work.description, amount: { amount: work.amount, currency } }];
  const metadata = { project: work.description };
  await createInvoice(tenant, customerId, { items, collect: 'automatic', metadata });
}

/** A charge that waits for the next invoice. */
async function addCharge({ story, tenant, subscription }: Moment): Promise<void> {
  const { id: subscriptionId, customerId, currency } = subscription;
  const quantity = story.random.whole(1, 4);
  const charge = { description: 'Extra export', amount: { amount: 5, currency }, quantity, subscriptionId };
  await tenant.write((unit) => createInvoiceItem(unit, customerId, charge));
}

/** Two years of the demo tenant, made with a clock that is moved. */
import { endDiscounts } from '../../billing/discounts/ends.ts';
import { expireCredits } from '../../billing/invoices/creditExpiry.ts';
import { expireIntents } from '../../billing/renewals/intentExpiry.ts';
import { giveNotices } from '../../billing/renewals/notices.ts';
import { renewBatch } from '../../billing/renewals/renewalBatch.ts';
import { updateProduct } from '../../billing/subscriptions/productChanges.ts';
import { setPaymentMethod } from '../../billing/collection/paymentMethodChange.ts';
import { recordPayment } from '../../billing/collection/transfers.ts';
import { updateTenant } from '../../tenants/settings.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { planAssistant } from './assistant.ts';
import { createCatalog, createCoupons, designs } from './catalog.ts';
import { join } from './join.ts';
import { follow } from './life.ts';
import { planRates } from './rates.ts';
import { dayMs } from '../../lib/durations.ts';
import type { Act, Story } from './story.ts';

const none: ReadonlySet<string> = new Set();

/** When due work is done each day (UTC), as a share of the day: in the evening of the day on which it is due. */
const evening = 0.9999;

/** The growth of the business: this share of the customers would come if all months were alike. */
const steadyShare = 0.3;

/** How often, each day, a customer who is past due gives another card, and a transfer arrives. */
const [rescueProbability, transferProbability] = [0.045, 0.15];

/** The tenant's own details, as documents and pages show them. */
const settings = {
  seller: {
    legalName: 'Tidewater Software GmbH',
    address: { line1: 'Speicherstraße 8', city: 'Hamburg', postalCode: '20457', country: 'DE' },
    taxIds: [{ type: 'eu_vat', value: 'DE136695976' }],
    registration: 'Amtsgericht Hamburg, HRB 123456',
  },
  bankAccount: {
    accountHolder: 'Tidewater Software GmbH',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
    bankName: 'Example Bank',
  },
  branding: {
    displayName: 'Tidewater',
    color: '#0b5f73',
    supportEmail: 'help@tidewater.example',
    supportUrl: 'https://tidewater.example/help',
  },
  paymentTermsDays: 14,
};

/** Makes a history with that many subscribing customers. `onDay` receives the number of days that have passed. */
export async function makeHistory(
  story: Story,
  customers: number,
  onDay: (day: number) => void,
): Promise<void> {
  const tenant = await story.open();
  await tenant.write((unit) => updateTenant(unit, settings));
  story.catalog = await createCatalog(tenant, designs);
  await createCoupons(tenant);
  planRates(story);
  planJoins(story, customers);
  planRounds(story);
  planAssistant(story);
  await story.run(onDay);
  await bill(story, await story.open());
}

/** More customers come in later months than in the first; most come by day. */
function planJoins(story: Story, customers: number): void {
  const { random, clock, endMs } = story;
  const beginMs = clock.nowMs();
  const daily = join(follow);
  for (let index = 0; index < customers; index++) {
    const share = (index + random.fraction()) / customers;
    const time = random.chance(steadyShare) ? share : Math.sqrt(share);
    const day = Math.floor((time * (endMs - beginMs)) / dayMs);
    const ofDay = random.chance(0.85) ? 0.3 + random.fraction() * 0.5 : random.fraction();
    story.planAt(beginMs + Math.round((day + ofDay) * dayMs), daily);
  }
}

function planRounds(story: Story): void {
  const { clock, endMs } = story;
  const beginMs = clock.nowMs();
  for (let day = Math.floor(beginMs / dayMs); day * dayMs < endMs; day++)
    story.planAt(Math.round((day + evening) * dayMs), closeDay);
  story.planAt(beginMs + (endMs - beginMs) / 3, retireStarter);
}

/** The first plan is no longer sold; its subscribers keep it. */
const retireStarter: Act = ({ catalog }, tenant) =>
  tenant.write((unit) => updateProduct(unit, catalog['Starter']!.productId, { active: false }));

/** What happens once a day: notices, expiries, transfers that arrive, and customers who mend their payments. */
const closeDay: Act = async (story, tenant) => {
  const now = tenant.now();
  await bill(story, tenant);
  await expireIntents(tenant, now);
  await expireCredits(tenant, now);
  await endDiscounts(tenant, now);
  await giveNotices(tenant, now);
  await receiveTransfers(story, tenant);
  await rescue(story, tenant);
};

async function receiveTransfers({ random }: Story, tenant: TenantScope): Promise<void> {
  const open = await tenant.read.many('invoices', {
    where: { status: 'open' },
    orderBy: ['createdAt', 'id'],
    limit: 50,
  });
  for (const invoice of open) {
    if (!random.chance(transferProbability) || !(await awaitsTransfer(tenant, invoice))) continue;
    const reference = `statement-${invoice.number}`;
    await tenant.write((unit) => recordPayment(unit, invoice.id, { reference }));
  }
}

/** Whether an invoice is paid by transfer: the checkout it came from, or its subscription, says so. */
async function awaitsTransfer(
  { read }: TenantScope,
  { subscriptionId, intentId }: Row<'invoices'>,
): Promise<boolean> {
  const subscription = subscriptionId && (await read.one('subscriptions', { id: subscriptionId }));
  if (!subscription)
    return intentId !== null && (await read.one('intents', { id: intentId }))?.provider === 'manual';
  const methodId = subscription.paymentMethodId;
  return methodId === null || (await read.one('paymentMethods', { id: methodId }))?.provider === 'manual';
}

async function rescue({ random }: Story, tenant: TenantScope): Promise<void> {
  const pastDue = await tenant.read.many('subscriptions', {
    where: { pastDueSince: { isSet: true }, cancelledAt: null },
    orderBy: ['id'],
  });
  for (const { id } of pastDue)
    if (random.chance(rescueProbability)) await setPaymentMethod(tenant, id, 'card_good');
}

/** Renews the subscriptions that are due now. */
async function bill(_: Story, tenant: TenantScope): Promise<void> {
  const now = tenant.now();
  while (await hasDue(tenant, now)) {
    const { claimed } = await renewBatch(tenant, now, none);
    if (claimed === 0) return;
  }
}

/** Cheaper than a batch, and mostly false. */
async function hasDue({ read }: TenantScope, now: string): Promise<boolean> {
  const where = { dueAt: { to: now }, changingIntentId: null };
  const due = await read.many('subscriptions', { where, orderBy: ['dueAt', 'id'], limit: 1 });
  return due.length > 0;
}

import { parseCurrency } from '../../../lib/money.ts';
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { findCoupon } from '../../discounts/coupons.ts';
import { assertRedeemable, findOffer, type Offer } from '../../discounts/redemption.ts';
import { listDiscountsOf } from '../../discounts/discounts.ts';
import { findPrice, refuseArchived } from '../../catalog/prices.ts';
import { findProduct, findSaleObstacle } from '../../catalog/products.ts';
import { alignGroups } from '../groupAlignment.ts';
import { buildPlanChange } from '../changes/planChanges.ts';
import { addOnsInput, agreeToAddOns, keepAddOns, type Terms } from '../changes/addOns.ts';
import { agreeToPrice } from '../changes/agreement.ts';
import { findSubscriptionOfPlan, refuseSamePlan, type SubscriptionRow } from '../subscriptions.ts';
import { findTrialDays } from '../trials.ts';
import { amountInput, refuseField } from '../../catalog/amounts.ts';
import { beginThresholds, parseThreshold } from '../billingThreshold.ts';
import { beginSpendAlerts, parseSpendAlerts } from '../spendAlerts.ts';
import { commitmentInput, parseCommitment } from '../commitment.ts';
import { hasUsagePrice } from '../../pricing/usageLines.ts';
import { longestTrialDays } from '../../pricing/trials.ts';
import { parseInput, externalId, name, httpUrl, givenMetadata } from '../../../lib/validation.ts';
import { findCustomer } from '../../customers/customers.ts';
import type { NewRow, Row } from '../../../storage/model/rowTypes.ts';
import type { Reads } from '../../../storage/store.ts';
import { refuse } from '../../../lib/errors.ts';
import { parseInstant, addMs, toLocalDate } from '../../../lib/time.ts';
import { readCreatedPage, type CreatedRange, type Page, type PageArgs } from '../../../tenancy/pagination.ts';
import { buildListSearch } from '../../../tenancy/searchedList.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import { dayMs } from '../../../lib/durations.ts';

export type IntentRow = Row<'intents'>;

/** How long an intent can be paid. */
export const intentLifetimeMs = dayMs;

// The hashes of requests depend on the order of these fields.
const newIntent = z.object({
  customerId: z.string(),
  associatedCustomerId: z.string().nullish(),
  productId: z.string(),
  priceId: z.string(),
  receiptUrl: httpUrl,
  returnUrl: httpUrl.nullish(),
  orderNumber: externalId.nullish(),
  startDate: z.string().nullish(),
  reason: name.nullish(),
  quantity: z.number().int('must be a whole number').nullish(),
  promotionCode: z.string().nullish(),
  couponId: z.string().nullish(),
  trialDays: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be 0 or more')
    .max(longestTrialDays, `must be at most ${longestTrialDays}`)
    .nullish(),
  addOns: addOnsInput,
  metadata: givenMetadata,
  billingThreshold: amountInput.nullish(),
  commitment: commitmentInput.nullish(),
  spendAlerts: z.array(amountInput).nullish(),
});

/** The terms of a new subscription, without what belongs to the payment page and the client's own system. */
export const newOrder = newIntent.omit({
  associatedCustomerId: true,
  receiptUrl: true,
  returnUrl: true,
  orderNumber: true,
  reason: true,
  metadata: true,
  billingThreshold: true,
  spendAlerts: true,
});

/**
 * Creates an intent to subscribe, or returns the intent with the same order number. Errors: `validation_failed`,
 * `customer_not_found`, `associated_id_mismatch`, `product_not_found`, `price_not_found`, `price_archived`, `start_date_in_past`,
 * `subscription_exists`, `order_number_reused`, `promotion_code_not_found`, `coupon_not_found`, `coupon_not_redeemable`,
 * `currency_mismatch`; for a plan change also `subscription_not_active`.
 */
export async function createSubscriptionIntent(unit: UnitOfWork, input: unknown): Promise<IntentRow> {
  const wanted = parseInput(newIntent, input);
  const requestHash = hashRequest(wanted);
  const earlier = wanted.orderNumber && (await unit.one('intents', { orderNumber: wanted.orderNumber }));
  if (earlier) {
    return earlier.requestHash === requestHash
      ? findIntent(unit, earlier.id, unit.now)
      : refuse('order_number_reused', { path: 'orderNumber', message: 'belongs to a different request' });
  }
  const customer = await findCustomer(unit, wanted.customerId, wanted.associatedCustomerId);
  await alignGroups(unit, customer.id);
  const order = await buildOrder(unit, unit, wanted);
  const billingThresholdMinor = parseThreshold(wanted.billingThreshold, order.currency);
  const spendAlerts = parseSpendAlerts(wanted.spendAlerts, order.currency);
  if (billingThresholdMinor !== null) await beginThresholds(unit);
  if (spendAlerts !== null) await beginSpendAlerts(unit);
  return unit.create('intents', {
    ...order,
    id: unit.id('int'),
    billingThresholdMinor,
    spendAlerts,
    receiptUrl: wanted.receiptUrl,
    returnUrl: wanted.returnUrl,
    orderNumber: wanted.orderNumber,
    requestHash,
    reason: wanted.reason,
    metadata: wanted.metadata,
  });
}

/** The instant and the tenant for which an order is built. */
type Moment = Pick<UnitOfWork, 'now' | 'tenant'>;

/** The columns of an intent that come from the client alone. */
type OwnColumns =
  | 'billingThresholdMinor'
  | 'spendAlerts'
  | 'id'
  | 'receiptUrl'
  | 'returnUrl'
  | 'orderNumber'
  | 'requestHash'
  | 'reason'
  | 'metadata';

/** Builds the intent of an order of a known customer. Errors: as of `createSubscriptionIntent`. */
export async function buildOrder(
  reads: Reads,
  moment: Moment,
  wanted: z.output<typeof newOrder>,
): Promise<Omit<NewRow<'intents'>, OwnColumns>> {
  const { now } = moment;
  const { customerId } = wanted;
  const product = await findBuyableProduct(reads, wanted.productId, now);
  const price = await findPrice(reads, product.id, wanted.priceId);
  const startDate = parseStartDate(moment, wanted.startDate);
  const present = await findSubscriptionOfPlan(reads, customerId, product);
  refuseArchived(price, present?.priceId, 'priceId');
  const main = agreeToPrice(product, price, wanted.quantity, present);
  const kept = present && !wanted.addOns ? keepAddOns(present, main) : (present?.addOns ?? null);
  const agreement = await agreeToAddOns(reads, main, wanted.addOns, kept, {
    now,
    subscriptionId: present?.id,
  });
  if (present) refuseImpossibleChange(moment, present, { next: agreement, startDate });
  const offer = await findWantedOffer(reads, wanted);
  if (offer) {
    const discounts = present ? await listDiscountsOf(reads, customerId, present.id) : [];
    // Reported at once; the payment checks it again.
    await assertRedeemable(reads, offer, { customerId, order: agreement, present: discounts }, now);
  }
  // Checked for a change of plan as well, which keeps the commitment that there is.
  const asked = parseCommitment(wanted.commitment, agreement.currency);
  const commitment = present ? null : asked;
  if (commitment && !hasUsagePrice(agreement)) refuseField('commitment', 'needs a price of usage');
  const { setupFeeMinor } = price;
  const begin = present
    ? {}
    : { setupFeeMinor, trialDays: await findTrialDays(reads, customerId, product, price, wanted.trialDays) };
  return {
    customerId,
    ...agreement,
    executionDate: price.executionDate,
    commitment,
    status: 'requires_payment_method',
    startDate,
    attempts: 0,
    prorated: false,
    expiresAt: addMs(now, intentLifetimeMs),
    createdAt: now,
    updatedAt: now,
    ...begin,
    couponId: offer?.coupon.id,
    promotionCodeId: offer?.code?.id,
    hasSecretLink: true,
  };
}

/** Finds the coupon that an order redeems, by its id or by a promotion code. */
async function findWantedOffer(
  reads: Reads,
  { promotionCode, couponId }: Pick<z.output<typeof newOrder>, 'promotionCode' | 'couponId'>,
): Promise<Offer | undefined> {
  const hasCode = typeof promotionCode === 'string';
  if (typeof couponId !== 'string')
    return hasCode ? findOffer(reads, promotionCode, 'promotionCode') : undefined;
  if (hasCode)
    refuse('validation_failed', { path: 'couponId', message: 'must not be given beside promotionCode' });
  return { coupon: await findCoupon(reads, couponId), path: 'couponId' };
}

/** Fields that the first release did not have. */
const newerFields = new Set<unknown>([
  'quantity',
  'promotionCode',
  'couponId',
  'trialDays',
  'addOns',
  'metadata',
  'billingThreshold',
  'commitment',
  'spendAlerts',
]);

const byKey = ([one]: [string, string], [other]: [string, string]) => (one < other ? -1 : 1);

/** Every field in one order, so that the same request has one hash however it was written. */
function hashRequest(wanted: z.output<typeof newIntent>): string {
  const entries = Object.keys(newIntent.shape).map((key) => [
    key,
    key === 'metadata' && wanted.metadata
      ? Object.entries(wanted.metadata).toSorted(byKey)
      : (wanted[key as keyof typeof wanted] ?? null),
  ]);
  const values = entries.filter(([key]) => !newerFields.has(key!)).map(([, value]) => value);
  // Only where they are given: requests of releases without these fields keep their hash.
  const newer = entries.filter(([key, value]) => newerFields.has(key!) && value !== null);
  const given = newer.length === 0 ? values : [...values, Object.fromEntries(newer)];
  return createHash('sha256').update(JSON.stringify(given)).digest('hex');
}

async function findBuyableProduct(reads: Reads, id: string, now: string): Promise<Row<'products'>> {
  const product = await findProduct(reads, id);
  const obstacle = findSaleObstacle(product, now);
  return obstacle ? refuse('validation_failed', { path: 'productId', message: obstacle }) : product;
}

/** Reports at once an error that the payment would report later: an impossible plan change. */
function refuseImpossibleChange(
  { now, tenant }: Moment,
  present: SubscriptionRow,
  { next, startDate }: { next: Terms; startDate: string | null },
): void {
  refuseSamePlan(present, next);
  if (startDate !== null) {
    refuse('validation_failed', {
      path: 'startDate',
      message: 'is not allowed for a plan change',
    });
  }
  buildPlanChange(present, next, { at: now, timeZone: tenant.timezone, billing: 'period_end' });
}

/** Parses a start date. Today's date means now (null). Error: `start_date_in_past`. */
function parseStartDate({ now, tenant }: Moment, text: string | null | undefined): string | null {
  if (!text) return null;
  const start = parseInstant(text, tenant.timezone, 'startDate');
  if (start > now) return start;
  const isToday = start === parseInstant(toLocalDate(now, tenant.timezone), tenant.timezone, 'startDate');
  if (start === now || (isToday && text.length === 'yyyy-mm-dd'.length)) return null;
  return refuse('start_date_in_past', { path: 'startDate', message: 'is in the past', code: 'in_past' });
}

/** Returns the intent with this id and its status at an instant. Error: `intent_not_found`. */
export const findIntent = async (reads: Reads, id: string, now: string): Promise<IntentRow> =>
  showAt((await reads.one('intents', { id })) ?? refuse('intent_not_found'), now);

const isOpen = (status: IntentRow['status'] | undefined) =>
  status === 'requires_payment_method' || status === 'requires_action';

const showAt = (intent: IntentRow, now: string): IntentRow =>
  isOpen(intent.status) && intent.expiresAt <= now ? { ...intent, status: 'expired' } : intent;

interface IntentFilter {
  customerId?: string | null;
  status?: IntentRow['status'] | null;
  currency?: string | null;
  search?: string | null;
}

/**
 * Lists the tenant's intents; newest first by default. The list of the status `expired` gets an intent when its end is recorded,
 * about a second after `expiresAt`. Errors: `validation_failed`, `currency_unsupported`, `cursor_invalid`, `query_timeout`.
 */
export async function listIntents(
  tenant: TenantScope,
  { customerId, status, currency, search: text }: IntentFilter,
  args: PageArgs & CreatedRange,
): Promise<Page<IntentRow>> {
  const now = tenant.now();
  const byStatus = { status: status ?? undefined };
  const byCurrency = { currency: currency ? parseCurrency(currency, 'currency') : undefined };
  const unexpired = { ...(isOpen(byStatus.status) && { expiresAt: { after: now } }), ...byCurrency };
  const [where, filter] =
    typeof customerId === 'string' ? [{ customerId }, { ...byStatus, ...unexpired }] : [byStatus, unexpired];
  const request = { customerId, status, ...byCurrency };
  const search = buildListSearch(text, 'intent');
  const list = { name: 'intents', table: 'intents', where, filter, request, search } as const;
  const page = await readCreatedPage(tenant, list, args);
  return { ...page, rows: page.rows.map((intent) => showAt(intent, now)) };
}

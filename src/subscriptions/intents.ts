import { createHash } from 'node:crypto';
import * as z from 'zod';
import { assertRedeemable, findOffer, type Offer } from '../discounts/redemption.ts';
import { listDiscountsOf } from '../discounts/discounts.ts';
import { nothingReserved } from '../invoicing/returns.ts';
import { findPrice } from '../catalog/prices.ts';
import { findProduct, findSaleObstacle } from '../catalog/products.ts';
import { alignGroups } from './groupAlignment.ts';
import { isProrated, buildPlanChange } from './planChanges.ts';
import { addOnsInput, agreeToAddOns, keepAddOns, type Terms } from './addOns.ts';
import { agreeToPrice, noTrial, plainOrder } from './agreement.ts';
import { findSubscriptionOfPlan, findSubscriptionToChange } from './subscriptions.ts';
import { findTrialDays } from './trials.ts';
import { longestTrialDays } from '../pricing/trials.ts';
import { parseInput, externalId, name, httpUrl } from '../lib/validation.ts';
import { findCustomer } from '../customers/customers.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import { refuse } from '../lib/errors.ts';
import { parseInstant, addMs, toLocalDate } from '../lib/time.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

export type IntentRow = Row<'intents'>;

/** How long an intent can be paid. */
export const intentLifetimeMs = 24 * 60 * 60 * 1000;

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
  trialDays: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be 0 or more')
    .max(longestTrialDays, `must be at most ${longestTrialDays}`)
    .nullish(),
  addOns: addOnsInput,
});

/**
 * Creates an intent to subscribe, or returns the intent with the same order number. Errors: `validation_failed`,
 * `customer_not_found`, `associated_id_mismatch`, `product_not_found`, `price_not_found`, `start_date_in_past`,
 * `subscription_exists`, `order_number_reused`, `promotion_code_not_found`, `coupon_not_redeemable`,
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
  const product = await findBuyableProduct(unit, wanted.productId);
  const price = await findPrice(unit, product.id, wanted.priceId);
  const startDate = parseStartDate(unit, wanted.startDate);
  await alignGroups(unit, customer.id);
  const present = await findSubscriptionOfPlan(unit, customer.id, product);
  const main = agreeToPrice(product, price, wanted.quantity, present);
  const kept = present && !wanted.addOns ? keepAddOns(present, main) : (present?.addOns ?? null);
  const agreement = await agreeToAddOns(unit, main, wanted.addOns, kept, {
    now: unit.now,
    subscriptionId: present?.id,
  });
  await refuseImpossibleChange(unit, customer.id, product, agreement, startDate);
  const { promotionCode } = wanted;
  const offer =
    typeof promotionCode === 'string' ? await findOffer(unit, promotionCode, 'promotionCode') : undefined;
  if (offer) await assertIntentRedeemable(unit, offer, customer.id, agreement, present?.id);
  const { setupFeeMinor } = price;
  const begin = present
    ? noTrial
    : { setupFeeMinor, trialDays: await findTrialDays(unit, customer.id, product, price, wanted.trialDays) };
  return unit.create('intents', {
    id: unit.id('int'),
    customerId: customer.id,
    ...agreement,
    executionDate: price.executionDate,
    status: 'requires_payment_method',
    receiptUrl: wanted.receiptUrl,
    returnUrl: wanted.returnUrl ?? null,
    orderNumber: wanted.orderNumber ?? null,
    requestHash,
    startDate,
    reason: wanted.reason ?? null,
    attempts: 0,
    provider: null,
    paymentMethod: null,
    paymentStartedAt: null,
    dueMinor: null,
    ...nothingReserved,
    askedAt: null,
    actionUrl: null,
    paymentReference: null,
    changesSubscriptionId: null,
    prorated: false,
    subscriptionId: null,
    failureReason: null,
    expiresAt: addMs(unit.now, intentLifetimeMs),
    createdAt: unit.now,
    updatedAt: unit.now,
    ...plainOrder,
    ...begin,
    couponId: offer?.coupon.id ?? null,
    promotionCodeId: offer?.code?.id ?? null,
  });
}

/** Reports at once that an offer cannot be redeemed; the payment checks it again. */
async function assertIntentRedeemable(
  unit: UnitOfWork,
  offer: Offer,
  customerId: string,
  order: Terms,
  changedId: string | undefined,
): Promise<void> {
  const present = changedId === undefined ? [] : await listDiscountsOf(unit, customerId, changedId);
  const purchase = { customerId, order, present };
  await assertRedeemable(unit, offer, purchase, unit.now);
}

/** Fields that the first release did not have. */
const newerFields = new Set<unknown>(['quantity', 'promotionCode', 'trialDays', 'addOns']);

/** Every field in one order, so that the same request has one hash however it was written. */
function hashRequest(wanted: z.output<typeof newIntent>): string {
  const entries = Object.keys(newIntent.shape).map((key) => [
    key,
    wanted[key as keyof typeof wanted] ?? null,
  ]);
  const values = entries.filter(([key]) => !newerFields.has(key!)).map(([, value]) => value);
  // Only where they are given: requests of releases without these fields keep their hash.
  const newer = entries.filter(([key, value]) => newerFields.has(key!) && value !== null);
  const given = newer.length === 0 ? values : [...values, Object.fromEntries(newer)];
  return createHash('sha256').update(JSON.stringify(given)).digest('hex');
}

async function findBuyableProduct(unit: UnitOfWork, id: string): Promise<Row<'products'>> {
  const product = await findProduct(unit, id);
  const obstacle = findSaleObstacle(product, unit.now);
  return obstacle ? refuse('validation_failed', { path: 'productId', message: obstacle }) : product;
}

/** Reports at once an error that the payment would report later: an impossible plan change. */
async function refuseImpossibleChange(
  unit: UnitOfWork,
  customerId: string,
  product: Row<'products'>,
  next: Terms,
  startDate: string | null,
): Promise<void> {
  const subscription = await findSubscriptionToChange(unit, customerId, next);
  if (!subscription) return;
  if (startDate !== null) {
    refuse('validation_failed', {
      path: 'startDate',
      message: 'is not allowed for a plan change',
    });
  }
  buildPlanChange(subscription, next, {
    at: unit.now,
    timeZone: unit.tenant.timezone,
    billing: null,
    prorateUpgrades: await isProrated(unit, product),
  });
}

/** Parses a start date. Today's date means now (null). Error: `start_date_in_past`. */
function parseStartDate(unit: UnitOfWork, text: string | null | undefined): string | null {
  if (!text) return null;
  const start = parseInstant(text, unit.tenant.timezone, 'startDate');
  if (start > unit.now) return start;
  const isToday =
    start === parseInstant(toLocalDate(unit.now, unit.tenant.timezone), unit.tenant.timezone, 'startDate');
  if (start === unit.now || (isToday && text.length === 'yyyy-mm-dd'.length)) return null;
  return refuse('start_date_in_past', { path: 'startDate', message: 'is in the past' });
}

/** Returns the intent with this id and its status at an instant. Error: `intent_not_found`. */
export async function findIntent(reads: Reads, id: string, now: string): Promise<IntentRow> {
  const intent = (await reads.one('intents', { id })) ?? refuse('intent_not_found');
  const open = intent.status === 'requires_payment_method' || intent.status === 'requires_action';
  return open && intent.expiresAt <= now ? { ...intent, status: 'expired' } : intent;
}

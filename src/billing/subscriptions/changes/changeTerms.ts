/** The terms that a change of a subscription leads to. */
import * as z from 'zod';
import { findPrice, refuseArchived } from '../../catalog/prices.ts';
import { findProduct, findSaleObstacle } from '../../catalog/products.ts';
import { refuse } from '../../../lib/errors.ts';
import { toInterval } from '../../pricing/invoiceLines.ts';
import { isSameInterval } from '../../pricing/schedule.ts';
import type { AddOn } from '../../../storage/model/common.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import type { Reads } from '../../../storage/store.ts';
import { addOnsInput, agreeToAddOns, keepAddOns, type Terms } from './addOns.ts';
import { agreeToPrice, agreeToQuantity, type PriceAgreement } from './agreement.ts';

const billings = ['charge_now', 'next_invoice', 'period_end', 'reset', 'none'] as const;

/** A change as a request describes it: omitted fields stay as they are; add-ons are replaced as a whole. */
export const subscriptionChange = z.object({
  priceId: z.string().nullish(),
  quantity: z.number().int('must be a whole number').nullish(),
  addOns: addOnsInput,
  billing: z.enum(billings).nullish(),
  at: z.string().nullish(),
});

/** The terms that a change asks for. */
export type WantedTerms = Pick<z.output<typeof subscriptionChange>, 'priceId' | 'quantity' | 'addOns'>;

/** Returns the terms that a row agrees to. */
export const pickTerms = (row: Row<'intents'> | Row<'subscriptions'>): Terms => ({
  productId: row.productId,
  priceId: row.priceId,
  groupId: row.groupId,
  productName: row.productName,
  amountMinor: row.amountMinor,
  currency: row.currency,
  frequency: row.frequency,
  period: row.period,
  quantity: row.quantity,
  pricing: row.pricing,
  addOns: row.addOns,
  taxBehavior: row.taxBehavior,
});

/**
 * Returns the terms after a change of `base`. A price that stays keeps its agreed terms, for any quantity; a new one
 * gets those of the catalogue. Errors: `validation_failed`, `price_not_found`, `price_archived`, `product_not_found`,
 * `currency_mismatch`.
 */
export async function changeTerms(
  reads: Reads,
  subscription: Row<'subscriptions'>,
  base: Terms,
  { priceId, quantity, addOns }: WantedTerms,
  now: string,
): Promise<Terms> {
  const isOther = priceId !== null && priceId !== undefined && priceId !== base.priceId;
  const main = isOther
    ? await agreeToOtherPrice(reads, subscription, base, priceId, quantity, now)
    : await changeQuantity(reads, base, quantity);
  const kept = addOns ? base.addOns : keepAddOns(base, main);
  return agreeToAddOns(reads, main, addOns, kept, { now, subscriptionId: subscription.id });
}

async function agreeToOtherPrice(
  reads: Reads,
  subscription: Row<'subscriptions'>,
  base: Terms,
  priceId: string,
  quantity: number | null | undefined,
  now: string,
): Promise<PriceAgreement> {
  const price = await findPrice(reads, undefined, priceId);
  refuseArchived(price, subscription.priceId, 'priceId');
  const product = await findProduct(reads, price.productId);
  const obstacle = findSaleObstacle(product, now);
  if (obstacle) refuse('validation_failed', { path: 'priceId', message: `is of a product that ${obstacle}` });
  const present = await reads.one('products', { id: subscription.productId });
  const groupId = present ? present.groupId : subscription.groupId;
  const isInGroup = product.groupId !== null && product.groupId === groupId;
  if (product.id !== subscription.productId && !isInGroup)
    refuse('validation_failed', { path: 'priceId', message: 'belongs to another group' });
  return agreeToPrice(product, price, quantity, base);
}

async function changeQuantity(
  reads: Reads,
  { addOns: _, ...main }: Terms,
  quantity: number | null | undefined,
): Promise<PriceAgreement> {
  if (quantity === null || quantity === undefined || quantity === main.quantity) return main;
  const price = await reads.one('prices', { id: main.priceId });
  return { ...main, ...agreeToQuantity(main, price, quantity, 'quantity') };
}

/**
 * Makes the difference between the terms `before` and `after` in the terms of a scheduled change, so that a change of
 * plan and a later change of the quantity both take effect. A quantity that the scheduled price does not allow stays as
 * scheduled.
 */
export async function carryOver(reads: Reads, before: Terms, after: Terms, scheduled: Terms): Promise<Terms> {
  const { addOns: _, ...main } = await carryMain(reads, before, after, scheduled);
  const fits = isSameInterval(toInterval(main), toInterval(after)) && main.currency === after.currency;
  const changed = fits ? carryAddOns(before, after, scheduled.addOns ?? []) : (scheduled.addOns ?? []);
  const addOns = changed.filter(({ priceId }) => priceId !== main.priceId);
  return { ...main, addOns: addOns.length > 0 ? addOns : null };
}

async function carryMain(reads: Reads, before: Terms, after: Terms, scheduled: Terms): Promise<Terms> {
  if (before.priceId !== after.priceId) return after;
  if (before.quantity === after.quantity) return scheduled;
  if (scheduled.priceId === after.priceId) return after;
  const { quantity } = after;
  if (scheduled.pricing === null || quantity === null) return scheduled;
  const price = await reads.one('prices', { id: scheduled.priceId });
  const isAllowed =
    quantity >= (price?.minQuantity ?? 1) && quantity <= (price?.maxQuantity ?? Number.POSITIVE_INFINITY);
  return isAllowed ? { ...scheduled, ...agreeToQuantity(scheduled, price, quantity, 'quantity') } : scheduled;
}

function carryAddOns({ addOns: before }: Terms, { addOns: after }: Terms, scheduled: AddOn[]): AddOn[] {
  const find = (list: AddOn[] | null, priceId: string) => list?.find((each) => each.priceId === priceId);
  const isChanged = (priceId: string) => find(before, priceId)?.quantity !== find(after, priceId)?.quantity;
  const kept = scheduled.flatMap((addOn) => {
    const changed = isChanged(addOn.priceId) ? find(after, addOn.priceId) : addOn;
    return changed ? [changed] : [];
  });
  const added = (after ?? []).filter(
    ({ priceId }) => isChanged(priceId) && !find(before, priceId) && !find(kept, priceId),
  );
  return [...kept, ...added];
}

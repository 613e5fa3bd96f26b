import * as z from 'zod';
import { refuseArchived } from '../../catalog/prices.ts';
import { findSaleObstacle } from '../../catalog/products.ts';
import { refuse } from '../../../lib/errors.ts';
import { LARGEST_AMOUNT_MINOR } from '../../../lib/money.ts';
import { sumItems, toInterval } from '../../pricing/invoiceLines.ts';
import { describeInterval, isSameInterval } from '../../pricing/schedule.ts';
import { dropPaidFees } from '../../invoices/setupFees.ts';
import type { AddOn } from '../../../storage/model/common.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import type { Reads } from '../../../storage/store.ts';
import { agreeToQuantity, type PriceAgreement } from './agreement.ts';

/** The most add-ons of a subscription. */
export const mostAddOns = 20;

/** The add-ons that a request names; a request without them keeps those that are there. */
export const addOnsInput = z
  .array(z.object({ priceId: z.string(), quantity: z.number().int('must be a whole number').nullish() }))
  .max(mostAddOns, `must be at most ${mostAddOns}`)
  .nullish();

/** An add-on as a request names it. */
type WantedAddOn = NonNullable<z.output<typeof addOnsInput>>[number];

/** The terms of all items of an agreement. */
export type Terms = PriceAgreement & { addOns: AddOn[] | null };

/**
 * Adds add-ons to the terms of a main price. One that is among `kept` keeps its agreed terms; others must be on sale,
 * and get the terms of the catalogue. Without `wanted`, the kept ones stay. Errors, with paths within `addOns`:
 * `validation_failed`, `price_not_found`, `price_archived`, `currency_mismatch`. `subscriptionId` is that of the changed subscription, which
 * pays the set-up fee of a price once.
 */
export async function agreeToAddOns(
  reads: Reads,
  main: PriceAgreement,
  wanted: WantedAddOn[] | null | undefined,
  kept: AddOn[] | null,
  { now, subscriptionId }: { now: string; subscriptionId?: string },
): Promise<Terms> {
  if (!wanted) return checkTerms({ ...main, addOns: kept }, () => 'addOns');
  const addOns: AddOn[] = [];
  for (const [index, { priceId, quantity }] of wanted.entries()) {
    const path = `addOns.${index}`;
    if (addOns.some((other) => other.priceId === priceId)) refuseAddOn(path, 'is listed twice');
    const known = kept?.find((each) => each.priceId === priceId);
    addOns.push(
      known
        ? await changeQuantity(reads, main, known, quantity, path)
        : await agreeToAddOn(reads, main, { priceId, quantity }, now, path),
    );
  }
  const owed = await dropPaidFees(reads, subscriptionId, addOns);
  return checkTerms({ ...main, addOns: owed.length > 0 ? owed : null }, (index) => `addOns.${index}`);
}

const refuseAddOn = (path: string, message: string): never =>
  refuse('validation_failed', { path: `${path}.priceId`, message });

async function agreeToAddOn(
  reads: Reads,
  main: PriceAgreement,
  { priceId, quantity }: WantedAddOn,
  now: string,
  path: string,
): Promise<AddOn> {
  const price = await reads.one('prices', { id: priceId });
  if (!price) return refuse('price_not_found', { path: `${path}.priceId`, message: 'does not exist' });
  refuseArchived(price, undefined, `${path}.priceId`);
  const product = (await reads.one('products', { id: price.productId }))!;
  const obstacle = findSaleObstacle(product, now);
  if (obstacle) refuseAddOn(path, `is of a product that ${obstacle}`);
  if (price.currency !== main.currency) {
    const message = `is in ${price.currency}, the main price in ${main.currency}`;
    refuse('currency_mismatch', { path: `${path}.priceId`, message });
  }
  if (!isSameInterval(toInterval(price), toInterval(main)))
    refuseAddOn(path, `must be charged ${describeInterval(toInterval(main))}, as the main price is`);
  return buildAddOn(product, price, { quantity, addedAt: now }, `${path}.quantity`);
}

/** Returns an add-on with the terms of a price of the catalogue. Error: `validation_failed` at `path`. */
export function buildAddOn(
  product: Row<'products'>,
  price: Row<'prices'>,
  { quantity, addedAt }: { quantity: number | null | undefined; addedAt: string },
  path: string,
): AddOn {
  const agreed = agreeToQuantity(price, price, quantity, path);
  const { id: productId, name: productName } = product;
  const included = price.taxBehavior === 'inclusive' && { taxBehavior: price.taxBehavior };
  const fee = price.setupFeeMinor !== null && { setupFeeMinor: String(price.setupFeeMinor) };
  const terms = { ...storeQuantity(agreed), ...included, ...fee };
  return { productId, priceId: price.id, productName, ...terms, addedAt };
}

const storeQuantity = ({ quantity, pricing, amountMinor }: ReturnType<typeof agreeToQuantity>) => ({
  quantity: quantity ?? 1,
  pricing,
  amountMinor: String(amountMinor),
});

/** Changes the quantity of an add-on at its agreed price; without a quantity it stays as it is. */
async function changeQuantity(
  reads: Reads,
  { currency }: PriceAgreement,
  known: AddOn,
  quantity: number | null | undefined,
  path: string,
): Promise<AddOn> {
  if (quantity === null || quantity === undefined || quantity === known.quantity) return known;
  const price = await reads.one('prices', { id: known.priceId });
  const terms = { currency, pricing: known.pricing, amountMinor: BigInt(known.amountMinor) };
  return { ...known, ...storeQuantity(agreeToQuantity(terms, price, quantity, `${path}.quantity`)) };
}

/** Checks that add-ons fit their main price, and returns the terms. Error: `validation_failed`. */
export function checkTerms(terms: Terms, findPath: (index: number) => string): Terms {
  const { addOns, priceId } = terms;
  for (const [index, addOn] of (addOns ?? []).entries()) {
    if (addOn.priceId === priceId)
      refuse('validation_failed', { path: findPath(index), message: 'contains the main price' });
  }
  refuseSharedMeters(terms, findPath);
  if (addOns && sumItems(terms) > LARGEST_AMOUNT_MINOR)
    refuse('validation_failed', { path: 'addOns', message: 'result in an amount that is too large' });
  return terms;
}

/** Refuses two items that bill the usage of one meter: each unit would be paid twice. Error: `validation_failed`. */
function refuseSharedMeters({ pricing, addOns }: Terms, findPath: (index: number) => string): void {
  const meters = new Set([pricing?.usage?.meterId]);
  for (const [index, addOn] of (addOns ?? []).entries()) {
    const meterId = addOn.pricing?.usage?.meterId;
    if (meterId !== undefined && meters.has(meterId))
      refuse('validation_failed', {
        path: findPath(index),
        message: 'bills a meter that another item of the subscription bills',
      });
    meters.add(meterId);
  }
}

/**
 * Keeps the add-ons of a subscription in a new plan. Error: `validation_failed` at `addOns` if the new plan has another
 * currency or interval.
 */
export function keepAddOns(
  current: Pick<Terms, 'addOns' | 'currency' | 'frequency' | 'period'>,
  next: PriceAgreement,
): AddOn[] | null {
  if (current.addOns === null) return null;
  const fits = current.currency === next.currency && isSameInterval(toInterval(current), toInterval(next));
  if (fits) return current.addOns;
  const message = 'do not fit the currency or interval of the new price; name those of the new plan';
  return refuse('validation_failed', { path: 'addOns', message });
}

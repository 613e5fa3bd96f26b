/** The plans to which a customer can change, and the change that a form asks for. */
import { comparePlaces, findSaleObstacle } from '../../billing/catalog/products.ts';
import { computeCycleAmount } from '../../billing/pricing/priceModel.ts';
import type { Pricing } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { findQuantity } from '../../billing/subscriptions/changes/agreement.ts';
import type { SubscriptionRow } from '../../billing/subscriptions/subscriptions.ts';
import { refusePage, type CustomerVisit } from './visit.ts';

const mostProducts = 100;
const mostPrices = 200;

/** A price that a customer can choose. */
export interface Choice {
  priceId: string;
  name: string;
  /** The price for its smallest quantity, or the agreed one, in minor units. */
  amountMinor: bigint;
  price: Row<'prices'> | undefined;
  /** The units that the amount is for; null for a flat price. */
  units: { pricing: Pricing | null; quantity: number };
  isCurrent: boolean;
}

/**
 * Lists the prices that a customer can choose, by the place of their product and their amount. The current one is first,
 * and keeps its agreed amount.
 */
export async function listChoices(visit: CustomerVisit, subscription: SubscriptionRow): Promise<Choice[]> {
  const { tenant, settings } = visit;
  const own = await tenant.read.one('prices', { id: subscription.priceId });
  const current: Choice = {
    priceId: subscription.priceId,
    name: subscription.productName,
    amountMinor: subscription.amountMinor,
    price: own,
    units: { pricing: subscription.pricing, quantity: findQuantity(subscription) },
    isCurrent: true,
  };
  if (!settings.planChange) return [current];
  const products = await listProducts(visit, subscription);
  if (products.length === 0) return [current];
  const prices = await tenant.read.many('prices', {
    where: { productId: products.map(({ id }) => id), currency: subscription.currency, archivedAt: null },
    orderBy: ['productId', 'createdAt', 'id'],
    limit: mostPrices,
  });
  const others = prices
    .filter(({ id }) => id !== subscription.priceId)
    .map((price) => toChoice(price, products, subscription))
    .toSorted((a, b) => comparePlaces(a.product, b.product) || (a.amountMinor < b.amountMinor ? -1 : 1))
    .map(({ product: _, ...choice }) => choice);
  return [current, ...others];
}

/** Lists the products on sale that the settings name, of the subscription's product or group. */
async function listProducts(
  { tenant, settings }: CustomerVisit,
  subscription: SubscriptionRow,
): Promise<Row<'products'>[]> {
  const present = await tenant.read.one('products', { id: subscription.productId });
  const groupId = present ? present.groupId : subscription.groupId;
  const inGroup =
    groupId === null
      ? []
      : await tenant.read.many('products', { where: { groupId, deletedAt: null }, limit: mostProducts });
  const known = inGroup.length > 0 || !present ? inGroup : [present];
  return known.filter(
    (product) =>
      findSaleObstacle(product, tenant.now()) === undefined &&
      (settings.productIds === null || settings.productIds.includes(product.id)),
  );
}

function toChoice(
  price: Row<'prices'>,
  products: Row<'products'>[],
  { quantity }: SubscriptionRow,
): Choice & { product: Row<'products'> } {
  const product = products.find(({ id }) => id === price.productId)!;
  const wanted = !hasQuantity(price) ? 1 : (quantity ?? price.minQuantity ?? 1);
  return {
    priceId: price.id,
    product,
    name: product.name,
    amountMinor: computeCycleAmount(price, wanted).amountMinor,
    price,
    units: { pricing: price.pricing, quantity: wanted },
    isCurrent: false,
  };
}

/** A change as `changeSubscription` takes it. */
export interface WantedChange {
  priceId?: string;
  quantity?: number;
  addOns?: { priceId: string; quantity: number }[];
}

/** The prefix of the fields for the quantities of add-ons. */
export const addOnField = 'addOn.';

/**
 * Reads the change that a form asks for, as far as the settings allow one. A quantity that is no number is undefined in
 * `refused`. Error: `route_not_found` for a price that is not offered.
 */
export function readChange(
  { settings }: CustomerVisit,
  fields: URLSearchParams,
  subscription: SubscriptionRow,
  choices: Choice[],
): { change: WantedChange; isRefused: boolean } {
  const plan = fields.get('plan') ?? subscription.priceId;
  const chosen = choices.find(({ priceId }) => priceId === plan) ?? refusePage();
  const quantity = readQuantity(fields.get('quantity'));
  const isFlat = !hasQuantity(chosen.isCurrent ? subscription : chosen.price!);
  const addOns = settings.addOns ? readAddOns(fields, subscription) : undefined;
  const change: WantedChange = {
    ...(!chosen.isCurrent && { priceId: chosen.priceId }),
    ...(settings.quantityChange && !isFlat && typeof quantity === 'number' && { quantity }),
    ...(addOns && { addOns: addOns.filter((each) => each.quantity > 0) }),
  };
  const isRefused =
    (settings.quantityChange && !isFlat && (Number.isNaN(quantity) || quantity === 0)) ||
    (addOns ?? []).some((each) => Number.isNaN(each.quantity));
  return { change, isRefused };
}

/** Returns the number; undefined for an empty field, NaN for anything else. */
function readQuantity(text: string | null): number | undefined {
  const trimmed = (text ?? '').trim();
  if (trimmed === '') return undefined;
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}

/** Reads the quantities of the add-ons; undefined if none of them differs. */
function readAddOns(fields: URLSearchParams, { addOns }: SubscriptionRow): WantedChange['addOns'] {
  const wanted = (addOns ?? []).map(({ priceId, quantity }) => ({
    priceId,
    quantity: readQuantity(fields.get(addOnField + priceId)) ?? quantity,
    before: quantity,
  }));
  if (wanted.every(({ quantity, before }) => quantity === before)) return undefined;
  return wanted.map(({ priceId, quantity }) => ({ priceId, quantity }));
}

/** Returns the quantity of a subscription for the form. */
export const findShownQuantity = (subscription: SubscriptionRow): number => findQuantity(subscription);

/** Whether the customer chooses the quantity: not of a flat price, nor of usage, which a meter counts. */
export const hasQuantity = ({ pricing }: { pricing: Pricing | null }): boolean =>
  pricing !== null && !pricing.usage;

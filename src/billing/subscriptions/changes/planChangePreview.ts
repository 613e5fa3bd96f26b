import { findPrice } from '../../catalog/prices.ts';
import { findProduct, findSaleObstacle } from '../../catalog/products.ts';
import { refuse } from '../../../lib/errors.ts';
import { parseInstant } from '../../../lib/time.ts';
import { completeRow } from '../../../storage/query/tableMeta.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import { buildChangeIntent } from '../intents/changeIntents.ts';
import { computeDue } from '../intents/firstBill.ts';
import { findSubscription, hasPlan } from '../subscriptions.ts';
import { agreeToAddOns, keepAddOns } from './addOns.ts';
import { agreeToPrice } from './agreement.ts';
import { findPaidItems } from './paidItems.ts';
import { isProrated, type PlanChangeQuote } from './planChanges.ts';

/**
 * Previews a change to a price, now or `at` a later instant of the current period, with the lines that the change would
 * write. Errors: `subscription_not_found`, `price_not_found`, `subscription_not_active`, `currency_mismatch`,
 * `subscription_exists`, `validation_failed`.
 */
export async function previewPlanChange(
  tenant: TenantScope,
  subscriptionId: string,
  priceId: string,
  { at, quantity }: { at?: string | null; quantity?: number | null } = {},
): Promise<PlanChangeQuote> {
  const { read, record } = tenant;
  const subscription = await findSubscription(read, subscriptionId);
  const now = tenant.now();
  const instant = at ? parseInstant(at, record.timezone, 'at') : now;
  if (instant < now) refuse('validation_failed', { path: 'at', message: 'is in the past' });
  const price = await findPrice(read, undefined, priceId);
  const product = await findProduct(read, price.productId);
  const main = agreeToPrice(product, price, quantity, subscription);
  const next = await agreeToAddOns(read, main, undefined, keepAddOns(subscription, main), { now });
  if (hasPlan(subscription, next) && subscription.nextIntentId === null) {
    refuse('subscription_exists', { path: 'priceId', message: 'is the current price of the subscription' });
  }
  const present = await read.one('products', { id: subscription.productId });
  const groupId = present ? present.groupId : subscription.groupId;
  const isInGroup = product.groupId !== null && product.groupId === groupId;
  if (product.id !== subscription.productId && !isInGroup) {
    refuse('validation_failed', { path: 'priceId', message: 'belongs to another group' });
  }
  const obstacle = findSaleObstacle(product, instant);
  if (obstacle) refuse('validation_failed', { path: 'priceId', message: `is of a product that ${obstacle}` });
  const timing = { billing: null, at: instant };
  const values = {
    id: '',
    receiptUrl: '',
    ...buildChangeIntent(subscription, next, timing, now),
    prorated: await isProrated(read, product),
  };
  const intent = completeRow('intents', values, record.alias);
  const paid = await findPaidItems(read, subscription);
  const { bill } = await computeDue(read, intent, { changed: subscription, paid }, instant, record);
  return { ...bill.change!, lines: bill.lines, totalMinor: bill.totalMinor };
}

/** What customers may change of their subscriptions: what the form of the portal offers by its settings. */
import { findSaleObstacle } from '../catalog/products.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findPortalSettings } from '../../tenants/portalSettings.ts';
import { findSubscriptionOfPlan, type SubscriptionRow } from './subscriptions.ts';

/** What a change of a subscription asks for. */
interface WantedChange {
  priceId?: string | null;
  quantity?: number | null;
  addOns?: readonly { priceId: string }[] | null;
}

interface WantedOrder extends WantedChange {
  customerId: string;
  productId: string;
  priceId: string;
  promotionCode?: string | null;
}

/** Returns the part of a change of a customer's own subscription that the portal does not offer. */
export async function findForbiddenChange(
  tenant: TenantScope,
  { id, input }: { id: string; input: WantedChange },
): Promise<string | undefined> {
  const subscription = await tenant.primaryReads.one('subscriptions', { id });
  return subscription && findForbiddenPart(tenant, subscription, input);
}

/** Returns the part of an order that the portal does not offer: a code, or a change of the plan that the order would be. */
export async function findForbiddenOrder(
  tenant: TenantScope,
  { input }: { input: WantedOrder },
): Promise<string | undefined> {
  const { promotionCodes } = findPortalSettings(tenant.record);
  if (input.promotionCode && !promotionCodes) return 'input.promotionCode';
  const product = await tenant.primaryReads.one('products', { id: input.productId });
  const present = product && (await findSubscriptionOfPlan(tenant.primaryReads, input.customerId, product));
  if (!present) return undefined;
  if (!tenant.caller!.session!.allow.includes('change_subscription')) return 'input.productId';
  return findForbiddenPart(tenant, present, input);
}

/** Returns the part of a change that the portal does not offer: the form of the portal has the same choices. */
async function findForbiddenPart(
  tenant: TenantScope,
  subscription: SubscriptionRow,
  { priceId, quantity, addOns }: WantedChange,
): Promise<string | undefined> {
  const settings = findPortalSettings(tenant.record);
  if (typeof priceId === 'string' && priceId !== subscription.priceId) {
    if (!settings.planChange) return 'input.priceId';
    const product = await findProductOfPrice(tenant, priceId);
    const isOffered =
      product !== undefined &&
      findSaleObstacle(product, tenant.now()) === undefined &&
      (settings.productIds === null || settings.productIds.includes(product.id));
    if (!isOffered) return 'input.priceId';
  }
  if (typeof quantity === 'number' && !settings.quantityChange) return 'input.quantity';
  if (!addOns) return undefined;
  const present = new Set((subscription.addOns ?? []).map((each) => each.priceId));
  return settings.addOns && addOns.every((each) => present.has(each.priceId)) ? undefined : 'input.addOns';
}

async function findProductOfPrice(
  { primaryReads }: TenantScope,
  priceId: string,
): Promise<Row<'products'> | undefined> {
  const price = await primaryReads.one('prices', { id: priceId });
  return price && primaryReads.one('products', { id: price.productId });
}

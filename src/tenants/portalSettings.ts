/** Which parts of the portal a tenant's customers have. */
import * as z from 'zod';
import { refuse } from '../lib/errors.ts';
import { httpUrl } from '../lib/validation.ts';
import type { PortalPart, PortalSettings } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { printedText } from './parties.ts';
import { defaultPortal } from '../tenancy/portalDefaults.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

const mostProducts = 50;

const onOff = z.boolean().nullish();
const id = z.string().max(100, 'must be at most 100 characters');

/** Changes to the settings of the portal in a request. */
export const portalChanges = z.object({
  enabled: onOff,
  signInByCode: onOff,
  planChange: onOff,
  quantityChange: onOff,
  addOns: onOff,
  pause: onOff,
  promotionCodes: onOff,
  cancellation: z.enum(['period_end', 'now', 'both', 'off']).nullish(),
  cancellationReasons: onOff,
  retentionCouponId: id.nullish(),
  paymentMethods: onOff,
  invoices: onOff,
  details: onOff,
  balance: onOff,
  productIds: z
    .array(id)
    .min(1, 'must not be empty; null allows all products of the group')
    .max(mostProducts, `must be at most ${mostProducts}`)
    .refine((ids) => new Set(ids).size === ids.length, 'must name each product once')
    .nullish(),
  headline: printedText.nullish().transform((text) => (text === '' ? null : text)),
  returnUrl: httpUrl.nullish(),
});

/** Tenants from before 0.10 that chose nothing keep what their customers had: no change of plan. */
const unchosen: PortalSettings = { ...defaultPortal, planChange: false };

/** Returns the settings of a tenant's portal, with the defaults where it has none of its own. */
export const findPortalSettings = ({ portal }: Pick<Row<'tenants'>, 'portal'>): PortalSettings =>
  portal ? { ...defaultPortal, ...portal } : unchosen;

/** Refuses customers the parts of the portal that the tenant has switched off. Error: `action_not_allowed`. */
export function refuseHiddenParts(
  tenant: Pick<Row<'tenants'>, 'portal'>,
  parts: readonly PortalPart[],
): void {
  if (parts.length === 0) return;
  const settings = findPortalSettings(tenant);
  for (const part of parts)
    if (!settings[part]) refuse('action_not_allowed', { path: `portal.${part}`, message: 'is switched off' });
}

/**
 * Returns the column of a tenant with the given settings changed; null among them is the default. Error:
 * `validation_failed` for a coupon that is unknown or archived, and for unknown products.
 */
export async function changePortalSettings(
  unit: UnitOfWork,
  changes: z.output<typeof portalChanges> | null | undefined,
): Promise<Pick<Row<'tenants'>, 'portal'> | undefined> {
  if (changes === undefined) return undefined;
  if (changes === null) return { portal: defaultPortal };
  await checkCoupon(unit, changes.retentionCouponId);
  await checkProducts(unit, changes.productIds);
  const changed: Record<string, unknown> = { ...findPortalSettings(unit.tenant) };
  for (const name of Object.keys(defaultPortal) as (keyof PortalSettings)[]) {
    const value = changes[name];
    if (value !== undefined) changed[name] = value ?? defaultPortal[name];
  }
  return { portal: changed as unknown as PortalSettings };
}

async function checkCoupon(unit: UnitOfWork, couponId: string | null | undefined): Promise<void> {
  if (couponId === null || couponId === undefined) return;
  const coupon = await unit.one('coupons', { id: couponId });
  if (coupon?.active) return;
  const message = coupon ? 'is not active' : 'is not the id of a coupon';
  refuse('validation_failed', { path: 'portal.retentionCouponId', message });
}

async function checkProducts(unit: UnitOfWork, ids: string[] | null | undefined): Promise<void> {
  if (!ids) return;
  const known = new Set(
    (await unit.many('products', { where: { id: ids, deletedAt: null } })).map((each) => each.id),
  );
  const issues = ids.flatMap((each, index) =>
    known.has(each) ? [] : [{ path: `portal.productIds.${index}`, message: 'is not the id of a product' }],
  );
  if (issues.length > 0) refuse('validation_failed', ...issues);
}

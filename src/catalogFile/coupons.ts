/** Coupons of a file. Their terms are fixed: other terms are a new coupon, to which the lookup key moves. */
import { createCoupon, parseCoupon, updateCoupon } from '../billing/discounts/coupons.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import {
  addStep,
  checkAt,
  compareFields,
  differs,
  findKeyed,
  performAt,
  referTo,
  type Names,
  type Planning,
} from './planning.ts';
import { writeAmount } from './prices.ts';
import { findProductId } from './products.ts';
import type { CatalogFile, CouponEntry } from './schema.ts';

type CouponRow = Row<'coupons'>;
type CouponTerms = Omit<ReturnType<typeof parseCoupon>, 'lookupKey'>;

/** Writes a coupon as fields of a file; those that are the default are left out. */
export function writeCoupon(
  coupon: CouponTerms,
  products: string[] | null,
  active: boolean,
): Record<string, unknown> {
  const {
    name,
    percentOff,
    amountOffMinor,
    currency,
    duration,
    durationInMonths,
    maxRedemptions,
    redeemBy,
    metadata,
  } = coupon;
  const fields = {
    name,
    percentOff,
    amountOff: amountOffMinor === null ? null : { ...writeAmount(amountOffMinor, currency!), currency },
    duration,
    durationInMonths,
    products,
    maxRedemptions,
    redeemBy,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    active: active ? null : false,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The fields that a coupon may change. */
const changeable = new Set(['name', 'metadata', 'active', 'lookupKey']);

/** Plans the coupons of a file. Errors: `validation_failed`, and those of a new coupon. */
export function planCoupons(planning: Planning, entries: CatalogFile['coupons']): void {
  if (!entries) return;
  const { state } = planning;
  const kept = new Set(entries.map((entry, n) => planCoupon(planning, entry, `coupons.${n}`)?.id));
  for (const { id, lookupKey, active } of state.coupons)
    if (lookupKey !== null && !kept.has(id) && active)
      addStep(planning, {
        action: 'retire',
        resource: 'coupon',
        key: lookupKey,
        path: null,
        id,
        changes: { active: [true, false] },
        run: (unit) => updateCoupon(unit, id, { active: false }),
      });
}

/** Names the coupons of the tenant, so that the portal refers to them; those of the file follow. */
export function nameCoupons({ state, names }: Planning): void {
  for (const { lookupKey, id } of state.coupons) if (lookupKey !== null) names.coupons.set(lookupKey, id);
}

function planCoupon(planning: Planning, entry: CouponEntry, path: string): CouponRow | undefined {
  const { state, names } = planning;
  const { id: _, products, active = true, percentOff, ...fields } = entry;
  const references =
    products?.map((each, n) => findProductId(planning, each, `${path}.products.${n}`)) ?? null;
  const input = {
    ...fields,
    percentOff: typeof percentOff === 'number' ? String(percentOff) : percentOff,
    productIds: references,
  };
  const row = findKeyed(planning.state.coupons, entry, path, 'coupon');
  // The end of a coupon that exists may have passed.
  const terms = checkAt(path, () => parseCoupon({ tenant: state.tenant, now: '' }, input));
  const lookupKey = entry.lookupKey ?? row?.lookupKey ?? null;
  const keys = new Map(state.products.map((each) => [each.id, each.lookupKey ?? each.id]));
  const name = (ids: string[] | null) => ids?.map((each) => keys.get(each) ?? each) ?? null;
  const before = row
    ? { ...writeCoupon(row, name(row.productIds), row.active), lookupKey: row.lookupKey }
    : {};
  const wanted = writeCoupon(
    terms,
    name(references)?.map((each, n) => (each.startsWith('new ') ? products![n]! : each)) ?? null,
    active,
  );
  const changes = compareFields(before, { ...wanted, lookupKey });
  const isNew = !row || Object.keys(changes).some((field) => !changeable.has(field));
  if (isNew) checkAt(path, () => parseCoupon({ tenant: state.tenant, now: state.now }, input));
  if (lookupKey !== null)
    names.coupons.set(lookupKey, row && !isNew ? row.id : referTo(new Map(), lookupKey));
  if (row && !differs(changes)) return row;
  addStep(planning, {
    action: row ? (isNew ? 'replace' : 'update') : 'create',
    resource: 'coupon',
    key: lookupKey ?? row!.id,
    path,
    id: row?.id ?? null,
    changes,
    run: (unit, known) =>
      performAt(path, async () => {
        const { name: title, metadata = {} } = entry;
        if (row && !isNew) return updateCoupon(unit, row.id, { name: title, metadata, active, lookupKey });
        if (row) await updateCoupon(unit, row.id, { active: false, lookupKey: null });
        const productIds = products?.map((each) => known.products.get(each) ?? each);
        const made = await createCoupon(unit, { ...input, productIds, lookupKey });
        if (lookupKey !== null) known.coupons.set(lookupKey, made.id);
        return active ? made : updateCoupon(unit, made.id, { active: false });
      }),
  });
  return row;
}

/** Returns the coupon that a name stands for, once it exists. */
export const resolveCoupon = (names: Names, reference: string): string =>
  names.coupons.get(reference) ?? reference;

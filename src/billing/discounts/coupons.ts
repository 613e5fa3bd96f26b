import * as z from 'zod';
import { amountInput, parseMoney } from '../catalog/amounts.ts';
import { lookupKeyInput, refuseTakenKey } from '../catalog/lookupKeys.ts';
import { findProduct } from '../catalog/products.ts';
import { compareDecimals, formatDecimal, parseDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { notInFuture, notPositive, refuse } from '../../lib/errors.ts';
import { coded } from '../../lib/issueCodes.ts';
import { parseCurrency } from '../../lib/money.ts';
import { parseInstant } from '../../lib/time.ts';
import { checkAll, metadata, parseInput } from '../../lib/validation.ts';
import { printedName } from '../../tenants/parties.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type CouponRow = Row<'coupons'>;

const mostMonths = 120;
const mostProducts = 100;
const mostRedemptions = 1_000_000_000;

/** A limit of redemptions. */
export const redemptionLimit = z
  .number()
  .int('must be a whole number')
  .min(1, 'must be 1 or more')
  .max(mostRedemptions, `must be at most ${mostRedemptions}`)
  .nullish();

const newCoupon = z.object({
  name: printedName,
  percentOff: z.string().nullish(),
  amountOff: amountInput.nullish(),
  duration: z.enum(['once', 'repeating', 'forever']),
  durationInMonths: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(mostMonths, `must be at most ${mostMonths}`)
    .nullish(),
  productIds: z
    .array(z.string())
    .min(1, 'must not be empty; leave it out for all products')
    .max(mostProducts, `must be at most ${mostProducts}`)
    .refine((ids) => new Set(ids).size === ids.length, coded('must name each product once', 'repeated'))
    .nullish(),
  maxRedemptions: redemptionLimit,
  redeemBy: z.string().nullish(),
  metadata: metadata.nullish().transform((map) => map ?? {}),
  lookupKey: lookupKeyInput,
});

const couponChanges = z.object({
  name: printedName.optional(),
  metadata: metadata
    .nullable()
    .transform((map) => map ?? {})
    .optional(),
  active: z.boolean().optional(),
  lookupKey: lookupKeyInput,
});

/**
 * Parses the terms of a new coupon; its products are not looked up. Errors: `validation_failed`, `amount_precision`,
 * `currency_unsupported`.
 */
export function parseCoupon(unit: Pick<UnitOfWork, 'tenant' | 'now'>, input: unknown) {
  const wanted = parseInput(newCoupon, input);
  const [reduction, durationInMonths, redeemBy] = checkAll(
    () => parseReduction(wanted),
    () => checkMonths(wanted),
    () => parseFutureInstant(unit, wanted.redeemBy, 'redeemBy'),
  );
  return {
    name: wanted.name,
    ...reduction,
    duration: wanted.duration,
    durationInMonths,
    productIds: wanted.productIds ?? null,
    maxRedemptions: wanted.maxRedemptions ?? null,
    redeemBy,
    metadata: wanted.metadata,
    lookupKey: wanted.lookupKey ?? null,
  };
}

/**
 * Creates a coupon. Errors: `validation_failed`, `amount_precision`, `currency_unsupported`, `product_not_found`, `lookup_key_exists`.
 */
export async function createCoupon(unit: UnitOfWork, input: unknown): Promise<CouponRow> {
  const terms = parseCoupon(unit, input);
  for (const id of terms.productIds ?? []) await findProduct(unit, id);
  await refuseTakenKey(unit, 'coupons', terms.lookupKey);
  if (unit.tenant.discountsSince === null) {
    await unit.change('tenants', unit.tenant, { discountsSince: unit.now });
  }
  return unit.create('coupons', {
    id: unit.id('coup'),
    ...terms,
    timesRedeemed: 0,
    active: true,
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}

type Reduction = Pick<CouponRow, 'percentOff' | 'amountOffMinor' | 'currency'>;

function parseReduction({ percentOff, amountOff }: z.output<typeof newCoupon>): Reduction {
  const fixed = amountOff ? parseAmountOff(amountOff) : undefined;
  const percent = typeof percentOff === 'string' ? parsePercent(percentOff) : undefined;
  if (fixed && percent !== undefined) return refuseField('amountOff', 'must not be given beside percentOff');
  if (fixed) return fixed;
  if (percent === undefined) return refuseField('percentOff', 'must be given, or amountOff');
  return { percentOff: percent, amountOffMinor: null, currency: null };
}

function parseAmountOff(amountOff: z.output<typeof amountInput>): Reduction {
  const currency = parseCurrency(amountOff.currency, 'amountOff.currency');
  const amountOffMinor = parseMoney(amountOff, currency, 'amountOff');
  if (amountOffMinor === 0n) return refuse('validation_failed', { path: 'amountOff', ...notPositive });
  return { percentOff: null, amountOffMinor, currency };
}

function parsePercent(text: string): string {
  const percent = parseDecimal(text);
  const isInRange =
    percent && percent.digits > 0n && compareDecimals(percent, wholeDecimal(100)) <= 0 && percent.scale <= 4;
  if (isInRange) return formatDecimal(percent);
  return refuse('validation_failed', {
    path: 'percentOff',
    message: 'must be more than 0 and at most 100, with at most 4 decimals',
    code: 'not_a_percentage',
  });
}

function checkMonths({ duration, durationInMonths }: z.output<typeof newCoupon>): number | null {
  const months = durationInMonths ?? null;
  if ((duration === 'repeating') === (months !== null)) return months;
  return refuseField(
    'durationInMonths',
    months === null
      ? 'must be given for a repeating discount'
      : 'must be given for a repeating discount only',
  );
}

/** Parses an instant that must be later than now; null if none is given. Error: `validation_failed`. */
export function parseFutureInstant(
  unit: Pick<UnitOfWork, 'tenant' | 'now'>,
  text: string | null | undefined,
  path: string,
): string | null {
  if (text === null || text === undefined) return null;
  const instant = parseInstant(text, unit.tenant.timezone, path);
  return instant > unit.now ? instant : refuse('validation_failed', { path, ...notInFuture });
}

/**
 * Changes the name, the metadata or the status of a coupon. Discounts that were given stay as they are. Errors:
 * `coupon_not_found`, `lookup_key_exists`, `validation_failed`.
 */
export async function updateCoupon(unit: UnitOfWork, id: string, input: unknown): Promise<CouponRow> {
  const changes = parseInput(couponChanges, input);
  const coupon = await findCoupon(unit, id);
  await refuseTakenKey(unit, 'coupons', changes.lookupKey, { ownId: id });
  return unit.change('coupons', coupon, changes);
}

/** Returns the coupon with this id. Error: `coupon_not_found`. */
export async function findCoupon(reads: Reads, id: string): Promise<CouponRow> {
  return (await reads.one('coupons', { id })) ?? refuse('coupon_not_found');
}

/** Lists the tenant's coupons; newest first by default. Errors: `validation_failed`, `cursor_invalid`. */
export function listCoupons(
  tenant: TenantScope,
  filter: { active?: boolean | null; lookupKey?: string | null },
  args: PageArgs,
): Promise<Page<CouponRow>> {
  const lookupKey = filter.lookupKey ?? undefined;
  const active = filter.active ?? undefined;
  // A key has one coupon.
  const conditions =
    lookupKey === undefined ? { where: { active } } : { where: { lookupKey }, filter: { active } };
  return readPage(
    tenant,
    {
      name: 'coupons',
      table: 'coupons',
      ...conditions,
      request: { active, lookupKey },
      by: ['createdAt', 'id'],
    },
    args,
  );
}

const refuseField = (path: string, message: string): never => refuse('validation_failed', { path, message });

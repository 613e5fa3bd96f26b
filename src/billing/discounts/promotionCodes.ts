import * as z from 'zod';
import { amountInput, parseMoney } from '../catalog/amounts.ts';
import { findCustomer } from '../customers/customers.ts';
import { notPositive, refuse } from '../../lib/errors.ts';
import { coded } from '../../lib/issueCodes.ts';
import { parseCurrency } from '../../lib/money.ts';
import { checkAll, parseInput } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findCoupon, parseFutureInstant, redemptionLimit } from './coupons.ts';

export type PromotionCodeRow = Row<'promotionCodes'>;

const longestCode = 64;
// Codes are typed by people: no spaces, and no characters that look the same but differ.
const codeForm = /^[A-Za-z0-9_-]+$/;

const newCode = z.object({
  couponId: z.string(),
  code: z
    .string()
    .max(longestCode, `must be at most ${longestCode} characters`)
    .refine(
      (text) => codeForm.test(text),
      coded('must have letters a–z, digits, - and _ only', 'not_a_code'),
    ),
  customerId: z.string().nullish(),
  firstPurchaseOnly: z
    .boolean()
    .nullish()
    .transform((isOnly) => isOnly ?? false),
  minimumAmount: amountInput.nullish(),
  maxRedemptions: redemptionLimit,
  expiresAt: z.string().nullish(),
});

const codeChanges = z.object({
  active: z.boolean().optional(),
  maxRedemptions: redemptionLimit,
  expiresAt: z.string().nullish(),
});

/**
 * Creates a promotion code of a coupon. Codes are case-insensitive and unique among the active. Errors:
 * `validation_failed`, `amount_precision`, `currency_unsupported`, `coupon_not_found`, `customer_not_found`,
 * `promotion_code_exists`.
 */
export async function createPromotionCode(unit: UnitOfWork, input: unknown): Promise<PromotionCodeRow> {
  const wanted = parseInput(newCode, input);
  const [minimum, expiresAt] = checkAll(
    () => parseMinimum(wanted.minimumAmount),
    () => parseFutureInstant(unit, wanted.expiresAt, 'expiresAt'),
  );
  const coupon = await findCoupon(unit, wanted.couponId);
  if (typeof wanted.customerId === 'string') await findCustomer(unit, wanted.customerId);
  await refuseTakenCode(unit, wanted.code);
  return unit.create('promotionCodes', {
    id: unit.id('promo'),
    couponId: coupon.id,
    code: wanted.code,
    activeCode: wanted.code.toLowerCase(),
    customerId: wanted.customerId,
    firstPurchaseOnly: wanted.firstPurchaseOnly,
    ...minimum,
    maxRedemptions: wanted.maxRedemptions,
    timesRedeemed: 0,
    expiresAt,
    active: true,
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}

function parseMinimum(
  amount: z.output<typeof newCode>['minimumAmount'],
): Pick<PromotionCodeRow, 'minimumAmountMinor' | 'currency'> {
  if (!amount) return { minimumAmountMinor: null, currency: null };
  const currency = parseCurrency(amount.currency, 'minimumAmount.currency');
  const minimumAmountMinor = parseMoney(amount, currency, 'minimumAmount');
  if (minimumAmountMinor > 0n) return { minimumAmountMinor, currency };
  return refuse('validation_failed', { path: 'minimumAmount', ...notPositive });
}

async function refuseTakenCode(unit: UnitOfWork, code: string): Promise<void> {
  if (await unit.one('promotionCodes', { activeCode: code.toLowerCase() })) {
    refuse('promotion_code_exists', {
      path: 'code',
      message: 'is taken by another active promotion code',
      code: 'taken',
    });
  }
}

/**
 * Activates or deactivates a promotion code, or changes its limits; null removes a limit. Discounts that were given stay
 * as they are. Errors: `promotion_code_not_found`, `validation_failed`, `promotion_code_exists`.
 */
export async function updatePromotionCode(
  unit: UnitOfWork,
  id: string,
  input: unknown,
): Promise<PromotionCodeRow> {
  const { active, maxRedemptions, expiresAt } = parseInput(codeChanges, input);
  const code = await findPromotionCode(unit, id);
  if (active && !code.active) await refuseTakenCode(unit, code.code);
  return unit.change('promotionCodes', code, {
    ...(active !== undefined && { active, activeCode: active ? code.code.toLowerCase() : null }),
    ...(maxRedemptions !== undefined && { maxRedemptions }),
    ...(expiresAt !== undefined && { expiresAt: parseFutureInstant(unit, expiresAt, 'expiresAt') }),
  });
}

/** Returns the promotion code with this id. Error: `promotion_code_not_found`. */
export async function findPromotionCode(reads: Reads, id: string): Promise<PromotionCodeRow> {
  return (await reads.one('promotionCodes', { id })) ?? refuse('promotion_code_not_found');
}

/** Returns the active promotion code with this text, in any case. Error: `promotion_code_not_found` at `path`. */
export async function findActiveCode(reads: Reads, text: string, path: string): Promise<PromotionCodeRow> {
  const activeCode = text.trim().toLowerCase();
  const isPossible = activeCode.length <= longestCode && codeForm.test(activeCode);
  const code = isPossible ? await reads.one('promotionCodes', { activeCode }) : undefined;
  return code ?? refuse('promotion_code_not_found', { path, message: 'is not an active promotion code' });
}

/** Lists the tenant's promotion codes; newest first by default. Errors: `validation_failed`, `cursor_invalid`. */
export function listPromotionCodes(
  tenant: TenantScope,
  { couponId, code }: { couponId?: string | null; code?: string | null },
  args: PageArgs,
): Promise<Page<PromotionCodeRow>> {
  const where = { couponId: couponId ?? undefined, activeCode: code?.trim().toLowerCase() };
  const list = { name: 'promotionCodes', table: 'promotionCodes', by: ['createdAt', 'id'] } as const;
  return readPage(tenant, { ...list, where }, args);
}

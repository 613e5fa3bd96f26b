/** Credit grants: credits with terms of their own, in the ledger of balances. */
import * as z from 'zod';
import { compareDecimals, formatDecimal, parseDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { refuse } from '../../lib/errors.ts';
import { parseInstant } from '../../lib/time.ts';
import { checkAll, parseInput } from '../../lib/validation.ts';
import type { CreditRollover, CreditScope } from '../../storage/model/common.ts';
import type { NewRow, Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import {
  readCreatedPage,
  readPage,
  type CreatedRange,
  type Page,
  type PageArgs,
} from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { printedName } from '../../tenants/parties.ts';
import { amountInput, parseMoneyIn, parsePositive } from '../catalog/amounts.ts';
import { findCustomer } from '../customers/customers.ts';
import { computeUsable, defaultPriority } from '../pricing/credits.ts';
import { checkInterval, computeCycleStart } from '../pricing/schedule.ts';
import { endPart, listAvailableCredits, recordCreditEvent } from './credits.ts';
import { parseExpiry, refuseManyCredits } from './grantedCredits.ts';
import { parsePositiveMoney } from './itemInput.ts';

/** A row of the ledger that is a grant, or an entry of one. */
export type GrantRow = Row<'balanceEntries'>;

const scopedIds = z.array(z.string()).nullish();

const rollover = z.object({
  percent: z.string().nullish(),
  maximum: amountInput.nullish(),
  expiresAfter: z.object({
    frequency: z.enum(['Daily', 'Weekly', 'Monthly', 'Yearly']),
    period: z.number(),
  }),
});

const newGrant = z.object({
  customerId: z.string(),
  name: printedName,
  amount: amountInput,
  category: z.enum(['paid', 'promotional'], 'must be paid or promotional'),
  costBasis: z.string().nullish(),
  priority: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(100, 'must be at most 100')
    .nullish(),
  effectiveAt: z.string().nullish(),
  expiresAt: z.string().nullish(),
  rollover: rollover.nullish(),
  appliesTo: z.object({ priceIds: scopedIds, meterIds: scopedIds }).nullish(),
});

type NewGrant = z.output<typeof newGrant>;

/**
 * Grants a customer credit with terms. Promotional credit lowers bills before their tax; paid credit pays their total, unless the
 * tenant sells single-purpose vouchers. Records the event `credit_granted`. Errors: `customer_not_found`, `validation_failed`,
 * `amount_precision`, `currency_unsupported`, `currency_mismatch`, `price_not_found`, `meter_not_found`.
 */
export async function createCreditGrant(unit: UnitOfWork, input: unknown): Promise<GrantRow> {
  return insertGrant(unit, await parseGrant(unit, input));
}

type GrantTerms = Pick<
  NewRow<'balanceEntries'>,
  | 'customerId'
  | 'currency'
  | 'amountMinor'
  | 'reason'
  | 'expiresAt'
  | 'category'
  | 'beforeTax'
  | 'costBasis'
  | 'priority'
  | 'effectiveAt'
  | 'rollover'
  | 'appliesTo'
>;

/** Parses a new grant. Errors: those of `createCreditGrant`. */
export async function parseGrant(unit: UnitOfWork, input: unknown): Promise<GrantTerms> {
  const grant = parseInput(newGrant, input);
  const { name: reason, category, priority } = grant;
  const [{ amountMinor, currency }, expiresAt, effectiveAt, costBasis] = checkAll(
    () => parsePositiveMoney(grant.amount, 'amount'),
    () => parseExpiry(unit, grant.expiresAt ?? null),
    () => parseStart(unit, grant.effectiveAt),
    () => parseCostBasis(grant),
  );
  if (expiresAt !== null && effectiveAt >= expiresAt)
    refuse('validation_failed', { path: 'effectiveAt', message: 'must be before expiresAt' });
  const beforeTax = category === 'promotional' || unit.tenant.creditVouchers === 'single_purpose';
  const terms = {
    rollover: parseRollover(unit, grant, currency, expiresAt),
    appliesTo: await parseScope(unit, grant, beforeTax),
  };
  const { id: customerId } = await findCustomer(unit, grant.customerId);
  await refuseManyCredits(unit, customerId);
  return {
    customerId,
    currency,
    amountMinor,
    reason,
    expiresAt,
    category,
    beforeTax,
    costBasis,
    priority: priority ?? defaultPriority,
    effectiveAt,
    ...terms,
  };
}

/** Inserts a grant. `invoiceId` is the invoice that has sold it. */
async function insertGrant(unit: UnitOfWork, terms: GrantTerms, invoiceId?: string): Promise<GrantRow> {
  const { amountMinor, expiresAt, category } = terms;
  const id = unit.id('crg');
  const own = { id, kind: 'grant', remainingMinor: amountMinor, createdAt: unit.now, invoiceId } as const;
  const created = await unit.insertUntraced('balanceEntries', { ...terms, ...own });
  await recordCreditEvent(unit, 'credit_granted', created, amountMinor, { expiresAt, category });
  return created;
}

/** Grants the credit that an invoice has sold, because it is paid. */
export async function grantTopUp(
  unit: UnitOfWork,
  { id, customerId, currency, topUp }: Pick<Row<'invoices'>, 'id' | 'customerId' | 'currency' | 'topUp'>,
): Promise<void> {
  if (topUp === null) return;
  const { name: reason, amountMinor, ...terms } = topUp;
  const bought = { customerId, currency, reason, amountMinor: BigInt(amountMinor), ...terms };
  await insertGrant(unit, { ...bought, category: 'paid', effectiveAt: unit.now }, id);
}

const parseStart = ({ now, tenant }: UnitOfWork, text: string | null | undefined): string =>
  text ? parseInstant(text, tenant.timezone, 'effectiveAt') : now;

/** Returns what was paid for a unit of the amount: promotional credit costs nothing, and paid credit its amount by default. */
function parseCostBasis({ category, costBasis }: NewGrant): string {
  if (typeof costBasis !== 'string') return category === 'paid' ? '1' : '0';
  const paid = formatDecimal(parsePositive(costBasis, 'costBasis'));
  if (category === 'promotional' && paid !== '0')
    refuse('validation_failed', { path: 'costBasis', message: 'must be 0 for promotional credit' });
  return paid;
}

/** Parses what a grant keeps when it expires. Errors: `validation_failed`, and those of an amount. */
function parseRollover(
  { tenant }: UnitOfWork,
  { rollover: given }: NewGrant,
  currency: string,
  expiresAt: string | null,
): CreditRollover | null {
  if (!given) return null;
  if (expiresAt === null)
    return refuse('validation_failed', { path: 'rollover', message: 'must not be given without expiresAt' });
  const { percent, maximum, expiresAfter } = given;
  if ((typeof percent === 'string') === Boolean(maximum))
    return refuse('validation_failed', {
      path: 'rollover',
      message: 'must have percent or maximum, and not both',
    });
  checkInterval(expiresAfter, 'rollover.expiresAfter');
  const until = computeCycleStart(expiresAt, expiresAfter, tenant.timezone, 1);
  if (typeof percent === 'string') return { percent: parsePercent(percent), ...expiresAfter, until };
  const maximumMinor = String(parseMoneyIn(maximum!, currency, 'rollover.maximum'));
  return { maximumMinor, ...expiresAfter, until };
}

function parsePercent(text: string): string {
  const percent = parseDecimal(text);
  const isValid = percent && percent.digits > 0n && compareDecimals(percent, wholeDecimal(100)) <= 0;
  if (isValid) return formatDecimal(percent);
  const message = 'must be a decimal number above 0 and at most 100';
  return refuse('validation_failed', { path: 'rollover.percent', message });
}

/** Parses the prices and meters that a grant is limited to. Errors: `validation_failed`, `price_not_found`, `meter_not_found`. */
async function parseScope(
  reads: Reads,
  { appliesTo }: NewGrant,
  beforeTax: boolean,
): Promise<CreditScope | null> {
  if (!appliesTo) return null;
  const { priceIds, meterIds } = appliesTo;
  if (!beforeTax)
    refuse('validation_failed', {
      path: 'appliesTo',
      message: 'must not be given for credit that pays totals',
    });
  if (!priceIds?.length && !meterIds?.length)
    refuse('validation_failed', { path: 'appliesTo', message: 'must have priceIds or meterIds' });
  for (const [index, id] of (priceIds ?? []).entries())
    if (!(await reads.one('prices', { id })))
      refuse('price_not_found', { path: `appliesTo.priceIds.${index}`, message: 'does not exist' });
  for (const [index, id] of (meterIds ?? []).entries())
    if (!(await reads.one('meters', { id })))
      refuse('meter_not_found', { path: `appliesTo.meterIds.${index}`, message: 'does not exist' });
  return { ...(priceIds?.length && { priceIds }), ...(meterIds?.length && { meterIds }) };
}

/** Returns the credit grant with this id. Error: `credit_grant_not_found`. */
export async function findCreditGrant(reads: Reads, id: string): Promise<GrantRow> {
  return (await reads.one('balanceEntries', { id, kind: 'grant' })) ?? refuse('credit_grant_not_found');
}

/**
 * Ends the remainder of a credit grant; what it has paid stays paid, and what invoices return to it later is void as well. Voiding
 * it again changes nothing. Errors: `credit_grant_not_found`, `credit_grant_in_use` while a payment in progress has reserved a
 * part.
 */
export async function voidCreditGrant(unit: UnitOfWork, id: string): Promise<GrantRow> {
  const grant = await findCreditGrant(unit, id);
  if (grant.voidedAt !== null) return grant;
  const { customerId, currency, remainingMinor } = grant;
  if (remainingMinor > 0n) {
    const available = await listAvailableCredits(unit, customerId, currency);
    if (available.find((credit) => credit.id === id)?.remainingMinor !== remainingMinor)
      refuse('credit_grant_in_use', {
        path: 'id',
        message: 'has a part that a payment in progress has reserved',
      });
    await endPart(unit, grant, 'void', remainingMinor);
  }
  await unit.updateUntraced('balanceEntries', { id }, { remainingMinor: 0n, voidedAt: unit.now });
  await recordCreditEvent(unit, 'credit_voided', grant, remainingMinor);
  return { ...grant, remainingMinor: 0n, voidedAt: unit.now };
}

/**
 * Voids the credit that an invoice has sold, because the invoice is refunded. Error: `refund_too_large` unless all of it is refunded
 * and none of the credit is used.
 */
export async function takeBackTopUp(
  unit: UnitOfWork,
  { id }: Pick<Row<'invoices'>, 'id'>,
  isWhole: boolean,
): Promise<void> {
  const grant = await unit.one('balanceEntries', { invoiceId: id, kind: 'grant' });
  const isUnused = !grant || grant.remainingMinor === grant.amountMinor;
  if (!isWhole || !isUnused)
    refuse('refund_too_large', {
      path: 'amount',
      message:
        'credit that was sold is refunded as a whole, as long as it is unused: void the rest of it instead',
    });
  if (grant) await voidCreditGrant(unit, grant.id);
}

interface GrantFilter {
  customerId?: string | null;
  category?: 'paid' | 'promotional' | null;
  /** If true, only grants that can pay. */
  usable?: boolean | null;
}

/** Lists credit grants; newest first by default. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`. */
export function listCreditGrants(
  tenant: TenantScope,
  { customerId, category, usable }: GrantFilter,
  args: PageArgs & CreatedRange,
): Promise<Page<GrantRow>> {
  const now = tenant.now();
  const where = { customerId: customerId ?? undefined, kind: 'grant' } as const;
  const filter = {
    ...(category && { category }),
    ...(usable && {
      remainingMinor: { isPositive: true } as const,
      effectiveAt: { to: now },
      expiresAt: { unlessUpTo: now },
    }),
  };
  const request = { customerId, category, usable };
  const list = { name: 'creditGrants', table: 'balanceEntries', where, filter, request } as const;
  return readCreatedPage(tenant, list, args);
}

/** Lists what has used, returned or ended parts of a grant; newest first by default. Errors: `validation_failed`, `cursor_invalid`. */
export const listGrantUses = (
  tenant: TenantScope,
  grantId: string,
  args: PageArgs,
): Promise<Page<GrantRow>> =>
  readPage(
    tenant,
    {
      name: 'creditGrantUses',
      table: 'balanceEntries',
      where: { creditId: grantId },
      request: grantId,
      by: ['id'],
    },
    args,
  );

/** Returns where a grant is between its beginning and its end. */
export function findGrantStatus(grant: GrantRow, at: string): string {
  const { voidedAt, effectiveAt, expiresAt, rollover: kept, remainingMinor } = grant;
  if (voidedAt !== null) return 'voided';
  const end = kept?.until ?? expiresAt;
  if (end !== null && end <= at) return 'expired';
  if (effectiveAt !== null && effectiveAt > at) return 'pending';
  return remainingMinor === 0n || computeUsable(grant, at) === 0n ? 'used_up' : 'active';
}

/** What a customer has left of grants of a category in a currency, in minor units. */
export interface GrantBalance {
  category: 'paid' | 'promotional';
  currency: string;
  amountMinor: bigint;
}

/** Sums the grants that can pay at an instant by category and currency, ordered by both; omits empty sums. */
export function sumGrants(credits: GrantRow[], at: string): GrantBalance[] {
  const sums = new Map<string, GrantBalance>();
  for (const credit of credits) {
    const { category, currency } = credit;
    if (category === null) continue;
    const key = `${category} ${currency}`;
    const amountMinor = (sums.get(key)?.amountMinor ?? 0n) + computeUsable(credit, at);
    sums.set(key, { category, currency, amountMinor });
  }
  return [...sums]
    .filter(([, { amountMinor }]) => amountMinor > 0n)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, sum]) => sum);
}

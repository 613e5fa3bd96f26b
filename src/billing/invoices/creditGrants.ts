/** Credit grants: credits with terms of their own, in the ledger of balances. */
import { refuse } from '../../lib/errors.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
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
import { computeUsable } from '../pricing/credits.ts';
import { compareRemaining, nameAlert, recordCreditEvent } from './creditEvents.ts';
import { endPart, listAvailableCredits } from './credits.ts';
import { parseAlertChange, parseGrant, type GrantTerms } from './grantTerms.ts';
import { requestTopUpCheck } from './topUpChecks.ts';

/** A row of the ledger that is a grant, or an entry of one. */
export type GrantRow = Row<'balanceEntries'>;

/**
 * Grants a customer credit with terms. Promotional credit lowers bills before their tax; paid credit pays their total, unless the
 * tenant sells single-purpose vouchers. Records the event `credit_granted`. Errors: `customer_not_found`, `validation_failed`,
 * `amount_precision`, `currency_unsupported`, `currency_mismatch`, `price_not_found`, `meter_not_found`,
 * `credit_type_not_found`.
 */
export async function createCreditGrant(unit: UnitOfWork, input: unknown): Promise<GrantRow> {
  return insertGrant(unit, await parseGrant(unit, input));
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
  const { name: reason, amountMinor, autoTopUpId, ...terms } = topUp;
  const bought = { customerId, currency, reason, amountMinor: BigInt(amountMinor), ...terms };
  const grant = await insertGrant(unit, { ...bought, category: 'paid', effectiveAt: unit.now }, id);
  if (autoTopUpId !== undefined) await requestTopUpCheck(unit, grant);
}

/** Returns the credit grant with this id. Error: `credit_grant_not_found`. */
export async function findCreditGrant(reads: Reads, id: string): Promise<GrantRow> {
  return (await reads.one('balanceEntries', { id, kind: 'grant' })) ?? refuse('credit_grant_not_found');
}

/**
 * Changes the alert of a credit grant, and tells at once if less is left; of one that is voided or has expired it tells nothing.
 * Records the event `credit_changed`. Errors: `credit_grant_not_found`, `validation_failed`, `amount_precision`,
 * `currency_unsupported`, `currency_mismatch`.
 */
export async function updateCreditGrant(unit: UnitOfWork, id: string, input: unknown): Promise<GrantRow> {
  const grant = await findCreditGrant(unit, id);
  const alertBelowMinor = parseAlertChange(input, grant);
  if (alertBelowMinor === undefined || alertBelowMinor === grant.alertBelowMinor) return grant;
  await unit.updateUntraced('balanceEntries', { id }, { alertBelowMinor, alertedBelowAt: null });
  const changed = { ...grant, alertBelowMinor, alertedBelowAt: null };
  await recordCreditEvent(unit, 'credit_changed', changed, changed.remainingMinor, nameAlert(changed));
  const hasEnded = ['voided', 'expired'].includes(findGrantStatus(changed, unit.now));
  return hasEnded ? changed : compareRemaining(unit, changed);
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
  creditTypeId?: string | null;
  /** If true, only grants that can pay. */
  usable?: boolean | null;
}

/** Lists credit grants; newest first by default. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`. */
export function listCreditGrants(
  tenant: TenantScope,
  { customerId, category, creditTypeId, usable }: GrantFilter,
  args: PageArgs & CreatedRange,
): Promise<Page<GrantRow>> {
  const now = tenant.now();
  const where = { customerId: customerId ?? undefined, kind: 'grant' } as const;
  const filter = {
    ...(category && { category }),
    ...(creditTypeId && { creditTypeId }),
    ...(usable && {
      remainingMinor: { isPositive: true } as const,
      effectiveAt: { to: now },
      expiresAt: { unlessUpTo: now },
    }),
  };
  const request = { customerId, category, creditTypeId, usable };
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

/** What a customer has left of grants of a category in a currency, in minor units, or in millionths of a credit of a type. */
export interface GrantBalance {
  category: 'paid' | 'promotional';
  currency: string;
  creditTypeId: string | null;
  amountMinor: bigint;
}

/** Sums the grants that can pay at an instant by category, currency and credit type, in this order; omits empty sums. */
export function sumGrants(credits: GrantRow[], at: string): GrantBalance[] {
  const sums = new Map<string, GrantBalance>();
  for (const credit of credits) {
    const { category, currency, creditTypeId } = credit;
    if (category === null) continue;
    const key = `${category} ${currency} ${creditTypeId ?? ''}`;
    const amountMinor = (sums.get(key)?.amountMinor ?? 0n) + computeUsable(credit, at);
    sums.set(key, { category, currency, creditTypeId, amountMinor });
  }
  return [...sums]
    .filter(([, { amountMinor }]) => amountMinor > 0n)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, sum]) => sum);
}

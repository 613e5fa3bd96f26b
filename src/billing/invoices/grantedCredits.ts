import * as z from 'zod';
import { amountInput } from '../catalog/amounts.ts';
import { findCustomer } from '../customers/customers.ts';
import { notInFuture, refuse } from '../../lib/errors.ts';
import { parseInstant } from '../../lib/time.ts';
import { checkAll, parseInput } from '../../lib/validation.ts';
import { printedName } from '../../tenants/parties.ts';
import { isUsable, orderCredits } from '../pricing/credits.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readCreatedPage, type CreatedRange, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { recordCreditEvent } from './creditEvents.ts';
import { parsePositiveMoney } from './itemInput.ts';

type Credit = Row<'balanceEntries'>;

/** The most credits of a customer that can pay at once: every invoice reads them. */
const mostCredits = 250;

const newCredit = z.object({
  amount: amountInput,
  reason: printedName,
  expiresAt: z.string().nullish(),
});

/**
 * Grants a customer a credit, which pays the next charges in its currency until it expires. Errors: `customer_not_found`,
 * `validation_failed`, `amount_precision`, `currency_unsupported`.
 */
export async function grantCustomerCredit(
  unit: UnitOfWork,
  customerId: string,
  input: unknown,
): Promise<Credit> {
  const { amount, reason, expiresAt } = parseInput(newCredit, input);
  const [{ amountMinor, currency }, expiry] = checkAll(
    () => parsePositiveMoney(amount, 'amount'),
    () => parseExpiry(unit, expiresAt ?? null),
  );
  await findCustomer(unit, customerId);
  await refuseManyCredits(unit, customerId);
  const credit = await unit.insertUntraced('balanceEntries', {
    id: unit.id('bal'),
    customerId,
    currency,
    kind: 'credit',
    amountMinor,
    remainingMinor: amountMinor,
    createdAt: unit.now,
    reason,
    expiresAt: expiry,
  });
  await recordCreditEvent(unit, 'credit_granted', credit, amountMinor, { expiresAt: expiry });
  return credit;
}

/** Refuses one more credit of a customer who has very many. Error: `validation_failed`. */
export async function refuseManyCredits(unit: UnitOfWork, customerId: string): Promise<void> {
  const present = await unit.many('balanceEntries', { where: { customerId, remainingMinor: { after: 0n } } });
  const left = present.filter(({ expiresAt }) => expiresAt === null || expiresAt > unit.now);
  if (left.length < mostCredits) return;
  const message = `has ${mostCredits} credits with a remainder already`;
  refuse('validation_failed', { path: 'customerId', message });
}

/** Returns when a credit expires; null for never. Error: `validation_failed` unless that is in the future. */
export function parseExpiry({ now, tenant }: UnitOfWork, text: string | null): string | null {
  if (text === null) return null;
  const expiresAt = parseInstant(text, tenant.timezone, 'expiresAt');
  if (expiresAt > now) return expiresAt;
  return refuse('validation_failed', { path: 'expiresAt', ...notInFuture });
}

/** Returns a credit by id, used up and expired ones too; undefined if there is none. */
export const findCredit = async (reads: Reads, id: string): Promise<Credit | undefined> =>
  reads.one('balanceEntries', { id, kind: 'credit' });

interface CreditFilter {
  customerId?: string | null;
  /** If true, only credits that can pay. */
  usable?: boolean | null;
}

/** Lists the tenant's credits; newest first by default. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`. */
export function listCredits(
  tenant: TenantScope,
  { customerId, usable }: CreditFilter,
  args: PageArgs & CreatedRange,
): Promise<Page<Credit>> {
  const where = { customerId: customerId ?? undefined, kind: 'credit' } as const;
  const filter = usable ? { remainingMinor: isPositive, expiresAt: { unlessUpTo: tenant.now() } } : {};
  const request = { customerId, usable };
  const list = { name: 'credits', table: 'balanceEntries', where, filter, request } as const;
  return readCreatedPage(tenant, list, args);
}

const isPositive = { isPositive: true } as const;

/** Returns the credits without terms that can pay at an instant, in the order of their use. `credits` are ordered by creation. */
export const listUsableCredits = (credits: Credit[], at: string): Credit[] =>
  orderCredits(credits).filter(
    (credit) => credit.kind === 'credit' && credit.remainingMinor > 0n && isUsable(credit, at),
  );

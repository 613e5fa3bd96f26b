/** The facts of mails about alerts: the use of a limit, the cost of usage, and what is left of a credit grant. */
import { toMinor } from '../../lib/money.ts';
import { parseCredits } from '../../billing/pricing/creditUnits.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { CreditAmount, MailFacts } from './facts.ts';

/** The `details` of the event `usage_alert`. */
interface UsageAlert {
  feature: string;
  percent: number;
  used: string;
  limit: string;
  /** Null for a limit that no period resets. */
  periodEnd: string | null;
}

/** Returns the facts of an alert of a limit; undefined once its period is over. */
export async function readUsageAlert(
  { read, now }: { read: Reads; now: () => string },
  { payload }: Row<'traces'>,
  evenIfSettled: boolean,
): Promise<Pick<MailFacts, 'usage'> | undefined> {
  const { feature: key, percent, used, limit, periodEnd: resetsAt } = payload['details'] as UsageAlert;
  const feature = await read.one('features', { key });
  if (!feature || (resetsAt !== null && resetsAt <= now() && !evenIfSettled)) return undefined;
  return { usage: { feature: feature.name, percent, used, limit, resetsAt } };
}

/** The `details` of the event `spend_alert`, with amounts in major units. */
interface SpendAlert {
  amount: number;
  spent: number;
  currency: string;
  periodEnd: string;
}

/** Returns the facts of an alert of an amount; undefined once its period is over. */
export function readSpendAlert(
  { now }: { now: () => string },
  payload: Row<'traces'>['payload'],
  evenIfSettled: boolean,
): MailFacts['spend'] {
  const { amount, spent, currency, periodEnd: resetsAt } = payload['details'] as SpendAlert;
  if (resetsAt <= now() && !evenIfSettled) return undefined;
  const amountMinor = toMinor(amount, currency, 'amount');
  return { amountMinor, spentMinor: toMinor(spent, currency, 'spent'), currency, resetsAt };
}

/** The `details` of the events `credit_used` and `credit_low`. */
interface CreditAlert {
  creditId: string;
  /** What is left: money in major units, or credits. */
  amount?: number;
  credits?: string;
}

/** Returns the facts of an alert of a credit grant; undefined once it was voided. */
export async function readCreditAlert(
  read: Reads,
  { payload }: Row<'traces'>,
  evenIfSettled: boolean,
): Promise<Pick<MailFacts, 'credit'> | undefined> {
  const { creditId, amount, credits } = payload['details'] as CreditAlert;
  const grant = await read.one('balanceEntries', { id: creditId });
  if (!grant || (grant.voidedAt !== null && !evenIfSettled)) return undefined;
  const { currency, creditTypeId, amountMinor, reason: name, expiresAt } = grant;
  const type = creditTypeId === null ? undefined : await read.one('creditTypes', { id: creditTypeId });
  const typeName = type?.name ?? null;
  const leftMinor = credits === undefined ? toMinor(amount!, currency, 'amount') : parseCredits(credits)!;
  const write = (minor: bigint): CreditAmount => ({ amountMinor: minor, currency, typeName });
  return { credit: { name, amount: write(amountMinor), left: write(leftMinor), expiresAt } };
}

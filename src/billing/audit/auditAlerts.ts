/** Whether alerts were told once each, and only of what was used. */
import { compareDecimals, multiplyDecimals, readDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { toMinor } from '../../lib/money.ts';
import { findAlertPeriod } from '../usage/alertPeriods.ts';
import type { Row } from '../../storage/model/rowTypes.ts';

type Report = (fault: { subject: string; found: string }) => void;

/** The `details` of the event `usage_alert`. */
interface LimitAlert {
  feature: string;
  percent: number;
  used: string;
  limit: string;
  /** Null for a limit that no period resets, whose shares are told again. */
  periodStart: string | null;
}

/** The `details` of the event `credit_low`. */
interface LowAlert {
  creditId: string;
}

/** The `details` of the event `spend_alert`, with amounts in major units. */
interface SpendAlert {
  amount: number;
  spent: number;
  currency: string;
  periodStart: string;
}

/** Follows the traces of a tenant; give it all of them, then what is remembered of them. */
export function createAlertAudit(report: Report) {
  const limits = new Map<string, Set<number>>();
  const amounts = new Map<string, Set<bigint>>();
  const lowGrants = new Set<string>();
  const followLimit = (subject: string, { feature, percent, used, limit, periodStart }: LimitAlert) => {
    const what = `${percent} percent of ${feature}${periodStart === null ? '' : ` from ${periodStart}`}`;
    const share = multiplyDecimals(readDecimal(limit), wholeDecimal(percent));
    if (compareDecimals(multiplyDecimals(readDecimal(used), wholeDecimal(100)), share) < 0)
      report({ subject, found: `was told ${what}, but ${used} of ${limit} were used` });
    const key = nameLimit(subject, feature, findAlertPeriod(periodStart));
    if (!addOnce(limits, key, percent) && periodStart !== null)
      report({ subject, found: `was told ${what} twice` });
  };
  const followSpending = (subject: string, { amount, spent, currency, periodStart }: SpendAlert) => {
    const what = `${amount} ${currency} from ${periodStart}`;
    if (spent < amount) report({ subject, found: `was told ${what}, but ${spent} were spent` });
    const amountMinor = toMinor(amount, currency, 'amount');
    if (!addOnce(amounts, `${subject} ${periodStart}`, amountMinor))
      report({ subject, found: `was told ${what} twice` });
  };
  return {
    follow: ({ payload }: Row<'traces'>): void => {
      const { action, resourceId, details } = payload as {
        action: string;
        resourceId: string;
        details: unknown;
      };
      if (action === 'credit_low') lowGrants.add((details as LowAlert).creditId);
      if (action === 'usage_alert') followLimit(resourceId, details as LimitAlert);
      if (action === 'spend_alert') followSpending(resourceId, details as SpendAlert);
    },
    compareLimits: (rows: readonly Row<'limitAlerts'>[]): void => {
      for (const { customerId: subject, feature, periodStart, percent } of rows)
        if (percent > Math.max(0, ...(limits.get(nameLimit(subject, feature, periodStart)) ?? [])))
          report({ subject, found: `has no event of ${percent} percent of ${feature} from ${periodStart}` });
    },
    /** Compares the grants of a tenant at an instant; what is left of one that has ended tells nothing. */
    compareGrants: (rows: readonly Row<'balanceEntries'>[], now: string): void => {
      for (const row of rows) {
        const { id: subject, remainingMinor, alertBelowMinor, alertedBelowAt, voidedAt, expiresAt } = row;
        if (alertedBelowAt !== null && !lowGrants.has(subject))
          report({ subject, found: `has no event of less than ${alertBelowMinor}` });
        if (alertBelowMinor === null || voidedAt !== null || (expiresAt !== null && expiresAt <= now))
          continue;
        if (remainingMinor < alertBelowMinor !== (alertedBelowAt !== null))
          report({
            subject,
            found: `has ${remainingMinor} left, and was ${alertedBelowAt ? '' : 'not '}told to be below ${alertBelowMinor}`,
          });
      }
    },
    compareSpending: (rows: readonly Row<'subscriptions'>[]): void => {
      for (const { id: subject, spendAlerted: told } of rows)
        if (told && !amounts.get(`${subject} ${told.periodStart}`)?.has(BigInt(told.amountMinor)))
          report({ subject, found: `has no event of ${told.amountMinor} from ${told.periodStart}` });
    },
  };
}

const nameLimit = (customerId: string, feature: string, periodStart: string) =>
  `${customerId} ${feature} ${periodStart}`;

/** Adds a value to the set of a key; returns whether it was not there. */
function addOnce<Value>(sets: Map<string, Set<Value>>, key: string, value: Value): boolean {
  const known = sets.get(key) ?? new Set<Value>();
  sets.set(key, known);
  if (known.has(value)) return false;
  known.add(value);
  return true;
}

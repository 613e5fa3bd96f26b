/** The figures of a period that follow from its movements. Rates are fractions: 0.09 is 9 %. */
import { formatDecimal } from '../../lib/decimal.ts';
import { divideRoundHalfUp } from '../../lib/money.ts';
import type { Row } from '../../storage/model/rowTypes.ts';

/** The movements of a period: amounts in minor units, all 0 or more, and numbers of customers. */
export interface PeriodMovements {
  mrrStartMinor: bigint;
  mrrEndMinor: bigint;
  newMinor: bigint;
  expansionMinor: bigint;
  contractionMinor: bigint;
  churnMinor: bigint;
  reactivationMinor: bigint;
  newCustomers: number;
  churnedCustomers: number;
  reactivatedCustomers: number;
  /** With MRR, at the end. */
  activeCustomers: number;
  activeSubscriptions: number;
}

/** The figures of a period; null where they would divide by 0. */
export interface RevenueRates {
  customerChurnRate: string | null;
  grossMrrChurnRate: string | null;
  netMrrChurnRate: string | null;
  nrr: string | null;
  quickRatio: string | null;
  arpuMinor: bigint | null;
  ltvMinor: bigint | null;
}

const rateScale = 6;

/** Returns a fraction as a decimal with at most 6 decimals, rounded half up; null if it would divide by 0. */
export function computeRate(numerator: bigint | number, denominator: bigint | number): string | null {
  const [above, below] = [BigInt(numerator), BigInt(denominator)];
  if (below <= 0n) return null;
  const digits = divideRoundHalfUp(above * 10n ** BigInt(rateScale), below);
  return formatDecimal({ digits, scale: rateScale });
}

/** Returns what a period begins with: the end of the one before, and no movements. */
export const beginPeriod = (
  before: Pick<PeriodMovements, 'mrrEndMinor' | 'activeCustomers' | 'activeSubscriptions'>,
): PeriodMovements => ({
  mrrStartMinor: before.mrrEndMinor,
  mrrEndMinor: before.mrrEndMinor,
  newMinor: 0n,
  expansionMinor: 0n,
  contractionMinor: 0n,
  churnMinor: 0n,
  reactivationMinor: 0n,
  newCustomers: 0,
  churnedCustomers: 0,
  reactivatedCustomers: 0,
  activeCustomers: before.activeCustomers,
  activeSubscriptions: before.activeSubscriptions,
});

/** Movements of one kind. */
export interface MovedSum {
  kind: Row<'mrrMovements'>['kind'];
  /** Below 0 for contraction and churn. */
  amountMinor: bigint;
  movements: number;
  subscriptions: number;
}

/** Adds movements to a period. */
export function addMoved(
  period: PeriodMovements,
  { kind, amountMinor, movements, subscriptions }: MovedSum,
): void {
  period.mrrEndMinor += amountMinor;
  period.activeSubscriptions += subscriptions;
  if (kind === 'expansion') period.expansionMinor += amountMinor;
  else if (kind === 'contraction') period.contractionMinor -= amountMinor;
  else if (kind === 'churn') {
    period.churnMinor -= amountMinor;
    period.churnedCustomers += movements;
    period.activeCustomers -= movements;
  } else {
    const [amount, count] =
      kind === 'new'
        ? (['newMinor', 'newCustomers'] as const)
        : (['reactivationMinor', 'reactivatedCustomers'] as const);
    period[amount] += amountMinor;
    period[count] += movements;
    period.activeCustomers += movements;
  }
}

/**
 * Computes the figures of a period. Churned customers are divided by those at the start and those that came, as Stripe
 * does; churned MRR by the MRR at the start, as ChartMogul does. Net churn is churn and contraction less expansion: what
 * new customers and those who came back bring is in neither net churn nor the net revenue retention (`nrr`), its
 * complement. The lifetime value is the average revenue of a customer divided by the customer churn rate.
 */
export function computeRates(period: PeriodMovements): RevenueRates {
  const { mrrStartMinor, mrrEndMinor, activeCustomers, churnedCustomers } = period;
  const { newMinor, expansionMinor, contractionMinor, churnMinor, reactivationMinor } = period;
  const lostMinor = contractionMinor + churnMinor;
  const wonMinor = newMinor + expansionMinor + reactivationMinor;
  // At the end are those at the start and those that came, less those that churned.
  const ever = activeCustomers + churnedCustomers;
  const hasCustomers = activeCustomers > 0;
  return {
    customerChurnRate: computeRate(churnedCustomers, ever),
    grossMrrChurnRate: computeRate(lostMinor, mrrStartMinor),
    netMrrChurnRate: computeRate(lostMinor - expansionMinor, mrrStartMinor),
    nrr: computeRate(mrrStartMinor - lostMinor + expansionMinor, mrrStartMinor),
    quickRatio: computeRate(wonMinor, lostMinor),
    arpuMinor: hasCustomers ? divideRoundHalfUp(mrrEndMinor, BigInt(activeCustomers)) : null,
    ltvMinor:
      hasCustomers && churnedCustomers > 0
        ? divideRoundHalfUp(mrrEndMinor * BigInt(ever), BigInt(activeCustomers) * BigInt(churnedCustomers))
        : null,
  };
}

import { numberDefinition } from '../../billing/pricing/mrr.ts';
import { computeRate } from '../../billing/pricing/revenueFigures.ts';
import { refuse } from '../../lib/errors.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listBounds } from './buckets.ts';
import { readRange, type RevenueQuestion } from './revenue.ts';

/** The customers and the MRR of a cohort at the end of a month. */
export interface CohortAge {
  /** Months since the cohort began: 0 in its first month. */
  age: number;
  customers: number;
  mrrMinor: bigint;
  currency: string;
  customerRetention: string;
  /** Null for a cohort that brought none. */
  mrrRetention: string | null;
}

/** The customers who first had MRR in one month. */
export interface Cohort {
  month: string;
  currency: string;
  customers: number;
  mrrMinor: bigint;
  ages: CohortAge[];
}

const mostCohorts = 120;

/**
 * Returns the cohorts of a tenant by month, each with the customers and the MRR that are left at the end of each month
 * up to now; a cohort's MRR is divided by what it brought when its customers came. Errors: `validation_failed`,
 * `currency_unsupported`, `query_timeout`.
 */
export function listCohorts(tenant: TenantScope, question: Omit<RevenueQuestion, 'by'>): Promise<Cohort[]> {
  const { currency, timeZone, asOf, bounds } = readRange(tenant, { ...question, by: 'month' });
  if (bounds.length - 1 > mostCohorts)
    refuse('validation_failed', {
      path: 'until',
      message: `must be at most ${mostCohorts} months after from`,
    });
  const [first, last] = [bounds[0]!, bounds.at(-1)!];
  if (asOf < first) return Promise.resolve([]);
  const months = listBounds({ from: first, until: asOf > last ? asOf : last, by: 'month', timeZone }, 'asOf');
  return tenant.scan(async (scan) => {
    const groups = await scan.sum('mrrMovements', {
      where: {
        currency,
        definitions: { hasBit: numberDefinition(question.definition) },
        cohortAt: { from: first, before: last },
        at: { from: first, to: asOf },
      },
      by: ['kind'],
      byPeriod: { cohortAt: months, at: months },
      sums: ['amountMinor'],
    });
    const moved = new Map<number, Moved[]>();
    for (const group of groups) {
      const cohort = (group['cohortAtPeriod'] as number) - 1;
      const own = moved.get(cohort) ?? [];
      moved.set(cohort, own);
      addGroup((own[(group['atPeriod'] as number) - 1 - cohort] ??= createMoved()), group);
    }
    const present = months.findLastIndex((month) => month <= asOf);
    return [...moved]
      .toSorted(([a], [b]) => a - b)
      .map(([nth, own]) => buildCohort(months[nth]!, currency, own, present - nth));
  });
}

/** How a cohort moved in one month. */
interface Moved {
  came: number;
  cameMinor: bigint;
  customers: number;
  mrrMinor: bigint;
}

const createMoved = (): Moved => ({ came: 0, cameMinor: 0n, customers: 0, mrrMinor: 0n });

function addGroup(moved: Moved, group: Record<string, unknown> & { rows: number }): void {
  const { kind, rows } = group;
  const amountMinor = group['amountMinor'] as bigint;
  moved.mrrMinor += amountMinor;
  if (kind === 'new') {
    moved.came += rows;
    moved.cameMinor += amountMinor;
  }
  if (kind === 'new' || kind === 'reactivation') moved.customers += rows;
  else if (kind === 'churn') moved.customers -= rows;
}

function buildCohort(month: string, currency: string, moved: Moved[], lastAge: number): Cohort {
  // All customers of a cohort come in its first month.
  const { came, cameMinor } = moved[0] ?? createMoved();
  let [customers, mrrMinor] = [0, 0n];
  const ages = Array.from({ length: lastAge + 1 }, (_, age): CohortAge => {
    customers += moved[age]?.customers ?? 0;
    mrrMinor += moved[age]?.mrrMinor ?? 0n;
    const customerRetention = computeRate(customers, came) ?? '0';
    return {
      age,
      customers,
      mrrMinor,
      currency,
      customerRetention,
      mrrRetention: computeRate(mrrMinor, cameMinor),
    };
  });
  return { month, currency, customers: came, mrrMinor: cameMinor, ages };
}

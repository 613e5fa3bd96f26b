import { refuse } from '../../lib/errors.ts';
import { parseCurrency } from '../../lib/money.ts';
import { addMs } from '../../lib/time.ts';
import { measureMrr, standardDefinition } from '../../billing/pricing/mrr.ts';
import { forecastTenant } from '../../billing/renewals/tenantForecast.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listBounds } from './buckets.ts';
import { dayMs } from '../../lib/durations.ts';

/** What a calendar month is expected to bring. */
export interface ForecastMonth {
  /** The start of the month, or now in the present one. */
  start: string;
  end: string;
  currency: string;
  /** What the expected invoices ask for, with tax. */
  invoicedMinor: bigint;
  invoices: number;
  /** Whether usage in them is an estimate. */
  usageEstimated: boolean;
  /** The MRR at the end of the subscriptions that have not ended by then. */
  committedMrrMinor: bigint;
}

const longestMs = 366 * dayMs;
const mostMonths = 12;

/**
 * Forecasts the next months of a tenant in its time zone, the present one first: the invoices of all subscriptions,
 * computed by the function that bills them, and the present MRR less what is known to end. The last month ends at most
 * 366 days from now. Errors: `validation_failed`, `currency_unsupported`, `query_timeout`.
 */
export async function forecastMonths(
  tenant: TenantScope,
  question: { currency: string; months?: number | null },
): Promise<ForecastMonth[]> {
  const months = question.months ?? mostMonths;
  if (!(months >= 1 && months <= mostMonths))
    refuse('validation_failed', { path: 'months', message: `must be from 1 to ${mostMonths}` });
  const currency = parseCurrency(question.currency, 'currency');
  const bounds = listMonths(tenant, months);
  const charges = (await forecastTenant(tenant, bounds.at(-1)!)).filter((sum) => sum.currency === currency);
  const mrr = await findEndingMrr(tenant, currency);
  return bounds.slice(1).map((end, nth) => {
    const start = bounds[nth]!;
    // What is overdue is expected in the present month.
    const own = charges.filter(({ date }) => (nth === 0 || date >= start) && date < end);
    return {
      start,
      end,
      currency,
      invoicedMinor: own.reduce((sum, { totalMinor }) => sum + totalMinor, 0n),
      invoices: own.reduce((sum, each) => sum + each.charges, 0),
      usageEstimated: own.some((each) => each.usageEstimated),
      committedMrrMinor: mrr.reduce(
        (sum, { endsAt, amountMinor }) => (endsAt !== null && endsAt < end ? sum : sum + amountMinor),
        0n,
      ),
    };
  });
}

function listMonths(tenant: TenantScope, months: number): string[] {
  const now = tenant.now();
  const latest = addMs(now, longestMs);
  const { timezone: timeZone } = tenant.record;
  const bounds = listBounds({ from: now, until: latest, by: 'month', timeZone });
  return [now, ...bounds.slice(1, months + 1)].map((bound) => (bound > latest ? latest : bound));
}

/** Lists the MRR of running subscriptions with the instant at which each is known to end; null for none. */
async function findEndingMrr(
  tenant: TenantScope,
  currency: string,
): Promise<{ endsAt: string | null; amountMinor: bigint }[]> {
  const running = await tenant.search('subscriptions', {
    where: {},
    filter: { cancelledAt: null, currency },
    orderBy: ['createdAt', 'id'],
    leaveOut: ['productName', 'metadata', 'addOns', 'pricing'],
  });
  return running.flatMap((subscription) => {
    const amountMinor = measureMrr(subscription.mrr, standardDefinition);
    return amountMinor === 0n ? [] : [{ amountMinor, endsAt: findEnd(subscription) }];
  });
}

const findEnd = ({
  cancelAt,
  cancelAtPeriodEnd,
  currentPeriodEnd,
}: Pick<Row<'subscriptions'>, 'cancelAt' | 'cancelAtPeriodEnd' | 'currentPeriodEnd'>): string | null =>
  cancelAt ?? (cancelAtPeriodEnd ? currentPeriodEnd : null);

/** What customers may use now: one feature, or all of them. */
import { addDecimals, readDecimal, wholeDecimal, type ExactDecimal } from '../../lib/decimal.ts';
import { refuse } from '../../lib/errors.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { isGiven } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { Period } from '../pricing/schedule.ts';
import { findAlertPercents } from '../../tenants/usageAlerts.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { readPeriod, type UsageReader } from '../usage/totals.ts';
import { measureUse, type Counter, type MeterUnits } from './counters.ts';
import { evaluate, type Entitlement, type EntitlementReason } from './evaluate.ts';
import {
  findKnownId,
  readAllFacts,
  readFactsAndUse,
  readFeatureTerms,
  type CustomerRef,
  selectOpen,
  type OpenReservation,
  type ReadUse,
} from './facts.ts';
import { computeGrant, type EntitlementFacts, type Grant } from './grants.ts';
import { findCounter } from './meteredUse.ts';

const zero = wholeDecimal(0);
const one = wholeDecimal(1);

/** Parses an amount of units; 1 if it is not given. Error: `validation_failed` for a negative one. */
function readAmount(text: string | null | undefined): ExactDecimal {
  if (!isGiven(text)) return one;
  const amount = readDecimal(text);
  return amount.digits >= 0n
    ? amount
    : refuse('validation_failed', { path: 'amount', message: 'must not be negative' });
}

/**
 * Returns whether a customer may use an amount of a feature, and what is left of it. Nothing is recorded. Errors:
 * `customer_not_found`, `feature_not_found`, `validation_failed`.
 */
export async function checkEntitlement(
  tenant: TenantScope,
  who: CustomerRef,
  { feature, amount, meterId }: { feature: string; amount?: string | null; meterId?: string | null },
): Promise<Entitlement> {
  const wanted = readAmount(amount);
  const { read } = tenant;
  const terms = await readFeatureTerms(tenant, read, who, feature);
  const customerId = await findKnownId(read, who);
  const now = tenant.now();
  const { facts, use } = await readFactsAndUse(tenant, read, customerId, { terms, now });
  const units = isGiven(meterId) ? new Map([[findCounter(facts, meterId).meter.id, wanted]]) : wanted;
  return evaluateAt(tenant, facts, units, { now, use });
}

/** Returns what a customer may use of all features, oldest first. Errors: `customer_not_found`, `validation_failed`. */
export async function listEntitlements(tenant: TenantScope, who: CustomerRef): Promise<Entitlement[]> {
  return (await evaluateAll(tenant, who)).filter(isShown);
}

/** Returns what a customer may use of all features, also of those that are not shown. Errors: as `listEntitlements`. */
export async function evaluateAll(tenant: TenantScope, who: CustomerRef): Promise<Entitlement[]> {
  const all = await readAllFacts(tenant.read, who);
  return Promise.all(all.map((facts) => evaluateAt(tenant, facts, one, { now: tenant.now() })));
}

/** Whether a feature is shown to a customer: one that is archived only if they have it. */
export const isShown = ({ feature, because }: Entitlement): boolean =>
  feature.archivedAt === null || !absences.has(because);

/** Why a customer does not have a feature. */
const absences: ReadonlySet<EntitlementReason> = new Set(['not_included', 'no_subscription']);

async function evaluateAt(
  tenant: UsageReader,
  facts: EntitlementFacts,
  amount: MeterUnits | ExactDecimal,
  { now, use }: { now: string; use?: ReadUse | undefined },
): Promise<Entitlement> {
  const grant = computeGrant(facts, tenant.record, now);
  const { counters, customerId } = facts;
  const isCounted = grant.limit !== null && counters.length > 0;
  const [used, { reserved }] = isCounted
    ? await Promise.all([
        readUsed(counters, ({ meter }) =>
          readPeriod(tenant, buildMeterPeriod(meter, customerId, grant), use?.totals),
        ),
        use ? sumOpen(use.reservations) : sumReserved(tenant.read, facts, now),
      ])
    : [new Map(), { reserved: new Map() }];
  const measured = measureUse(counters, { used, reserved }, amount);
  return evaluate(facts, grant, { ...measured, resets: hasReset(counters) }, measured.amount);
}

/** Reads what each meter of a limit has counted. */
export const readUsed = async (
  counters: readonly Counter[],
  read: (counter: Counter) => MaybePromise<ExactDecimal>,
): Promise<MeterUnits> =>
  new Map(
    await Promise.all(
      counters.map(async (counter): Promise<[string, ExactDecimal]> => [
        counter.meter.id,
        await read(counter),
      ]),
    ),
  );

/** Whether the end of the period lowers the use: all of it, unless a meter keeps its level. */
export const hasReset = (counters: readonly Counter[]): boolean =>
  counters.some(({ meter }) => !meter.persistent);

/** What a customer has used of a limit with alerts. */
export interface MeasuredLimit {
  customerId: string;
  /** The key of the feature. */
  feature: string;
  alertPercents: readonly number[];
  /** Units, as decimals. */
  used: string;
  limit: string;
  period: Period;
  /** Whether the end of the period lowers the use. */
  resets: boolean;
  /** What it follows from. */
  facts: EntitlementFacts;
}

/** Measures the limits with alerts that a customer has at an instant. Error: `customer_not_found`. */
export async function measureLimits(
  tenant: UsageReader,
  customerId: string,
  now: string,
): Promise<MeasuredLimit[]> {
  const all = await readAllFacts(tenant.read, { customerId });
  const measured = await Promise.all(
    all.map(async (facts): Promise<MeasuredLimit | undefined> => {
      const { key: feature } = facts.feature;
      const alertPercents = findAlertPercents(facts.feature, tenant.record);
      if (alertPercents.length === 0) return undefined;
      const { used, limit } = await evaluateAt(tenant, facts, zero, { now });
      const { period } = computeGrant(facts, tenant.record, now);
      return used === null || limit === null
        ? undefined
        : {
            customerId,
            feature,
            alertPercents,
            used,
            limit,
            period,
            resets: hasReset(facts.counters),
            facts,
          };
    }),
  );
  return measured.filter((each) => each !== undefined);
}

/** Returns the use of a meter that a limit compares with. */
export const buildMeterPeriod = (meter: Row<'meters'>, customerId: string, { period }: Grant) => ({
  meter,
  customerId,
  from: period.start,
  until: period.end,
});

/** What a customer has reserved of a feature. */
interface Reserved {
  reserved: MeterUnits;
  /** The number of open reservations. */
  open: number;
}

/** Sums the reservations of a customer that are open at an instant. */
export async function sumReserved(
  reads: Reads,
  { customerId, feature }: Pick<EntitlementFacts, 'customerId' | 'feature'>,
  now: string,
): Promise<Reserved> {
  return sumOpen(await reads.many('reservations', selectOpen(customerId, feature.key, now)));
}

function sumOpen(open: readonly OpenReservation[]): Reserved {
  const reserved = new Map<string, ExactDecimal>();
  for (const { meterId, amount } of open)
    reserved.set(meterId, addDecimals(reserved.get(meterId) ?? zero, readDecimal(amount)));
  return { reserved, open: open.length };
}

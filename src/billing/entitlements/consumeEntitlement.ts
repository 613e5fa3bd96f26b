/** Checks whether a customer may use an amount of a feature, and records it, in one step. */
import * as z from 'zod';
import { addDecimals, wholeDecimal, type ExactDecimal } from '../../lib/decimal.ts';
import { refuse } from '../../lib/errors.ts';
import { externalId, parseInput } from '../../lib/validation.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import type { TenantWrites } from '../../storage/store.ts';
import type { TenantScope, UsageRecorder } from '../../tenancy/tenantScope.ts';
import type { MeterRow } from '../usage/counting.ts';
import { beginUsageOnce, findReceived } from '../usage/recordUsage.ts';
import { countSpans } from '../usage/spans.ts';
import { isSummable } from '../usage/tally.ts';
import { computeTotal, keepTotal, type MeterPeriod } from '../usage/totals.ts';
import { measureUse, type MeterUnits, type UsedUnits } from './counters.ts';
import { buildMeterPeriod, hasReset, readUsed, sumReserved } from './entitlements.ts';
import { evaluate, type Entitlement } from './evaluate.ts';
import { readFacts } from './facts.ts';
import { computeGrant, type EntitlementFacts, type Grant } from './grants.ts';
import {
  buildUse,
  countUse,
  findUseMeter,
  isSameUse,
  readUseAmount,
  recordUse,
  useProperties,
  type UseEvent,
} from './meteredUse.ts';

const zero = wholeDecimal(0);

const consumption = z.object({
  id: externalId,
  customerId: z.string().nullish(),
  associatedId: z.string().nullish(),
  feature: z.string(),
  amount: z.string(),
  meterId: z.string().nullish(),
  properties: useProperties,
});

/**
 * Records that a customer uses an amount of a feature, unless that is not allowed: then nothing is recorded, and `allowed` is
 * false. It is durable when it is returned. The same `id` again records nothing more. Errors: `customer_not_found`,
 * `feature_not_found`, `usage_id_reused`, `validation_failed`.
 */
export async function consumeEntitlement(tenant: TenantScope, input: object): Promise<Entitlement> {
  const { id, feature, amount: text, meterId, properties, ...who } = parseInput(consumption, input);
  const facts = await readFacts(tenant, tenant.primaryReads, who, feature);
  const meter = findUseMeter(facts, meterId);
  const amount = readUseAmount(meter, text);
  const use = buildUse(meter, { id, amount, properties }, tenant.now());
  await beginUsageOnce(tenant);
  return tenant.recordUsage((recorder) => consume(recorder, facts, { use, meter, amount }));
}

async function consume(
  recorder: UsageRecorder,
  facts: EntitlementFacts,
  { use, meter, amount }: { use: UseEvent; meter: MeterRow; amount: ExactDecimal },
): Promise<Entitlement> {
  const { rows, now } = recorder;
  const [balance, received] = await Promise.all([
    readBalance(recorder, facts),
    findReceived(rows, now, [use]),
  ]);
  const known = received.get(use.eventId);
  if (known !== undefined) {
    if (!isSameUse(use, facts.customerId, known))
      refuse('usage_id_reused', { path: 'id', message: 'is the id of another usage event' });
    return { ...evaluateUse(facts, balance, zero), allowed: true };
  }
  const units = countUse(facts.counters, use, { meter, amount, now });
  const entitlement = evaluateUse(facts, balance, units);
  if (!entitlement.allowed) return entitlement;
  await recordUse(recorder, { meter, customerId: facts.customerId }, use);
  const used = new Map(balance.used);
  for (const [id, added] of units) used.set(id, addDecimals(used.get(id) ?? zero, added));
  return {
    ...evaluateUse(facts, { ...balance, used }, zero),
    allowed: true,
    because: entitlement.because,
  };
}

/** Returns what a customer may do with a balance, and whether an amount is allowed. */
export function evaluateUse(
  facts: EntitlementFacts,
  { grant, ...units }: Balance,
  amount: MeterUnits | ExactDecimal,
): Entitlement {
  const measured = measureUse(facts.counters, units, amount);
  return evaluate(facts, grant, { ...measured, resets: hasReset(facts.counters) }, measured.amount);
}

/** What a customer has of a feature and has used of it, as nobody else can change it until the recording ends. */
interface Balance extends UsedUnits {
  grant: Grant;
  openReservations: number;
}

const allButId = allColumnsBut('customers', 'id');

/**
 * Reads the balance of a customer within a recording of usage. Error: `customer_not_found` if they were deleted after the facts were
 * read.
 */
export async function readBalance(
  { rows, tenant, now }: UsageRecorder,
  facts: EntitlementFacts,
): Promise<Balance> {
  const grant = computeGrant(facts, tenant, now);
  const [customers, used, { reserved, open }] = await Promise.all([
    rows.many('customers', { where: { id: facts.customerId }, leaveOut: allButId }),
    readUsed(facts.counters, ({ meter }) =>
      countPeriod(rows, buildMeterPeriod(meter, facts.customerId, grant)),
    ),
    sumReserved(rows, facts, now),
  ]);
  if (customers.length === 0)
    refuse('customer_not_found', { path: 'customerId', message: 'is not the id of a customer' });
  return { grant, used, reserved, openReservations: open };
}

/** Counts a period within a recording of usage, which keeps the total of a meter that has some. */
async function countPeriod(rows: TenantWrites, period: MeterPeriod): Promise<ExactDecimal> {
  const { meter, customerId, from, until } = period;
  if (isSummable(meter) && meter.totalsSince !== null)
    return computeTotal(period, await keepTotal(rows, period));
  const [count] = await countSpans(rows, [{ meterId: meter.id, customerId, from, until }]);
  return count!.quantity;
}

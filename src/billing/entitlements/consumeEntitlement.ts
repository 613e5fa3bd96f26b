/** Checks whether a customer may use an amount of a feature, and records it, in one step. */
import * as z from 'zod';
import { addDecimals, wholeDecimal, type ExactDecimal } from '../../lib/decimal.ts';
import { refuse } from '../../lib/errors.ts';
import { externalId, parseInput } from '../../lib/validation.ts';
import type { TenantScope, UsageRecorder } from '../../tenancy/tenantScope.ts';
import { beginUsageOnce, findReceived } from '../usage/recordUsage.ts';
import { computeTotal, keepTotal, type MeterPeriod } from '../usage/totals.ts';
import { buildMeterPeriod, sumReserved } from './entitlements.ts';
import { evaluate, type Entitlement, type Use } from './evaluate.ts';
import { readFacts } from './facts.ts';
import { computeGrant, type EntitlementFacts, type Grant } from './grants.ts';
import {
  buildUse,
  findUseMeter,
  isSameUse,
  readUseAmount,
  recordUse,
  useProperties,
  type UseEvent,
} from './meteredUse.ts';

const consumption = z.object({
  id: externalId,
  customerId: z.string().nullish(),
  associatedId: z.string().nullish(),
  feature: z.string(),
  amount: z.string(),
  properties: useProperties,
});

/**
 * Records that a customer uses an amount of a feature, unless that is not allowed: then nothing is recorded, and `allowed` is
 * false. It is durable when it is returned. The same `id` again records nothing more. Errors: `customer_not_found`,
 * `feature_not_found`, `usage_id_reused`, `validation_failed`.
 */
export async function consumeEntitlement(tenant: TenantScope, input: object): Promise<Entitlement> {
  const { id, feature, amount: text, properties, ...who } = parseInput(consumption, input);
  const facts = await readFacts(tenant.primaryReads, who, feature);
  const meter = findUseMeter(facts);
  const amount = readUseAmount(meter, text);
  const use = buildUse(meter, { id, amount, properties }, tenant.now());
  await beginUsageOnce(tenant);
  return tenant.recordUsage((recorder) => consume(recorder, facts, { use, amount }));
}

async function consume(
  recorder: UsageRecorder,
  facts: EntitlementFacts,
  { use, amount }: { use: UseEvent; amount: ExactDecimal },
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
    return { ...evaluate(facts, balance.grant, balance.use, wholeDecimal(0)), allowed: true };
  }
  const entitlement = evaluate(facts, balance.grant, balance.use, amount);
  if (!entitlement.allowed) return entitlement;
  await recordUse(recorder, { meter: balance.period.meter, customerId: facts.customerId }, use);
  const after = { ...balance.use, used: addDecimals(balance.use.used, amount) };
  return {
    ...evaluate(facts, balance.grant, after, wholeDecimal(0)),
    allowed: true,
    because: entitlement.because,
  };
}

/** What a customer has of a feature and has used of it, as nobody else can change it until the recording ends. */
interface Balance {
  grant: Grant;
  use: Use;
  period: MeterPeriod;
  openReservations: number;
}

/** Reads the balance of a customer within a recording of usage. */
export async function readBalance(
  { rows, tenant, now }: UsageRecorder,
  facts: EntitlementFacts,
): Promise<Balance> {
  const grant = computeGrant(facts, tenant, now);
  const meter = facts.meter!;
  const period = buildMeterPeriod(meter, facts.customerId, grant);
  const [total, { reserved, open }] = await Promise.all([
    keepTotal(rows, period),
    sumReserved(rows, facts, now),
  ]);
  const use = { used: computeTotal(period, total), reserved, resets: !meter.persistent };
  return { grant, period, use, openReservations: open };
}

/**
 * Reservations of a feature, for work whose size is known only afterwards. A reservation takes its amount from what is left, until
 * it is settled by what was used, released, or its time is over.
 */
import * as z from 'zod';
import { formatDecimal, readDecimal, type ExactDecimal } from '../../lib/decimal.ts';
import { secondMs } from '../../lib/durations.ts';
import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import { externalId, isGiven, parseInput } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope, UsageRecorder } from '../../tenancy/tenantScope.ts';
import { findCustomer } from '../customers/customers.ts';
import { usageSpanMs } from '../usage/quarters.ts';
import { beginUsageOnce, findReceived } from '../usage/recordUsage.ts';
import { evaluateUse, readBalance } from './consumeEntitlement.ts';
import { readFacts } from './facts.ts';
import type { EntitlementFacts } from './grants.ts';
import {
  buildUse,
  findUseMeter,
  isSameUse,
  readUseAmount,
  recordUse,
  useProperties,
  type UseEvent,
} from './meteredUse.ts';

export type ReservationRow = Row<'reservations'>;
export type ReservationStatus = 'open' | 'settled' | 'released' | 'expired';

const longestTtlSeconds = 86_400;
const defaultTtlSeconds = 300;
const mostOpen = 1000;

const newReservation = z.object({
  id: externalId.nullish(),
  customerId: z.string().nullish(),
  associatedId: z.string().nullish(),
  feature: z.string(),
  amount: z.string(),
  meterId: z.string().nullish(),
  ttlSeconds: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(longestTtlSeconds, `must be at most ${longestTtlSeconds}`)
    .nullish(),
});

const settlement = z.object({
  amount: z.string(),
  properties: useProperties,
});

/** Returns the status of a reservation at an instant. */
export function computeReservationStatus(
  { settledAmount, closedAt, expiresAt }: ReservationRow,
  now: string,
): ReservationStatus {
  if (settledAmount !== null) return 'settled';
  if (closedAt !== null) return 'released';
  return expiresAt <= now ? 'expired' : 'open';
}

/**
 * Reserves an amount of a feature for a customer. It is durable when it is returned. The same request again, by `id` or by the
 * idempotency key of the request, returns the same reservation. Errors: `customer_not_found`, `feature_not_found`,
 * `entitlement_exceeded`, `usage_id_reused`, `validation_failed`.
 */
export async function reserveEntitlement(tenant: TenantScope, input: object): Promise<ReservationRow> {
  const { id, feature, amount: text, meterId, ttlSeconds, ...who } = parseInput(newReservation, input);
  const facts = await readFacts(tenant, tenant.primaryReads, who, feature);
  const meter = findUseMeter(facts, meterId);
  const amount = readUseAmount(meter, text);
  await beginUsageOnce(tenant);
  const requestId = id ?? (tenant.requestKey === undefined ? null : `idempotency-key ${tenant.requestKey}`);
  const ttlMs = (ttlSeconds ?? defaultTtlSeconds) * secondMs;
  return tenant.recordUsage((recorder) =>
    reserve(recorder, facts, { requestId, meterId: meter.id, amount, ttlMs }),
  );
}

/** A reservation to make. */
interface WantedReservation {
  requestId: string | null;
  /** The meter that counts its units. */
  meterId: string;
  amount: ExactDecimal;
  ttlMs: number;
}

async function reserve(
  recorder: UsageRecorder,
  facts: EntitlementFacts,
  { requestId, meterId, amount, ttlMs }: WantedReservation,
): Promise<ReservationRow> {
  const { rows, now, ids, tenant } = recorder;
  const [balance, known] = await Promise.all([
    readBalance(recorder, facts),
    requestId === null ? undefined : rows.one('reservations', { requestId }),
  ]);
  const { customerId } = facts;
  const feature = facts.feature.key;
  const units = formatDecimal(amount);
  if (known) {
    const isSame =
      known.customerId === customerId &&
      known.feature === feature &&
      known.meterId === meterId &&
      known.amount === units &&
      known.expiresAt === addMs(known.createdAt, ttlMs);
    return isSame
      ? known
      : refuse('usage_id_reused', { path: 'id', message: 'is the id of another reservation' });
  }
  const { allowed, remaining } = evaluateUse(facts, balance, new Map([[meterId, amount]]));
  if (!allowed)
    refuse('entitlement_exceeded', { path: 'amount', message: `exceeds what is left: ${remaining ?? '0'}` });
  if (balance.openReservations >= mostOpen)
    refuse('entitlement_exceeded', { path: 'amount', message: `has ${mostOpen} open reservations already` });
  const expiresAt = addMs(now, ttlMs);
  const row: ReservationRow = {
    tenantAlias: tenant.alias,
    id: ids.next('res'),
    requestId,
    customerId,
    feature,
    meterId,
    amount: units,
    expiresAt,
    openUntil: expiresAt,
    settledAmount: null,
    closedAt: null,
    createdAt: now,
  };
  await rows.insertAll('reservations', [row]);
  return row;
}

/**
 * Records what was used of a reservation, also if it is more than was reserved, and ends it; 0 uses nothing. The same again
 * returns the same. Errors: `reservation_not_found`, `reservation_closed`, `validation_failed`.
 */
export async function settleReservation(
  tenant: TenantScope,
  id: string,
  input: object,
): Promise<ReservationRow> {
  const { amount: text, properties } = parseInput(settlement, input);
  const amount = readDecimal(text);
  if (amount.digits < 0n) refuse('validation_failed', { path: 'amount', message: 'must not be negative' });
  return tenant.recordUsage(async (recorder) => {
    const { rows, now } = recorder;
    const reservation = await findReservation(rows, id);
    const status = computeReservationStatus(reservation, now);
    const settledAmount = formatDecimal(amount);
    const isRepeated = status === 'settled' && reservation.settledAmount === settledAmount;
    if (status !== 'open' && !isRepeated) refuseClosed(status);
    if (amount.digits > 0n) {
      const meter = (await rows.one('meters', { id: reservation.meterId }))!;
      const use = buildUse(meter, { id, amount, properties }, now);
      if (isRepeated) await refuseOtherUse(recorder, reservation, use);
      else await recordSettled(recorder, { ...reservation, meter }, use);
    }
    if (isRepeated) return reservation;
    return close(recorder, reservation, { settledAmount });
  });
}

/** Refuses a repeated settlement that says something else of the use. Error: `usage_id_reused`. */
async function refuseOtherUse(
  { rows, now }: UsageRecorder,
  { id, customerId }: ReservationRow,
  use: UseEvent,
): Promise<void> {
  const known = (await findReceived(rows, now, [use])).get(id);
  if (known === undefined || isSameUse(use, customerId, known)) return;
  refuse('usage_id_reused', { path: 'properties', message: 'differ from those that it was settled with' });
}

async function recordSettled(
  recorder: UsageRecorder,
  { id, meter, customerId }: { id: string; meter: Row<'meters'>; customerId: string },
  use: UseEvent,
): Promise<void> {
  const { rows, now } = recorder;
  // The event has the id of the reservation.
  if ((await findReceived(rows, now, [use])).has(id))
    refuse('usage_id_reused', { path: 'id', message: 'is the id of a usage event' });
  await recordUse(recorder, { meter, customerId }, use);
}

/**
 * Ends a reservation: its amount can be used again. The same again returns the same. Errors: `reservation_not_found`,
 * `reservation_closed` if it was settled.
 */
export const releaseReservation = (tenant: TenantScope, id: string): Promise<ReservationRow> =>
  tenant.recordUsage(async (recorder) => {
    const reservation = await findReservation(recorder.rows, id);
    const status = computeReservationStatus(reservation, recorder.now);
    // One whose time is over reserves nothing any more.
    if (status === 'released' || status === 'expired') return reservation;
    if (status === 'settled') refuseClosed(status);
    return close(recorder, reservation, {});
  });

async function close(
  { rows, now }: UsageRecorder,
  reservation: ReservationRow,
  changes: Partial<ReservationRow>,
): Promise<ReservationRow> {
  const closed = { ...changes, openUntil: null, closedAt: now };
  await rows.update('reservations', { id: reservation.id }, closed);
  return { ...reservation, ...closed };
}

const refuseClosed = (status: ReservationStatus): never =>
  refuse('reservation_closed', { path: 'id', message: `is ${status}` });

/** Returns the reservation with this id. Error: `reservation_not_found`. */
export const findReservation = async (reads: Reads, id: string): Promise<ReservationRow> =>
  (await reads.one('reservations', { id })) ?? refuse('reservation_not_found');

/** Lists reservations of the last 35 days; newest first by default. Errors: `customer_not_found`, `cursor_invalid`. */
export async function listReservations(
  tenant: TenantScope,
  { customerId }: { customerId?: string | null },
  args: PageArgs,
): Promise<Page<ReservationRow>> {
  if (isGiven(customerId)) await findCustomer(tenant.read, customerId);
  const where = { customerId: customerId ?? undefined };
  return readPage(
    tenant,
    { name: 'reservations', table: 'reservations', where, by: ['createdAt', 'id'] },
    args,
  );
}

const reservationsAtOnce = 500;

/** Removes reservations of more than 35 days ago; returns how many. */
export async function purgeReservations(tenant: TenantScope): Promise<number> {
  if (tenant.record.usageSince === null) return 0;
  const createdAt = { before: addMs(tenant.now(), -usageSpanMs) };
  const old = await tenant.read.many('reservations', {
    where: { createdAt },
    orderBy: ['createdAt', 'id'],
    limit: reservationsAtOnce,
  });
  if (old.length === 0) return 0;
  await tenant.recordUsage(({ rows }) => rows.remove('reservations', { id: old.map(({ id }) => id) }));
  return old.length;
}

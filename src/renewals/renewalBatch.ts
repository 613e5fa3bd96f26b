import type { WriteBatch } from '../storage/writeBatch.ts';
import { columnNames } from '../storage/query/tableMeta.ts';
import { BillingError, isTransient } from '../lib/errors.ts';
import type { Outcome } from '../providers/provider.ts';
import { providerNamed } from '../providers/registry.ts';
import type { SteppedTenant } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { makeRefund, type DueRefund } from '../invoicing/refunds.ts';
import { beginRenewal, recordChargeOutcome, type DueCharge } from './renewal.ts';

// Enough to share commits and statements, few enough that a request which comes meanwhile need not wait for long.
export const largestSlice = 100;
/** A request takes several turns of the event loop: between slices those go first that are under way. */
const turnsBetween = 3;
/** What is taken up is read again when it is billed. */
const allButId = columnNames('subscriptions').filter((column) => column !== 'id');

/** What a slice of billing came to. */
interface Slice {
  taken: number;
  /** Those that wait for a provider which could not be reached. */
  unreachable: string[];
  /** For how long its first half, which takes as long as the second, let nobody else have a turn. */
  heldMs: number;
}

/** A charge for a subscription, and what became of it. */
interface Charged {
  id: string;
  due: DueCharge;
  outcome: Outcome;
}

/** Bills at most `most` of what is due at `now`, oldest first, passing over the subscriptions in `skip`. */
export async function renewBatch(
  tenant: SteppedTenant,
  now: string,
  skip: ReadonlySet<string>,
  most = largestSlice,
): Promise<Slice> {
  const found = await tenant.claim(
    'subscriptions',
    {
      where: { dueAt: { to: now }, changingIntentId: null },
      orderBy: ['dueAt', 'id'],
      limit: most,
      leaveOut: allButId,
    },
    skip,
  );
  const taken = found.map(({ id }) => id);
  for (let turn = 0; turn < turnsBetween; turn++) await new Promise(setImmediate);
  const { reached, heldMs } = await billTogether(tenant, taken);
  return { taken: taken.length, unreachable: taken.filter((_, index) => !reached[index]), heldMs };
}

/**
 * Bills what subscriptions owe now as `billSubscription` does, all of them in the same units of work; where such a
 * unit fails, it is redone for one after the other. Answers of each whether its provider could be reached.
 */
async function billTogether(
  tenant: SteppedTenant,
  ids: string[],
): Promise<{ reached: boolean[]; heldMs: number }> {
  if (ids.length === 0) return { reached: [], heldMs: 0 };
  const opening = await orElse(
    () => tenant.writeStep((unit) => timed(() => openAll(unit, ids))),
    () => undefined,
  );
  if (!opening)
    return { reached: await Promise.all(ids.map((id) => billSubscription(tenant, id))), heldMs: 0 };
  const { value: opened, heldMs } = opening;
  let { rows } = opened;
  // A provider that is slow to answer for one does not hold up the others.
  const settle = inBatches(async (charged: Charged[]) => {
    rows = await settleTogether(tenant, charged, rows);
  });
  const bill = async (id: string, due: DueCharge | undefined): Promise<boolean> => {
    if (!due) return true;
    const outcome = await chargeProvider(tenant, due);
    if (!outcome) return false;
    await settle({ id, due, outcome });
    return true;
  };
  return { reached: await Promise.all(ids.map((id, index) => bill(id, opened.due[index]))), heldMs };
}

/** Does something, and tells for how long nobody else had a turn of the event loop: not at all where it waited. */
async function timed<T>(work: () => Promise<T>): Promise<{ value: T; heldMs: number }> {
  let hasWaited = false;
  const other = setImmediate(() => (hasWaited = true));
  const begunAtMs = performance.now();
  const value = await work();
  clearImmediate(other);
  return { value, heldMs: hasWaited ? 0 : performance.now() - begunAtMs };
}

/** What a half of a slice came to for each subscription, where it came to something, and the rows that it left. */
interface Half<T> {
  due: (T | undefined)[];
  rows: WriteBatch;
}

/** The first half of a slice: the charges to make. */
const openAll = (unit: UnitOfWork, ids: string[]): Promise<Half<DueCharge>> =>
  unit.batch(async (rows, unitOfEach) => {
    const subscriptions = await rows.preload('subscriptions', ids);
    const all = <K extends keyof (typeof subscriptions)[number]>(key: K) =>
      subscriptions.map((subscription) => subscription[key]);
    await rows.preload('paymentMethods', all('paymentMethodId'));
    await rows.preload('invoices', all('openInvoiceId'));
    await rows.preloadAbsence('balanceEntries', 'customerId', all('customerId'));
    const due: (DueCharge | undefined)[] = [];
    for (const id of ids) due.push(await beginRenewal(unitOfEach(), id));
    return { due, rows };
  });

/**
 * Keeps what became of charges in a unit of work for all; where it fails, in one for each after the other. Answers the
 * rows that it left, as `earlier` are those of the unit before it.
 */
async function settleTogether(
  tenant: SteppedTenant,
  charged: Charged[],
  earlier: WriteBatch,
): Promise<WriteBatch> {
  const settled = await orElse(
    () => tenant.writeStep((unit) => settleAll(unit, charged, earlier)),
    () => undefined,
  );
  if (!settled) {
    await Promise.all(charged.map((each) => settleOne(tenant, each)));
    return earlier;
  }
  const giveBack = async (id: string, refund: DueRefund | undefined) => {
    if (refund) await orPark(tenant, id, () => makeRefund(tenant, refund));
  };
  await Promise.all(charged.map(({ id }, index) => giveBack(id, settled.due[index])));
  return settled.rows;
}

/** The second half of a slice: the refunds to make. */
const settleAll = (unit: UnitOfWork, charged: Charged[], earlier: WriteBatch): Promise<Half<DueRefund>> =>
  unit.batch(async (rows, unitOfEach) => {
    await rows.preload(
      'invoices',
      charged.map(({ due }) => due.invoiceId),
    );
    await rows.preload(
      'subscriptions',
      charged.map(({ id }) => id),
    );
    const unowed: (DueRefund | undefined)[] = [];
    for (const { due, outcome } of charged)
      unowed.push(await recordChargeOutcome(unitOfEach(), due, outcome));
    return { due: unowed, rows };
  }, earlier);

/**
 * Bills what one subscription owes now: invoices it, asks the provider, keeps the outcome, each durable before the
 * next. What does not add up is parked. Answers false where the provider could not be reached.
 */
export async function billSubscription(tenant: SteppedTenant, id: string): Promise<boolean> {
  const reached = await orPark(tenant, id, async () => {
    const due = await tenant.writeStep((unit) => beginRenewal(unit, id));
    if (!due) return true;
    const outcome = await chargeProvider(tenant, due);
    if (!outcome) return false;
    await settleOne(tenant, { id, due, outcome });
    return true;
  });
  return reached ?? true;
}

const settleOne = (tenant: SteppedTenant, { id, due, outcome }: Charged): Promise<void> =>
  orPark(tenant, id, async () => {
    const unowed = await tenant.writeStep((unit) => recordChargeOutcome(unit, due, outcome));
    if (unowed) await makeRefund(tenant, unowed);
  });

/** Asks the provider to make a charge, or what became of it; undefined where it could not be reached. */
export async function chargeProvider(
  { payments, record }: Pick<SteppedTenant, 'payments' | 'record'>,
  { method, charge }: Pick<DueCharge, 'method' | 'charge'>,
): Promise<Outcome | undefined> {
  if (!method) return { status: 'declined', reason: 'no_payment_method' };
  try {
    return await providerNamed(payments, method.provider, record).charge(charge, method.reference);
  } catch {
    // Nobody knows whether the money moved: the same try is asked about again.
    return undefined;
  }
}

/** Does some work for a subscription; parks it where that fails, and answers undefined. */
const orPark = <T>(tenant: SteppedTenant, id: string, work: () => Promise<T>): Promise<T | undefined> =>
  orElse(work, (error) => park(tenant, id, error));

/** Puts a subscription aside whose books do not add up, so that the others go on. */
async function park(tenant: SteppedTenant, id: string, error: unknown): Promise<undefined> {
  const parkedReason = error instanceof Error ? error.message : String(error);
  await tenant.writeStep(async (unit) => {
    const subscription = await unit.one('subscriptions', { id });
    if (!subscription) return;
    const aside = { parkedReason, dueAt: null, claimedUntil: null };
    await unit.change('subscriptions', subscription, aside, { action: 'parked' });
  });
}

/** Does some work, or otherwise what its failure asks for. Error: `unavailable`. */
async function orElse<T, U>(
  work: () => Promise<T>,
  otherwise: (error: unknown) => U,
): Promise<T | Awaited<U>> {
  try {
    return await work();
  } catch (error) {
    // The database cannot answer just now, or the request goes on elsewhere: that says nothing of the subscriptions.
    if (error instanceof BillingError && isTransient(error.reason)) throw error;
    return await otherwise(error);
  }
}

/** Hands on together what comes in the same turn of the event loop; each resolves when that has been dealt with. */
function inBatches<T>(handle: (items: T[]) => Promise<void>) {
  let batch: { items: T[]; done: Promise<void> } | undefined;
  return (item: T): Promise<void> => {
    if (batch) {
      batch.items.push(item);
      return batch.done;
    }
    const items = [item];
    const done = new Promise(setImmediate).then(() => {
      batch = undefined;
      return handle(items);
    });
    batch = { items, done };
    return done;
  };
}

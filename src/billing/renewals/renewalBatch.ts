/** Renews many subscriptions at once: the steps of `renewSubscription.ts` with bulk reads and writes. */
import type { WriteBatch } from '../../storage/writeBatch.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import { gatherPerTurn, measureHeld, yieldTurns } from '../../runtime/yield.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { chargeProvider, type DueCharge } from '../invoices/charges.ts';
import { listCounters } from '../invoices/documentNumbers.ts';
import { waitingItem } from '../invoices/invoiceItems.ts';
import { readUsageBills } from '../invoices/usageBill.ts';
import { makeRefund } from '../invoices/refunds.ts';
import type { DueRefund } from '../payments/dueRefunds.ts';
import { checkSubscribers } from '../tax/vatIdChecks.ts';
import { chargesTax, preloadTaxBook } from '../tax/taxBook.ts';
import { listProductIds } from '../pricing/invoiceLines.ts';
import { beginRenewal } from './beginRenewal.ts';
import { recordChargeOutcome } from './recordChargeOutcome.ts';
import { awaitsFirstInvoice } from '../pricing/trials.ts';
import {
  withFallback,
  parkOnError,
  recordCharge,
  renew,
  renewSubscription,
  type Charged,
  type RenewalSteps,
} from './renewSubscription.ts';

// Large enough to share commits and statements, small enough not to delay requests.
export const largestBatch = 100;
/** A request needs several turns of the event loop; requests in progress run between two batches. */
const turnsBetween = 3;
/** Claims only ids; the rows are read again when they are billed. */
const allButId = allColumnsBut('subscriptions', 'id');

interface BatchResult {
  /** The number of subscriptions in the batch. */
  claimed: number;
  /** The subscriptions whose provider could not be reached. */
  unreachable: string[];
  /** How long (ms) the first half held the event loop; the second half takes about as long. */
  heldMs: number;
}

/** Renews at most `most` subscriptions that are due at `now`, oldest first, except those in `skip`. */
export async function renewBatch(
  tenant: SteppedTenant,
  now: string,
  skip: ReadonlySet<string>,
  most = largestBatch,
): Promise<BatchResult> {
  const rows = await tenant.claim(
    'subscriptions',
    {
      where: { dueAt: { to: now }, changingIntentId: null },
      orderBy: ['dueAt', 'id'],
      limit: most,
      leaveOut: allButId,
    },
    skip,
  );
  const ids = rows.map(({ id }) => id);
  await yieldTurns(turnsBetween);
  await checkSubscribers(tenant, ids, { now });
  const { reached, heldMs } = await renewTogether(tenant, ids);
  return { claimed: ids.length, unreachable: ids.filter((_, index) => !reached[index]), heldMs };
}

/**
 * Renews subscriptions in shared units of work: one for all first halves, and one for the second halves of charges that
 * end in the same turn of the event loop. If a shared unit fails, its work is repeated for each subscription alone.
 * Returns for each subscription whether its provider could be reached.
 */
async function renewTogether(
  tenant: SteppedTenant,
  ids: string[],
): Promise<{ reached: boolean[]; heldMs: number }> {
  if (ids.length === 0) return { reached: [], heldMs: 0 };
  const begun = await withFallback(
    () => tenant.writeStep((unit) => measureHeld(() => beginRenewals(unit, ids))),
    () => undefined,
  );
  if (!begun)
    return { reached: await Promise.all(ids.map((id) => renewSubscription(tenant, id))), heldMs: 0 };
  const { value: firstHalves, heldMs } = begun;
  let { rows } = firstHalves;
  const due = new Map(ids.map((id, index) => [id, firstHalves.results[index]]));
  const steps: RenewalSteps = {
    begin: async (id) => due.get(id),
    charge: (charge) => chargeProvider(tenant, charge),
    // A slow response for one subscription does not delay the others.
    record: gatherPerTurn(async (charged: Charged[]) => {
      rows = await recordCharges(tenant, charged, rows);
    }),
  };
  return { reached: await Promise.all(ids.map((id) => renew(steps, id))), heldMs };
}

/** The results of one half of a batch, and the rows after it. */
interface Half<T> {
  results: (T | undefined)[];
  rows: WriteBatch;
}

/** Runs the first halves of renewals; returns the charges to make. */
const beginRenewals = (unit: UnitOfWork, ids: string[]): Promise<Half<DueCharge>> =>
  unit.batch(async (rows, nextUnit) => {
    const subscriptions = await rows.preload('subscriptions', ids);
    const pluck = <K extends keyof (typeof subscriptions)[number]>(key: K) =>
      subscriptions.map((subscription) => subscription[key]);
    await rows.preload('paymentMethods', pluck('paymentMethodId'));
    await rows.preload('invoices', pluck('openInvoiceId'));
    await rows.preload('numberCounters', listCounters(unit.tenant, unit.now));
    await rows.preload('customers', pluck('customerId'));
    await rows.preload('logos', [unit.tenant.seller?.logoId ?? null]);
    const first = subscriptions.filter(awaitsFirstInvoice);
    await rows.preload(
      'intents',
      first.map(({ paymentIntentId }) => paymentIntentId),
    );
    await rows.preloadAbsence('balanceEntries', 'customerId', pluck('customerId'));
    if (unit.tenant.invoiceItemsSince !== null)
      await rows.preloadAbsence('invoiceItems', 'customerId', pluck('customerId'), waitingItem);
    if (unit.tenant.discountsSince !== null) {
      const discounts = await rows.preloadLists('discounts', 'customerId', pluck('customerId'));
      await rows.preload(
        'coupons',
        discounts.map(({ couponId }) => couponId),
      );
    }
    const productIds = chargesTax(unit.tenant) ? subscriptions.flatMap(listProductIds) : [];
    await preloadTaxBook(rows, unit.tenant, pluck('customerId'), productIds);
    const usage = await readUsageBills(rows, unit.tenant, subscriptions, findUsageEnd);
    const results: (DueCharge | undefined)[] = [];
    for (const id of ids) results.push(await beginRenewal(nextUnit(), id, usage.get(id)));
    return { results, rows };
  });

/** Returns until when the next invoice of a subscription bills usage; null if there is an open one to charge. */
const findUsageEnd = ({ openInvoiceId, nextBillingDate }: Row<'subscriptions'>): string | null =>
  openInvoiceId === null ? nextBillingDate : null;

/**
 * Records the outcomes of charges in one unit of work, or one by one if that fails, and makes their refunds. `earlier`
 * has the rows of the previous unit. Returns the rows after this unit.
 */
async function recordCharges(
  tenant: SteppedTenant,
  charged: Charged[],
  earlier: WriteBatch,
): Promise<WriteBatch> {
  const recorded = await withFallback(
    () => tenant.writeStep((unit) => recordOutcomes(unit, charged, earlier)),
    () => undefined,
  );
  if (!recorded) {
    await Promise.all(charged.map((each) => recordCharge(tenant, each)));
    return earlier;
  }
  const refundCharge = async (id: string, refund: DueRefund | undefined) => {
    if (refund) await parkOnError(tenant, id, () => makeRefund(tenant, refund));
  };
  await Promise.all(charged.map(({ id }, index) => refundCharge(id, recorded.results[index])));
  return recorded.rows;
}

/** Runs the second halves of renewals; returns the refunds to make. */
const recordOutcomes = (
  unit: UnitOfWork,
  charged: Charged[],
  earlier: WriteBatch,
): Promise<Half<DueRefund>> =>
  unit.batch(async (rows, nextUnit) => {
    await rows.preload(
      'invoices',
      charged.map(({ due }) => due.invoiceId),
    );
    await rows.preload(
      'subscriptions',
      charged.map(({ id }) => id),
    );
    const results: (DueRefund | undefined)[] = [];
    for (const { due, outcome } of charged) results.push(await recordChargeOutcome(nextUnit(), due, outcome));
    return { results, rows };
  }, earlier);

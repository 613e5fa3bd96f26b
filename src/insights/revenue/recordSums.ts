import { mapMaybe, type MaybePromise } from '../../lib/maybePromise.ts';
import { divideRoundHalfUp } from '../../lib/money.ts';
import { computeOwed } from '../../billing/payments/returns.ts';
import { findMrrState } from '../../billing/pricing/mrr.ts';
import type { TaxTotal } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { ChangedRecord } from '../../tenancy/changedRecords.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findDay, findQuarter } from './spans.ts';

type InvoiceRow = Row<'invoices'>;

/** The columns that are summed. */
export const summedColumns = [
  'invoicedMinor',
  'paidMinor',
  'refundedMinor',
  'creditedMinor',
  'failedCount',
  'failedMinor',
  'recoveredCount',
  'recoveredMinor',
  'trialsStarted',
  'trialsConverted',
  'trialsLost',
] as const satisfies (keyof Row<'revenueSums'>)[];

/** The sums of one span in one currency. */
export type Sums = Pick<Row<'revenueSums'>, (typeof summedColumns)[number]>;

/** Returns sums of nothing. */
export const createSums = (): Sums => ({
  invoicedMinor: 0n,
  paidMinor: 0n,
  refundedMinor: 0n,
  creditedMinor: 0n,
  failedCount: 0,
  failedMinor: 0n,
  recoveredCount: 0,
  recoveredMinor: 0n,
  trialsStarted: 0,
  trialsConverted: 0,
  trialsLost: 0,
});

/** Sums in each currency. */
type SumsByCurrency = (currency: string) => Sums;

const sumTax = (taxes: TaxTotal[] | null): { netMinor: bigint; taxMinor: bigint } =>
  (taxes ?? []).reduce(
    (sum, { taxableMinor, taxMinor }) => ({
      netMinor: sum.netMinor + BigInt(taxableMinor),
      taxMinor: sum.taxMinor + BigInt(taxMinor),
    }),
    { netMinor: 0n, taxMinor: 0n },
  );

/** Returns the part of an amount that is not tax, in the proportion of the taxes of its invoice, rounded half up. */
export function withoutTax(amountMinor: bigint, taxes: TaxTotal[] | null): bigint {
  const { netMinor, taxMinor } = sumTax(taxes);
  const grossMinor = netMinor + taxMinor;
  if (taxMinor === 0n || grossMinor <= 0n) return amountMinor;
  return divideRoundHalfUp(amountMinor * netMinor, grossMinor);
}

// An uncollectible invoice was issued before, and may still be paid.
const isIssued = (status: InvoiceRow['status'] | undefined) =>
  status === 'open' || status === 'paid' || status === 'uncollectible';

/** Adds what an invoice of a unit changes: it was issued, a charge for it failed, or it was paid after one had failed. */
function addInvoice({ before, after }: ChangedRecord<'invoices'>, sumsIn: SumsByCurrency): void {
  const { status, taxes, currency, firstTriedAt } = after;
  const sums = sumsIn(currency);
  if (isIssued(status) && !isIssued(before?.status))
    sums.invoicedMinor += withoutTax(after.totalMinor, taxes);
  if (firstTriedAt !== null && (before?.firstTriedAt ?? null) === null) {
    sums.failedCount += 1;
    sums.failedMinor += computeOwed(after);
  }
  if (status === 'paid' && before?.status !== 'paid' && firstTriedAt !== null) {
    sums.recoveredCount += 1;
    sums.recoveredMinor += computeOwed(after);
  }
}

/** Returns what a change of a payment adds to the money that was received or refunded: 1, 0 or -1 times its amount. */
const findDirection = ({ before, after }: ChangedRecord<'payments'>): bigint =>
  BigInt(Number(after.status === 'succeeded') - Number(before?.status === 'succeeded'));

/** Adds what a trial of a unit changes: it began, became paid, or ended before. */
export function addTrial({ before, after }: ChangedRecord<'subscriptions'>, sumsIn: SumsByCurrency): void {
  if (after.trialEndsAt === null && (before?.trialEndsAt ?? null) === null) return;
  const was = before && findMrrState(before)?.state;
  const is = findMrrState(after)?.state;
  if (was === is) return;
  const sums = sumsIn(after.currency);
  if (is === 'trialing') sums.trialsStarted += 1;
  else if (was === 'trialing' && after.cancelledAt !== null) sums.trialsLost += 1;
  else if (was === 'trialing') sums.trialsConverted += 1;
}

/**
 * Adds the money that a unit of work has invoiced and moved to the sums of its day and quarter of an hour: two
 * statements for a whole batch of renewals, and no read.
 */
export function recordSums(unit: UnitOfWork): MaybePromise<void> {
  const byCurrency = new Map<string, Sums>();
  const sumsIn = (currency: string) => {
    const sums = byCurrency.get(currency) ?? createSums();
    byCurrency.set(currency, sums);
    return sums;
  };
  for (const changed of unit.changed.list('subscriptions')) addTrial(changed, sumsIn);
  const invoices = unit.changed.list('invoices');
  for (const changed of invoices) addInvoice(changed, sumsIn);
  for (const { before, after } of unit.changed.list('creditNotes')) {
    const sign = BigInt(Number(after.status === 'issued') - Number(before?.status === 'issued'));
    if (sign !== 0n) sumsIn(after.currency).creditedMinor += sign * withoutTax(after.totalMinor, after.taxes);
  }
  const known = new Map(invoices.map(({ after }) => [after.id, after.taxes]));
  return mapMaybe(addPayments(unit, known, sumsIn), () => writeSums(unit, byCurrency));
}

/** Adds the payments of a unit; reads the invoices that the unit has not changed. */
function addPayments(
  unit: UnitOfWork,
  known: Map<string, TaxTotal[] | null>,
  sumsIn: SumsByCurrency,
): MaybePromise<void> {
  const moved = unit.changed.list('payments').filter((changed) => findDirection(changed) !== 0n);
  if (moved.length === 0) return undefined;
  const missing = moved.flatMap(({ after: { invoiceId } }) =>
    invoiceId === null || known.has(invoiceId) ? [] : invoiceId,
  );
  const add = (read: InvoiceRow[]) => {
    for (const { id, taxes } of read) known.set(id, taxes);
    for (const changed of moved) {
      const { kind, amountMinor, invoiceId, currency } = changed.after;
      const netMinor =
        findDirection(changed) * withoutTax(amountMinor, (invoiceId && known.get(invoiceId)) || null);
      if (kind === 'charge') sumsIn(currency).paidMinor += netMinor;
      else sumsIn(currency).refundedMinor += netMinor;
    }
  };
  if (missing.length === 0) return add([]);
  return mapMaybe(unit.many('invoices', { where: { id: missing } }), add);
}

/** Whether nothing was summed. */
export const isZero = (sums: Sums): boolean => summedColumns.every((column) => Number(sums[column]) === 0);

function writeSums(unit: UnitOfWork, byCurrency: Map<string, Sums>): MaybePromise<void> {
  const { now, tenant } = unit;
  let written: MaybePromise<unknown>;
  for (const [currency, sums] of byCurrency) {
    if (isZero(sums)) continue;
    for (const [span, at] of [
      ['quarter', findQuarter(now)],
      ['day', findDay(now, tenant.timezone)],
    ] as const) {
      const add = () => unit.accumulate('revenueSums', { currency, span, at, ...sums }, summedColumns);
      written = mapMaybe(written, add);
    }
  }
  return mapMaybe(written, () => undefined);
}

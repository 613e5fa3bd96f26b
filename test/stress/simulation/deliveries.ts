import { groupBy } from '../../../src/lib/groupBy.ts';
import { listItems } from '../../../src/billing/pricing/invoiceLines.ts';
import type { Explanation } from '../../../src/billing/pricing/proration.ts';
import type { Row } from '../../../src/storage/model/rowTypes.ts';
import type { DiskBooks } from './books.ts';

type Subscription = Row<'subscriptions'>;
type Line = Row<'invoiceLines'>;

/** What a subscription delivered from an instant on, in minor units per cycle. */
interface Delivery {
  at: string;
  unitsMinor: bigint;
  periodEnd: string;
}

/**
 * What subscriptions deliver, written down by those who watch them, beside what the service bills. Every unit of time and
 * quantity must be billed, unless a change was to be free of charge until the end of its period.
 */
export interface Deliveries {
  /** Writes down what a subscription delivers now. `isFree`: the last change may be free of charge until its period ends. */
  observe(subscription: Subscription, now: string, isFree?: boolean): void;
  /** Returns the deliveries that no line bills. */
  findFaults(books: DiskBooks): string[];
}

/** Opens the list. */
export function openDeliveries(): Deliveries {
  const seen = new Map<string, Delivery[]>();
  const free = new Set<string>();
  return {
    observe: (subscription, now, isFree = false) => {
      const { id, currentPeriodStart, currentPeriodEnd, trialEndsAt, cancelledAt } = subscription;
      if (currentPeriodStart === null || currentPeriodEnd === null || cancelledAt !== null) return;
      if (isFree) free.add(`${id} ${currentPeriodEnd}`);
      const isTrial = trialEndsAt !== null && now < trialEndsAt;
      if (isTrial || now < currentPeriodStart || now >= currentPeriodEnd) return;
      const unitsMinor = sumUnits(subscription);
      const own = (seen.get(id) ?? []).filter(({ at }) => at !== now);
      seen.set(id, [...own, { at: now, unitsMinor, periodEnd: currentPeriodEnd }]);
    },
    findFaults: (books) => {
      const linesById = groupLines(books);
      return [...seen].flatMap(([id, deliveries]) => {
        const units = linesById.get(id) ?? [];
        return deliveries
          .filter(({ at, periodEnd }) => !free.has(`${id} ${periodEnd}`) && !isBilledBack(books, id, at))
          .flatMap(({ at, unitsMinor: seenMinor }) => {
            const unitsMinor = findLastAgreed(books, id, at) ?? seenMinor;
            const billedMinor = units
              .filter(({ start, end }) => start <= at && at < end)
              .reduce((sum, each) => sum + each.unitsMinor, 0n);
            return billedMinor >= unitsMinor
              ? []
              : [`${id}: delivered ${unitsMinor} per cycle at ${at}, ${billedMinor} are billed`];
          });
      });
    },
  };
}

/**
 * Returns the units of the last change that took effect at an instant: it may have been completed after a crash, when nobody
 * watched, and the terms before it were delivered for no time.
 */
function findLastAgreed(books: DiskBooks, id: string, at: string): bigint | undefined {
  const isInvoiced = books
    .listInvoices(id)
    .some(({ billingReason, cycleStart }) => billingReason === 'plan_change' && cycleStart === at);
  const last = books
    .listIntents(id)
    .filter(
      ({ changesSubscriptionId, createdAt, status, billing }) =>
        changesSubscriptionId === id &&
        createdAt === at &&
        status === 'succeeded' &&
        // A change waits for the end of the period if it says so, or if a payer ordered it and owes nothing now.
        (billing === null ? isInvoiced : billing !== 'period_end'),
    )
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .at(-1);
  return last && sumUnits(last);
}

const sumUnits = (terms: Parameters<typeof listItems>[0]): bigint =>
  listItems(terms).reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** Whether a change that was paid later bills an instant: its new terms count from when it was asked for. */
const isBilledBack = ({ listInvoices }: DiskBooks, id: string, at: string): boolean =>
  listInvoices(id).some(
    ({ billingReason, cycleStart, paidAt }) =>
      billingReason === 'plan_change' && paidAt !== null && cycleStart <= at && at < paidAt,
  );

/** A line as the units that it bills for a time; a credit takes those of its line back. */
interface Units {
  start: string;
  end: string;
  unitsMinor: bigint;
}

/** Lists the units that are billed of each subscription, or wait for its next bill. */
function groupLines(books: DiskBooks): Map<string, Units[]> {
  const units: { id: string; units: Units }[] = [];
  const { items, invoices, lineById } = books;
  const running = new Set(
    books.subscriptions.filter((each) => each.cancelledAt === null).map(({ id }) => id),
  );
  const toUnits = ({
    kind,
    creditedLineId,
    periodStart: start,
    periodEnd: end,
    explanation,
  }: Pick<Line, 'kind' | 'creditedLineId' | 'periodStart' | 'periodEnd' | 'explanation'>): Units => {
    const credited = creditedLineId === null ? undefined : lineById.get(creditedLineId);
    const { priceMinor } = (credited?.explanation ?? explanation) as unknown as Explanation;
    return { start, end, unitsMinor: kind === 'PRORATION_CREDIT' ? -BigInt(priceMinor) : BigInt(priceMinor) };
  };
  for (const item of items) {
    const { subscriptionId, kind, invoiceId, removedAt } = item;
    if (subscriptionId === null || kind === 'ITEM' || removedAt !== null) continue;
    // What a subscription that ended left waiting is owed by nobody.
    if (invoiceId === null && !running.has(subscriptionId)) continue;
    units.push({ id: subscriptionId, units: toUnits(item) });
  }
  const waited = groupBy(
    items.filter(({ kind }) => kind !== 'ITEM'),
    ({ customerId }) => customerId,
  );
  for (const { id, subscriptionId, customerId, billingReason, status } of invoices) {
    // A change of plan takes effect when it is paid.
    if (subscriptionId === null || (billingReason === 'plan_change' && status !== 'paid')) continue;
    for (const line of books.listLines(id)) {
      // An item counts by itself. A period that was given up with its invoice was owed.
      if (!periodKinds.includes(line.kind) || isOfItem(line, waited.get(customerId) ?? [])) continue;
      units.push({ id: subscriptionId, units: toUnits(line) });
    }
  }
  return new Map([...groupBy(units, ({ id }) => id)].map(([id, own]) => [id, own.map((each) => each.units)]));
}

const periodKinds = ['CYCLE', 'STUB', 'PRORATION_CHARGE', 'PRORATION_CREDIT'];

const getPriceMinor = (explanation: unknown) => (explanation as Explanation).priceMinor;

/** Whether a line was made of an item that waited, which counts by itself. Erasure removes the descriptions of items. */
const isOfItem = (line: Line, items: Row<'invoiceItems'>[]): boolean =>
  items.some(
    ({ customerId, kind, periodStart, priceId, creditedLineId, explanation }) =>
      customerId === line.customerId &&
      kind === line.kind &&
      periodStart === line.periodStart &&
      priceId === line.priceId &&
      creditedLineId === line.creditedLineId &&
      // Of two changes at one instant, one may have been billed at once.
      getPriceMinor(explanation) === getPriceMinor(line.explanation),
  );

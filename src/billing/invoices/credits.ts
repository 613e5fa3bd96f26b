import {
  deductFromCredits,
  distributeOverCredits,
  isUsable,
  orderCredits,
  sumUsable,
} from '../pricing/credits.ts';
import type { AppliedBalance } from '../pricing/nextInvoice.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

type Credit = Row<'balanceEntries'>;

/** The statuses of an intent with a payment in progress, during which its reservations count. */
const payingStatuses = ['processing', 'requires_action'] as const;

/** Lists a customer's credits with a remainder in a currency, expired ones too, in the order of their use. */
async function listCreditsLeft(reads: Reads, customerId: string, currency: string): Promise<Credit[]> {
  const credits = await reads.many('balanceEntries', {
    where: { customerId, currency, remainingMinor: { after: 0n } },
    orderBy: ['id'],
  });
  return orderCredits(credits);
}

/**
 * Returns the part of a customer's balance in a currency that can pay at an instant, in minor units: the remaining
 * credits, less the amounts reserved by payments in progress.
 */
export const computeAvailableBalance = async (
  reads: Reads,
  customerId: string,
  currency: string,
  at: string,
): Promise<bigint> => sumUsable(await listAvailableCredits(reads, customerId, currency), at);

/** Lists a customer's credits in a currency in the order of their use, less what payments in progress have reserved. */
export async function listAvailableCredits(
  reads: Reads,
  customerId: string,
  currency: string,
): Promise<Credit[]> {
  const credits = await listCreditsLeft(reads, customerId, currency);
  if (credits.length === 0) return credits;
  const reservations = await listReservations(reads, customerId, currency);
  // A payment keeps what could pay when it started, even if that has expired since.
  return reservations.reduce(
    (left, { balanceMinor, paymentStartedAt }) => deductFromCredits(left, balanceMinor!, paymentStartedAt!),
    credits,
  );
}

/**
 * Lists the payments in progress that reserve a part of the balance, in the order of their start. A payment whose
 * invoice is already issued has used its amount, so it reserves nothing.
 */
async function listReservations(
  reads: Reads,
  customerId: string,
  currency: string,
): Promise<Row<'intents'>[]> {
  const paying = await reads.many('intents', { where: { customerId, currency, status: payingStatuses } });
  const reserving = paying.filter(({ balanceMinor }) => balanceMinor !== null && balanceMinor > 0n);
  if (reserving.length === 0) return [];
  const issued = await reads.many('invoices', {
    where: { intentId: reserving.map(({ id }) => id), status: 'open' },
  });
  const using = new Set(issued.map(({ intentId }) => intentId));
  return reserving
    .filter(({ id }) => !using.has(id))
    .toSorted((a, b) => (a.paymentStartedAt! < b.paymentStartedAt! ? -1 : 1));
}

/**
 * Adds a credit to the customer's balance, from an invoice whose lines sum to less than zero. `amountMinor` is
 * positive.
 */
export async function grantCredit(
  unit: UnitOfWork,
  invoice: Row<'invoices'>,
  amountMinor: bigint,
): Promise<void> {
  await addEntry(unit, invoice, { kind: 'credit', amountMinor, remainingMinor: amountMinor });
}

/** Adds a credit that the customer had in another system, and records the event `credited`. */
export async function grantOpeningCredit(
  unit: UnitOfWork,
  customer: Row<'customers'>,
  { currency, amountMinor }: { currency: string; amountMinor: bigint },
): Promise<void> {
  await unit.insertUntraced('balanceEntries', {
    id: unit.id('bal'),
    customerId: customer.id,
    currency,
    kind: 'credit',
    amountMinor,
    remainingMinor: amountMinor,
    createdAt: unit.now,
  });
  await unit.recordEvent('customers', customer, 'credited');
}

/**
 * Pays part of an invoice (minor units) from the customer's credits that were usable `at` an instant, the soonest to
 * expire first. Throws if they do not suffice.
 */
export async function useCredits(
  unit: UnitOfWork,
  invoice: Row<'invoices'>,
  amountMinor: bigint,
  at: string = unit.now,
): Promise<void> {
  let owedMinor = amountMinor;
  const credits = await listCreditsLeft(unit, invoice.customerId, invoice.currency);
  for (const { credit, usedMinor } of distributeOverCredits(credits, amountMinor, at)) {
    if (usedMinor === 0n) continue;
    owedMinor -= usedMinor;
    await setRemaining(unit, credit.id, credit.remainingMinor - usedMinor);
    await addEntry(unit, invoice, { kind: 'use', amountMinor: usedMinor, creditId: credit.id });
  }
  if (owedMinor > 0n) throw new Error(`The balance of ${invoice.customerId} does not cover ${amountMinor}.`);
}

/** Records what a bill uses from the balance of the customer, and what it adds to it. */
export async function recordBalance(
  unit: UnitOfWork,
  invoice: Row<'invoices'>,
  { balanceMinor, surplusMinor }: Pick<AppliedBalance, 'balanceMinor' | 'surplusMinor'>,
): Promise<void> {
  if (balanceMinor > 0n) await useCredits(unit, invoice, balanceMinor);
  if (surplusMinor > 0n) await grantCredit(unit, invoice, surplusMinor);
}

/**
 * Returns to the credits the amounts that an invoice used from them, less earlier returns: everything once the invoice
 * is no longer payable, or `mostMinor` (minor units) for a refund. Throws if the invoice used less than `mostMinor`.
 */
export async function returnCredits(
  unit: UnitOfWork,
  invoice: Row<'invoices'>,
  mostMinor?: bigint,
): Promise<void> {
  const entries = await unit.many('balanceEntries', {
    where: { invoiceId: invoice.id, kind: ['use', 'return'] },
    orderBy: ['id'],
  });
  let dueMinor = mostMinor;
  for (const use of entries.filter(({ kind }) => kind === 'use')) {
    const { creditId } = use;
    const leftMinor = entries
      .filter((entry) => entry.kind === 'return' && entry.creditId === creditId)
      .reduce((left, { amountMinor }) => left - amountMinor, use.amountMinor);
    const amountMinor = dueMinor !== undefined && dueMinor < leftMinor ? dueMinor : leftMinor;
    if (amountMinor <= 0n) continue;
    if (dueMinor !== undefined) dueMinor -= amountMinor;
    const credit = await unit.one('balanceEntries', { id: creditId! });
    await setRemaining(unit, creditId!, credit!.remainingMinor + amountMinor);
    await addEntry(unit, invoice, { kind: 'return', amountMinor, creditId });
  }
  if (dueMinor)
    throw new Error(
      `The return of invoice ${invoice.id} exceeds the amount used from the balance by ${dueMinor}.`,
    );
}

/** Ends a part of an expired credit (minor units), which nothing can use any more. */
export async function expireRemainder(unit: UnitOfWork, id: string, amountMinor: bigint): Promise<void> {
  const credit = (await unit.one('balanceEntries', { id }))!;
  const { customerId, currency } = credit;
  await setRemaining(unit, id, credit.remainingMinor - amountMinor);
  await insertEntry(unit, {
    customerId,
    currency,
    kind: 'expire',
    amountMinor,
    creditId: id,
  });
}

/**
 * Sums a customer's credits that are usable at an instant by currency, in minor units, ordered by currency code; omits
 * currencies without a remainder.
 */
export function sumBalances(credits: Credit[], at: string): { currency: string; amountMinor: bigint }[] {
  const sums = new Map<string, bigint>();
  for (const { currency, remainingMinor } of credits.filter((credit) => isUsable(credit, at)))
    sums.set(currency, (sums.get(currency) ?? 0n) + remainingMinor);
  return [...sums]
    .filter(([, amountMinor]) => amountMinor !== 0n)
    .map(([currency, amountMinor]) => ({ currency, amountMinor }))
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** Returns what an invoice would return to credits that are usable at an instant if it were voided, in minor units. */
export async function computeReturnable(
  reads: Reads,
  { id: invoiceId }: Pick<Row<'invoices'>, 'id'>,
  at: string,
): Promise<bigint> {
  const entries = await reads.many('balanceEntries', { where: { invoiceId, kind: ['use', 'return'] } });
  const credits = await reads.many('balanceEntries', {
    where: { id: entries.flatMap(({ creditId }) => creditId ?? []) },
  });
  const usable = new Set(credits.filter((credit) => isUsable(credit, at)).map(({ id }) => id));
  return entries
    .filter(({ creditId }) => usable.has(creditId ?? ''))
    .reduce((sum, { kind, amountMinor }) => (kind === 'use' ? sum + amountMinor : sum - amountMinor), 0n);
}

const setRemaining = (unit: UnitOfWork, id: string, remainingMinor: bigint) =>
  unit.updateUntraced('balanceEntries', { id }, { remainingMinor });

const addEntry = (
  unit: UnitOfWork,
  { id: invoiceId, customerId, currency }: Row<'invoices'>,
  entry: Pick<Credit, 'kind' | 'amountMinor'> & Partial<Pick<Credit, 'creditId' | 'remainingMinor'>>,
) => insertEntry(unit, { customerId, currency, invoiceId, ...entry });

function insertEntry(
  unit: UnitOfWork,
  entry: Pick<Credit, 'customerId' | 'currency' | 'kind' | 'amountMinor'> &
    Partial<Pick<Credit, 'creditId' | 'invoiceId' | 'remainingMinor'>>,
) {
  return unit.insertUntraced('balanceEntries', {
    remainingMinor: 0n,
    ...entry,
    id: unit.id('bal'),
    createdAt: unit.now,
  });
}

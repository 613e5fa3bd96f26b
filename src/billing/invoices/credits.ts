import {
  distributeOverCredits,
  computeUsable,
  isUsable,
  orderCredits,
  sumUsable,
} from '../pricing/credits.ts';
import { deductReserved, listReservedGrants } from '../pricing/creditGrants.ts';
import { computeKept, isRolloverDue } from '../pricing/creditRollover.ts';
import { computeCreditPrice } from '../pricing/creditAmounts.ts';
import type { AppliedBalance } from '../pricing/nextInvoice.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { listPayingIntents } from '../customers/payingIntents.ts';
import { compareRemaining, recordCreditEvent } from './creditEvents.ts';
import { addRates, type RatedCredit } from './creditTypes.ts';
import { requestTopUpCheck } from './topUpChecks.ts';

type Credit = Row<'balanceEntries'>;

/** Lists a customer's credits with a remainder in a currency, expired ones too, in the order of their use. */
async function listCreditsLeft(reads: Reads, customerId: string, currency: string): Promise<RatedCredit[]> {
  const credits = await reads.many('balanceEntries', {
    where: { customerId, currency, remainingMinor: { after: 0n } },
    orderBy: ['id'],
  });
  return orderCredits(await addRates(reads, credits));
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
): Promise<RatedCredit[]> {
  const credits = await listCreditsLeft(reads, customerId, currency);
  if (credits.length === 0) return credits;
  const reservations = await listReservations(reads, customerId, currency);
  // A payment keeps what could pay when it started, even if that has expired since.
  return reservations.reduce(
    (left, intent) => deductReserved(left, intent, intent.paymentStartedAt!),
    credits,
  );
}

/**
 * Lists the payments in progress that reserve a part of the balance or of a grant, in the order of their start. A payment whose
 * invoice is already issued has used its amount, so it reserves nothing.
 */
async function listReservations(
  reads: Reads,
  customerId: string,
  currency: string,
): Promise<Row<'intents'>[]> {
  const paying = await listPayingIntents(reads, customerId);
  const reserving = paying.filter(
    (intent) =>
      intent.currency === currency &&
      ((intent.balanceMinor ?? 0n) > 0n || listReservedGrants(intent).length > 0),
  );
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
  const credits = await listCurrentCredits(unit, invoice, at);
  for (const { credit, usedMinor } of distributeOverCredits(credits, amountMinor, at)) {
    if (usedMinor === 0n) continue;
    owedMinor -= usedMinor;
    await takeFrom(unit, credit, usedMinor);
    await addEntry(unit, invoice, { kind: 'use', amountMinor: usedMinor }, credit);
  }
  if (owedMinor > 0n) throw new Error(`The balance of ${invoice.customerId} does not cover ${amountMinor}.`);
}

/** Lists the credits of an invoice's customer with a remainder in its currency, after those that expired by `at` have rolled over. */
async function listCurrentCredits(
  unit: UnitOfWork,
  { customerId, currency }: Pick<Row<'invoices'>, 'customerId' | 'currency'>,
  at: string,
): Promise<Credit[]> {
  const credits = await listCreditsLeft(unit, customerId, currency);
  const due = credits.filter((credit) => isRolloverDue(credit, at));
  if (due.length === 0) return credits;
  for (const { id } of due) await endExpired(unit, id);
  return listCreditsLeft(unit, customerId, currency);
}

/**
 * Takes from a grant what a line of an invoice shows of it: minor units, or millionths of a credit. Throws if the grant does not
 * suffice.
 */
export async function useGrant(
  unit: UnitOfWork,
  invoice: Row<'invoices'>,
  { id: lineId, creditId, given }: { id: string; creditId: string; given: bigint },
): Promise<void> {
  const credits = await listCurrentCredits(unit, invoice, unit.now);
  const grant = credits.find(({ id }) => id === creditId);
  if (!grant || grant.remainingMinor < given)
    throw new Error(`The credit grant ${creditId} does not cover ${given}.`);
  await takeFrom(unit, grant, given);
  await addEntry(unit, invoice, { kind: 'use', amountMinor: given, lineId }, grant);
}

/** The shares of a grant, in percent, of whose use an event tells, once each. */
const alertPercents = [50, 80, 100];

/** Takes an amount off the remainder of a credit, in its unit, and tells that a grant is used to a share of its amount. */
async function takeFrom(unit: UnitOfWork, credit: Credit, usedMinor: bigint): Promise<void> {
  const { id, kind, amountMinor, alertedPercent } = credit;
  const remainingMinor = credit.remainingMinor - usedMinor;
  const usedPercent = ((amountMinor - remainingMinor) * 100n) / amountMinor;
  const reached = alertPercents.filter(
    (percent) => kind === 'grant' && percent > (alertedPercent ?? 0) && usedPercent >= percent,
  );
  if (reached.length > 0)
    await unit.updateUntraced('balanceEntries', { id }, { alertedPercent: reached.at(-1)! });
  for (const percent of reached)
    await recordCreditEvent(unit, 'credit_used', credit, remainingMinor, { percent });
  await setRemaining(unit, credit, remainingMinor);
  await requestTopUpCheck(unit, credit);
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
 * is no longer payable, or `mostMinor` (minor units) of what paid its total for a refund. Throws if the invoice used less than
 * `mostMinor`.
 */
export async function returnCredits(
  unit: UnitOfWork,
  invoice: Row<'invoices'>,
  mostMinor?: bigint,
): Promise<void> {
  let dueMinor = mostMinor;
  for (const { use, leftMinor } of await listUses(unit, invoice)) {
    if (dueMinor !== undefined && use.lineId !== null) continue;
    const amountMinor = dueMinor !== undefined && dueMinor < leftMinor ? dueMinor : leftMinor;
    if (amountMinor <= 0n) continue;
    if (dueMinor !== undefined) dueMinor -= amountMinor;
    await returnUse(unit, invoice, use, amountMinor);
  }
  if (dueMinor)
    throw new Error(
      `The return of invoice ${invoice.id} exceeds the amount used from the balance by ${dueMinor}.`,
    );
}

/** Returns to the grants what lowered the lines of an invoice before tax, less earlier returns. */
export async function returnGrants(unit: UnitOfWork, invoice: Row<'invoices'>): Promise<void> {
  for (const { use, leftMinor } of await listUses(unit, invoice))
    if (use.lineId !== null && leftMinor > 0n) await returnUse(unit, invoice, use, leftMinor);
}

/** Lists what an invoice has used from credits, oldest first, with what was not returned. */
async function listUses(
  reads: Reads,
  { id: invoiceId }: Pick<Row<'invoices'>, 'id'>,
): Promise<{ use: Credit; leftMinor: bigint }[]> {
  const entries = await reads.many('balanceEntries', {
    where: { invoiceId, kind: ['use', 'return'] },
    orderBy: ['id'],
  });
  const isReturnOf = (entry: Credit, { creditId, lineId }: Credit) =>
    entry.kind === 'return' && entry.creditId === creditId && entry.lineId === lineId;
  return entries
    .filter(({ kind }) => kind === 'use')
    .map((use) => ({
      use,
      leftMinor: entries
        .filter((entry) => isReturnOf(entry, use))
        .reduce((left, { amountMinor }) => left - amountMinor, use.amountMinor),
    }));
}

async function returnUse(
  unit: UnitOfWork,
  invoice: Row<'invoices'>,
  { creditId, lineId }: Credit,
  amountMinor: bigint,
): Promise<void> {
  const credit = (await unit.one('balanceEntries', { id: creditId! }))!;
  await addEntry(unit, invoice, { kind: 'return', amountMinor, lineId }, credit);
  // What is returned to a voided grant is void as well.
  if (credit.voidedAt !== null) await endPart(unit, credit, 'void', amountMinor);
  else await setRemaining(unit, credit, credit.remainingMinor + amountMinor);
}

/**
 * Ends the remainder of a credit that has expired, but for what payments in progress have reserved and what rolls over, and
 * records events of the customer. Returns whether anything changed. Reads the credit again: another server may have ended it, or
 * a payment used it.
 */
export async function endExpired(unit: UnitOfWork, id: string): Promise<boolean> {
  const credit = await unit.one('balanceEntries', { id });
  if (!credit || credit.expiresAt === null || credit.expiresAt > unit.now) return false;
  const { customerId, currency, rollover, remainingMinor, expiresAt } = credit;
  const available = await listAvailableCredits(unit, customerId, currency);
  const availableMinor = available.find((each) => each.id === id)?.remainingMinor ?? 0n;
  const isKept = isRolloverDue(credit, unit.now);
  const keptMinor = isKept ? computeKept(rollover!, availableMinor) : 0n;
  if (isKept) {
    const kept = { expiresAt: rollover!.until, rollover: { ...rollover!, rolledAt: expiresAt } };
    await unit.updateUntraced('balanceEntries', { id }, kept);
    await recordCreditEvent(unit, 'credit_rolled_over', credit, keptMinor, { expiresAt: rollover!.until });
  }
  const endedMinor = availableMinor - keptMinor;
  if (endedMinor === 0n) return isKept;
  const leftMinor = remainingMinor - endedMinor;
  // The end of a grant has an event of its own.
  if (isKept) await setRemaining(unit, credit, leftMinor);
  else await unit.updateUntraced('balanceEntries', { id }, { remainingMinor: leftMinor });
  await endPart(unit, credit, 'expire', endedMinor);
  await recordCreditEvent(unit, 'credit_expired', credit, endedMinor);
  return true;
}

/** Records that a part of a credit has ended, in its unit, which nothing can use any more. */
export async function endPart(
  unit: UnitOfWork,
  credit: Credit,
  kind: 'expire' | 'void',
  amountMinor: bigint,
): Promise<void> {
  const { customerId, currency } = credit;
  const breakageMinor = kind === 'expire' ? computeBreakage(credit, amountMinor) : null;
  await insertEntry(unit, { customerId, currency, kind, amountMinor, breakageMinor }, credit);
  await requestTopUpCheck(unit, credit);
}

/** Returns what the customer has paid for a part of a credit, in minor units; null if it was given. */
function computeBreakage(
  { category, costBasis, currency, creditTypeId }: Credit,
  amountMinor: bigint,
): bigint | null {
  if (category !== 'paid') return null;
  return computeCreditPrice({ amountMinor, currency, creditTypeId }, costBasis!);
}

/**
 * Sums a customer's credits that are usable at an instant by currency, in minor units, ordered by currency code; omits
 * currencies without a remainder.
 */
export function sumBalances(credits: Credit[], at: string): { currency: string; amountMinor: bigint }[] {
  const sums = new Map<string, bigint>();
  for (const credit of credits.filter(({ beforeTax }) => beforeTax !== true))
    sums.set(credit.currency, (sums.get(credit.currency) ?? 0n) + computeUsable(credit, at));
  return [...sums]
    .filter(([, amountMinor]) => amountMinor !== 0n)
    .map(([currency, amountMinor]) => ({ currency, amountMinor }))
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** Lists what an invoice would return to credits that are usable at an instant if it were voided. */
export async function listReturnable(
  reads: Reads,
  invoice: Pick<Row<'invoices'>, 'id'>,
  at: string,
): Promise<RatedCredit[]> {
  const uses = await listUses(reads, invoice);
  const id = uses.map(({ use }) => use.creditId!);
  const found = id.length === 0 ? [] : await reads.many('balanceEntries', { where: { id } });
  const credits = await addRates(reads, found);
  const byId = new Map(credits.map((credit) => [credit.id, credit]));
  return uses.flatMap(({ use, leftMinor }) => {
    const credit = byId.get(use.creditId!)!;
    return isUsable(credit, at) && credit.voidedAt === null ? [{ ...credit, remainingMinor: leftMinor }] : [];
  });
}

/** Changes what is left of a credit, in its unit, and tells that it is less than its grant names. */
async function setRemaining(unit: UnitOfWork, credit: Credit, remainingMinor: bigint): Promise<void> {
  await unit.updateUntraced('balanceEntries', { id: credit.id }, { remainingMinor });
  await compareRemaining(unit, { ...credit, remainingMinor });
}

async function addEntry(
  unit: UnitOfWork,
  { id: invoiceId, customerId, currency }: Row<'invoices'>,
  entry: Pick<Credit, 'kind' | 'amountMinor'> & Partial<Pick<Credit, 'lineId' | 'remainingMinor'>>,
  credit?: Credit,
): Promise<void> {
  await insertEntry(unit, { customerId, currency, invoiceId, ...entry }, credit);
}

/** Inserts an entry of the ledger: a new credit, or one of the `credit` that is given. */
function insertEntry(
  unit: UnitOfWork,
  entry: Pick<Credit, 'customerId' | 'currency' | 'kind' | 'amountMinor'> &
    Partial<Pick<Credit, 'invoiceId' | 'lineId' | 'remainingMinor' | 'breakageMinor'>>,
  credit?: Credit,
) {
  return unit.insertUntraced('balanceEntries', {
    remainingMinor: 0n,
    ...entry,
    creditId: credit?.id,
    creditTypeId: credit?.creditTypeId,
    id: unit.id(credit?.kind === 'grant' ? 'cgu' : 'bal'),
    createdAt: unit.now,
  });
}

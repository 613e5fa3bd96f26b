import type { Awaitable } from '../awaitable.ts';
import type { Row } from '../db/schema.ts';
import type { Reads } from '../db/store.ts';
import type { Unit } from '../tenants/unit.ts';

type Credit = Row<'balanceEntries'>;

/** The credits that a customer has left in a currency, oldest first. */
export function creditsLeft(reads: Reads, customerId: string, currency: string): Awaitable<Credit[]> {
  return reads.many('balanceEntries', {
    where: { customerId, currency, remainingMinor: { after: 0n } },
    orderBy: ['id'],
  });
}

/** The sum of what credits have left, in minor units. */
export const sumOf = (credits: Credit[]): bigint =>
  credits.reduce((sum, { remainingMinor }) => sum + remainingMinor, 0n);

/** Leaves a credit with a customer, from an invoice whose lines came to less than nothing. */
export async function grantCredit(unit: Unit, invoice: Row<'invoices'>, amountMinor: bigint): Promise<void> {
  await addEntry(unit, invoice, { kind: 'credit', amountMinor, remainingMinor: amountMinor, creditId: null });
}

/** Leaves a credit with a customer that they had elsewhere before they came, and tells of it. */
export async function grantOpeningCredit(
  unit: Unit,
  customer: Row<'customers'>,
  { currency, amountMinor }: { currency: string; amountMinor: bigint },
): Promise<void> {
  await unit.addPart('balanceEntries', {
    id: unit.id('bal'),
    customerId: customer.id,
    currency,
    kind: 'credit',
    amountMinor,
    remainingMinor: amountMinor,
    creditId: null,
    invoiceId: null,
    createdAt: unit.now,
  });
  await unit.tell('customers', customer, 'credited');
}

/** Pays part of an invoice from credits, oldest first; they must suffice. */
export async function useCredits(
  unit: Unit,
  invoice: Row<'invoices'>,
  credits: Credit[],
  amountMinor: bigint,
): Promise<void> {
  let owedMinor = amountMinor;
  for (const credit of credits) {
    if (owedMinor === 0n) return;
    const takenMinor = credit.remainingMinor < owedMinor ? credit.remainingMinor : owedMinor;
    owedMinor -= takenMinor;
    await setRemaining(unit, credit.id, credit.remainingMinor - takenMinor);
    await addEntry(unit, invoice, { kind: 'use', amountMinor: takenMinor, creditId: credit.id });
  }
  if (owedMinor > 0n) throw new Error(`The balance of ${invoice.customerId} does not cover ${amountMinor}.`);
}

/** Gives back what an invoice took from credits, once nobody has to pay it any more. */
export async function returnCredits(unit: Unit, invoice: Row<'invoices'>): Promise<void> {
  const uses = await unit.many('balanceEntries', { where: { invoiceId: invoice.id, kind: 'use' } });
  for (const { creditId, amountMinor } of uses) {
    const credit = await unit.one('balanceEntries', { id: creditId! });
    await setRemaining(unit, creditId!, credit!.remainingMinor + amountMinor);
    await addEntry(unit, invoice, { kind: 'return', amountMinor, creditId });
  }
}

const setRemaining = (unit: Unit, id: string, remainingMinor: bigint) =>
  unit.changeParts('balanceEntries', { id }, { remainingMinor });

function addEntry(
  unit: Unit,
  { id, customerId, currency }: Row<'invoices'>,
  entry: Pick<Credit, 'kind' | 'amountMinor' | 'creditId'> & { remainingMinor?: bigint },
) {
  return unit.addPart('balanceEntries', {
    remainingMinor: 0n,
    ...entry,
    id: unit.id('bal'),
    customerId,
    currency,
    invoiceId: id,
    createdAt: unit.now,
  });
}

import { computeOwed } from '../../billing/payments/returns.ts';
import type { TaxTotal } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { readRows, type SubscriptionState } from './history.ts';
import { addTrial, createSums, isZero, withoutTax, type Sums } from './recordSums.ts';
import { findDay, findQuarter } from './spans.ts';

/** Returns the sums at an instant, in each span that contains it. */
type SumsAt = (currency: string, at: string) => Sums[];

/** Writes the sums of a tenant anew, from its invoices, payments and credit notes, and the states of its trials. */
export async function rebuildSums(unit: UnitOfWork, states: SubscriptionState[]): Promise<void> {
  const all = new Map<string, Row<'revenueSums'>>();
  const { timezone } = unit.tenant;
  const sumsAt: SumsAt = (currency, instant) =>
    (
      [
        ['quarter', findQuarter(instant)],
        ['day', findDay(instant, timezone)],
      ] as const
    ).map(([span, at]) => {
      const key = `${currency} ${span} ${at}`;
      const sums = all.get(key) ?? { tenantAlias: unit.tenant.alias, currency, span, at, ...createSums() };
      all.set(key, sums);
      return sums;
    });
  const taxes = await addInvoices(unit, sumsAt);
  for await (const { kind, status, currency, createdAt, amountMinor, invoiceId } of readRows(
    unit,
    'payments',
  )) {
    if (status !== 'succeeded') continue;
    const netMinor = withoutTax(amountMinor, (invoiceId !== null && taxes.get(invoiceId)) || null);
    for (const sums of sumsAt(currency, createdAt))
      sums[kind === 'charge' ? 'paidMinor' : 'refundedMinor'] += netMinor;
  }
  for await (const note of readRows(unit, 'creditNotes')) {
    if (note.status !== 'issued') continue;
    for (const sums of sumsAt(note.currency, note.issuedAt))
      sums.creditedMinor += withoutTax(note.totalMinor, note.taxes);
  }
  addTrials(states, sumsAt);
  for (const { tenantAlias: _, ...sums } of all.values())
    if (!isZero(sums)) await unit.insertUntraced('revenueSums', sums);
}

/** Adds the invoices; returns the taxes of those that have some. */
async function addInvoices(unit: UnitOfWork, sumsAt: SumsAt): Promise<Map<string, TaxTotal[]>> {
  const taxes = new Map<string, TaxTotal[]>();
  for await (const invoice of readRows(unit, 'invoices')) {
    const { status, currency, firstTriedAt, paidAt, createdAt, issuedAt } = invoice;
    if (invoice.taxes) taxes.set(invoice.id, invoice.taxes);
    // A draft that was voided was never issued.
    if (status === 'draft' || (status === 'void' && invoice.documentNumber === null)) continue;
    for (const sums of sumsAt(currency, issuedAt ?? createdAt))
      sums.invoicedMinor += withoutTax(invoice.totalMinor, invoice.taxes);
    if (firstTriedAt === null) continue;
    const owedMinor = computeOwed(invoice);
    for (const sums of sumsAt(currency, firstTriedAt)) {
      sums.failedCount += 1;
      sums.failedMinor += owedMinor;
    }
    if (status !== 'paid' || paidAt === null) continue;
    for (const sums of sumsAt(currency, paidAt)) {
      sums.recoveredCount += 1;
      sums.recoveredMinor += owedMinor;
    }
  }
  return taxes;
}

function addTrials(states: SubscriptionState[], sumsAt: SumsAt): void {
  const last = new Map<string, Row<'subscriptions'>>();
  for (const { at, subscription: after } of states) {
    const before = last.get(after.id);
    last.set(after.id, after);
    // Not of a subscription without a trial, whose spans would be empty.
    if (after.trialEndsAt === null && (before?.trialEndsAt ?? null) === null) continue;
    for (const sums of sumsAt(after.currency, at)) addTrial({ before, after }, () => sums);
  }
}

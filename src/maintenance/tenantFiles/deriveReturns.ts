import { isPeriodLine, periodKinds } from '../../billing/payments/returns.ts';
import type { Queries } from '../../storage/query/queries.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { readPages } from './tableScan.ts';

/**
 * Derives the counters of credits and refunds on a tenant's invoice lines, and the reservations of its intents, as the
 * database migrations do. Releases up to 0.1 did not store them, and credited one line at a time.
 */
export async function deriveGivenBack(queries: Queries, tenantAlias: string): Promise<void> {
  for await (const page of readPages(queries, 'invoiceLines', tenantAlias)) {
    for (const line of page) if (line.kind === 'PRORATION_CREDIT') await deriveCredit(queries, line);
  }
  for await (const page of readPages(queries, 'invoices', tenantAlias)) {
    for (const { id, refundedMinor } of page) {
      if (refundedMinor === 0n) continue;
      const where = { tenantAlias, invoiceId: id, kind: [...periodKinds] };
      await queries.update('invoiceLines', where, { refundedMinor });
    }
  }
}

async function deriveCredit(queries: Queries, line: Row<'invoiceLines'>): Promise<void> {
  const { tenantAlias, id, invoiceId } = line;
  const [change] = await queries.select('invoices', { where: { tenantAlias, id: invoiceId } });
  const billed = change && (await findLineBilledBefore(queries, change, line));
  if (!billed) return;
  const creditedLineId = billed.id;
  await queries.update('invoiceLines', { tenantAlias, id }, { creditedLineId });
  if (change.status !== 'open' && change.status !== 'paid') return;
  const creditedMinor = (billed.creditedMinor ?? 0n) - line.amountMinor;
  await queries.update('invoiceLines', { tenantAlias, id: creditedLineId }, { creditedMinor });
  if (change.status !== 'open' || change.intentId === null) return;
  const where = { tenantAlias, id: change.intentId, status: underWay };
  const reserved = { creditedLineId, creditedMinor: -line.amountMinor, givenBackMinor: 0n };
  await queries.update('intents', where, reserved);
}

const underWay: Row<'intents'>['status'][] = ['processing', 'requires_action'];

/** Returns the line of the last period paid before the change, which the change credits. */
async function findLineBilledBefore(
  queries: Queries,
  { tenantAlias, subscriptionId, number }: Row<'invoices'>,
  { periodEnd }: Row<'invoiceLines'>,
): Promise<Row<'invoiceLines'> | undefined> {
  if (subscriptionId === null) return undefined;
  const invoices = await queries.select('invoices', { where: { tenantAlias, subscriptionId } });
  const earlier = invoices.filter((invoice) => invoice.status === 'paid' && invoice.number < number);
  for (const invoice of earlier.toSorted((a, b) => b.number - a.number)) {
    const lines = await queries.select('invoiceLines', { where: { tenantAlias, invoiceId: invoice.id } });
    const billed = lines.find((line) => isPeriodLine(line) && line.periodEnd === periodEnd);
    if (billed) return billed;
  }
  return undefined;
}

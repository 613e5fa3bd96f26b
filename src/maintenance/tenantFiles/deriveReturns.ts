import { isPeriodLine, periodKinds } from '../../invoicing/returns.ts';
import type { Queries } from '../../storage/query/queries.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { pagesOf } from './tableScan.ts';

/**
 * Counts on the lines of a tenant's invoices what credits and refunds have given back of them, and on intents what they
 * reserve, as the migrations do for a database. Releases up to 0.1 did not keep it, and credited one line at a time.
 */
export async function deriveGivenBack(queries: Queries, tenantAlias: string): Promise<void> {
  for await (const page of pagesOf(queries, 'invoiceLines', tenantAlias)) {
    for (const line of page) if (line.kind === 'PRORATION_CREDIT') await deriveCredit(queries, line);
  }
  for await (const page of pagesOf(queries, 'invoices', tenantAlias)) {
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
  const billed = change && (await lineBilledBefore(queries, change, line));
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

/** The line of the period that was paid last before the change, and whose rest it credits. */
async function lineBilledBefore(
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

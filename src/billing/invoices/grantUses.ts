/** The use of credit grants by the lines of invoices, before tax. */
import { applyGrants, listGrants, listLineUses } from '../pricing/creditGrants.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import type { UsageLineExplanation } from '../pricing/usagePrice.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { listAvailableCredits, useGrant } from './credits.ts';
import { readBilledPeriods } from './usagePeriods.ts';

type Invoice = Row<'invoices'>;
type InvoiceLine = Row<'invoiceLines'>;

/** Records the uses of grants that the lines of an invoice show. */
export async function useGrants(unit: UnitOfWork, invoice: Invoice, lines: InvoiceLine[]): Promise<void> {
  for (const line of lines)
    for (const { creditId, given } of listLineUses(line))
      await useGrant(unit, invoice, { id: line.id, creditId, given });
}

/** Lowers the lines of a draft by the grants of its customer, when it is finalized. Returns its lines, before tax. */
export async function applyGrantsToDraft(
  unit: UnitOfWork,
  invoice: Invoice,
  rows: InvoiceLine[],
): Promise<InvoiceLine[]> {
  const { customerId, currency } = invoice;
  const grants = listGrants(await listAvailableCredits(unit, customerId, currency));
  if (grants.length === 0) return rows;
  const { lines, mainPriceId } = await describePrices(unit, invoice, rows);
  const lowered = applyGrants(lines, grants, unit.now, mainPriceId);
  const changed: InvoiceLine[] = [];
  for (const [index, row] of rows.entries()) {
    const { amountMinor, discounts } = lowered[index]!;
    changed.push({ ...row, amountMinor, discounts: discounts ?? null });
    if (discounts !== lines[index]!.discounts)
      await unit.updateUntraced('invoiceLines', { id: row.id }, { amountMinor, discounts });
  }
  await useGrants(unit, invoice, changed);
  return changed;
}

/** Returns the lines of a draft with the prices and meters by which grants select them. */
async function describePrices(unit: UnitOfWork, invoice: Invoice, rows: InvoiceLine[]) {
  const { subscriptionId, billingReason } = invoice;
  const subscription =
    subscriptionId === null ? undefined : await unit.one('subscriptions', { id: subscriptionId });
  const periods = new Map((await readBilledPeriods(unit, invoice.id)).map((period) => [period.id, period]));
  const lines = rows.map((row) => {
    const { usagePeriodId } = row.explanation as unknown as UsageLineExplanation;
    const usageOf = row.kind === 'USAGE' ? periods.get(usagePeriodId) : undefined;
    return {
      kind: row.kind,
      amountMinor: row.amountMinor,
      discounts: row.discounts ?? undefined,
      priceId: row.priceId ?? undefined,
      explanation: row.explanation as unknown as Line['explanation'],
      usageOf,
    };
  });
  return { lines, mainPriceId: billingReason === 'one_off' ? undefined : subscription?.priceId };
}

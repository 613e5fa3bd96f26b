/** The usage of the present period with the amount so far, as a customer reads it. */
import { html, type Html } from '../../lib/html.ts';
import { fillText } from '../../lib/texts.ts';
import { sumDiscounts } from '../../billing/pricing/discounts.ts';
import type { Line } from '../../billing/pricing/invoiceLines.ts';
import { previewUsage } from '../../billing/subscriptions/currentUsage.ts';
import type { SubscriptionRow } from '../../billing/subscriptions/subscriptions.ts';
import { listGrantParts, sumGrantParts, toGrantRows } from '../shared/grantRows.ts';
import { renderSummary, type SummaryRow } from '../shared/components.ts';
import type { CustomerVisit } from './visit.ts';

/** Renders the usage that the next invoice of a subscription bills; undefined if it has none. */
export async function renderUsage(
  visit: CustomerVisit,
  { id, usageSince, cancelledAt }: SubscriptionRow,
): Promise<Html | undefined> {
  if (usageSince === null || cancelledAt !== null) return undefined;
  const { tenant, texts, formats } = visit;
  const preview = await previewUsage({ read: tenant.read, now: tenant.now() }, id);
  const lines = preview.lines.filter(({ kind }) => kind === 'USAGE');
  if (lines.length === 0) return undefined;
  const sumMinor = lines.reduce((sum, line) => sum + line.amountMinor, 0n);
  const grants = await listGrantParts(tenant.read, lines);
  const discountMinor = sumDiscounts(lines) - sumGrantParts(grants);
  const discount = { label: texts.discount, value: formats.money(-discountMinor, preview.currency) };
  return html`<h2 class="part">${texts.usageSoFar}</h2>
    ${renderSummary([
      ...lines.map((line) => describeUsed(visit, line)),
      ...(discountMinor === 0n ? [] : [discount]),
      ...toGrantRows(formats, grants, preview.currency),
      { label: texts.amountSoFar, value: formats.money(sumMinor, preview.currency), emphasis: 'total' },
    ])} `;
}

function describeUsed({ texts, formats, fill }: CustomerVisit, line: Line): SummaryRow {
  const { amountMinor, currency, periodStart, periodEnd, explanation, productName = '' } = line;
  const units = 'usage' in explanation ? Number(explanation.usage) : undefined;
  const range = { from: formats.day(periodStart), to: formats.lastDay(periodStart, periodEnd) };
  return {
    label: fill(texts.lines.USAGE, { product: productName }),
    value: formats.money(amountMinor + sumDiscounts([line]), currency),
    notes: [
      ...(units === undefined
        ? []
        : [html`<bdi>${fillText(texts.usedUnits, { count: formats.number(units) })}</bdi>`]),
      html`<bdi>${fillText(texts.range, range)}</bdi>`,
    ],
  };
}

/** The lines of a bill as a customer reads them. */
import { html, type Html } from '../../lib/html.ts';
import { fillText } from '../../lib/texts.ts';
import { sumDiscounts } from '../../billing/pricing/discounts.ts';
import type { Line } from '../../billing/pricing/invoiceLines.ts';
import { summarizeTaxes } from '../../billing/pricing/tax.ts';
import { listGrantParts, sumGrantParts, toGrantRows } from '../shared/grantRows.ts';
import { renderSummary, type SummaryRow } from '../shared/components.ts';
import type { PortalVisit } from './visit.ts';

/** The products of the main price, before and after a change. Credits are for the former. */
interface Products {
  before: string;
  after: string;
}

/** Renders the lines of a change or a final invoice, their discounts, credit grants and taxes, and the sum below `sumLabel`. */
export async function renderBill(
  visit: PortalVisit,
  { lines, totalMinor, currency }: { lines: Line[]; totalMinor: bigint; currency: string },
  products: Products,
  sumLabel = visit.texts.chargedNow,
): Promise<Html> {
  const { formats, texts, tenant } = visit;
  const rows = lines.map((line) => describeLine(visit, line, products));
  const grants = await listGrantParts(tenant.read, lines);
  const discountMinor = sumDiscounts(lines) - sumGrantParts(grants);
  const discount = { label: texts.discount, value: formats.money(-discountMinor, currency) };
  const total = totalMinor === 0n ? texts.nothing : formats.money(totalMinor, currency);
  return renderSummary([
    ...rows.filter((_, index) => lines[index]!.kind !== 'BALANCE'),
    ...(discountMinor === 0n ? [] : [discount]),
    ...toGrantRows(formats, grants, currency),
    ...describeTaxes(visit, lines, currency),
    ...rows.filter((_, index) => lines[index]!.kind === 'BALANCE'),
    { label: sumLabel, value: total, emphasis: 'total' },
  ]);
}

function describeLine(
  { texts, formats, fill }: PortalVisit,
  line: Line,
  { before, after }: Products,
): SummaryRow {
  const { kind, currency, amountMinor, periodStart, periodEnd, explanation } = line;
  const main = kind === 'PRORATION_CREDIT' ? before : after;
  const name = kind === 'ITEM' ? line.description : (line.productName ?? main);
  const quantity = 'quantity' in explanation ? explanation.quantity : undefined;
  const units = quantity !== undefined && quantity > 1 ? `${formats.number(quantity)} × ${name}` : name;
  const hasPeriod = kind !== 'ITEM' && kind !== 'BALANCE' && kind !== 'SETUP_FEE';
  return {
    label: fill(texts.lines[kind], { product: units }),
    value: formats.money(amountMinor + sumDiscounts([line]), currency),
    ...(hasPeriod && {
      notes: [
        html`<bdi
          >${fillText(texts.range, { from: formats.day(periodStart), to: formats.lastDay(periodStart, periodEnd) })}</bdi
        >`,
      ],
    }),
  };
}

/** Lists the taxes on top of the prices, then those that the prices contain. */
function describeTaxes({ texts, formats }: PortalVisit, lines: Line[], currency: string): SummaryRow[] {
  return [false, true].flatMap((isIncluded) => {
    const taxed = lines.filter(({ tax }) => tax && (tax.included ?? false) === isIncluded);
    const shown = (summarizeTaxes(taxed) ?? []).filter(({ taxMinor }) => taxMinor !== '0');
    return shown.map(({ percent, taxMinor }) => ({
      label: fillText(isIncluded ? texts.includedTax : texts.tax, { percent: formats.percent(percent) }),
      value: formats.money(BigInt(taxMinor), currency),
    }));
  });
}

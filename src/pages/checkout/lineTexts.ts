/** What the lines of a charge are called, and how their amounts are computed. */
import type { Html } from '../../lib/html.ts';
import type { Line, QuantityExplanation } from '../../billing/pricing/invoiceLines.ts';
import type { TierCharge } from '../../billing/pricing/priceModel.ts';
import type { Explanation } from '../../billing/pricing/proration.ts';
import { sumDiscounts } from '../../billing/pricing/discounts.ts';
import type { IntentRow } from '../../billing/subscriptions/intents/intents.ts';
import type { FirstBill } from '../../billing/subscriptions/intents/firstBill.ts';
import type { SummaryRow } from '../shared/components.ts';
import { html } from '../../lib/html.ts';
import type { PayTranslator } from './texts.ts';
import { dayMs } from '../../lib/durations.ts';

type Figures = Partial<Explanation> & QuantityExplanation;

/** Describes a line before discounts. */
export function describeLine(
  { say, formats }: PayTranslator,
  intent: IntentRow,
  { subscription }: FirstBill,
  line: Line,
): SummaryRow {
  const current = line.kind === 'PRORATION_CREDIT' ? subscription?.productName : undefined;
  const product = line.productName ?? current ?? intent.productName;
  const names: Record<Line['kind'], () => Html> = {
    CYCLE: () => html`${product}`,
    STUB: () => html`${product}`,
    ITEM: () => html`<bdi>${line.description}</bdi>`,
    SETUP_FEE: () => say('setupFee', { product }),
    PRORATION_CREDIT: () => say('unusedTime', { product }),
    PRORATION_CHARGE: () => say('remainingTime', { product }),
    BALANCE: () => say(line.amountMinor < 0n ? 'fromBalance' : 'leftAsBalance'),
  };
  return {
    label: names[line.kind](),
    value: formats.money(line.amountMinor + sumDiscounts([line]), line.currency),
    notes: describeFigures({ say, formats }, line),
    emphasis: line.kind === 'BALANCE' ? undefined : 'item',
  };
}

type Speech = Pick<PayTranslator, 'say' | 'formats'>;

function describeFigures(speech: Speech, { explanation, currency }: Line): Html[] {
  const figures = explanation as Figures;
  return [...describeUnits(speech, figures, currency), ...describeShare(speech, figures, currency)];
}

/** Describes units, packages or tiers; nothing for one unit at the amount of the line. */
function describeUnits({ say, formats }: Speech, figures: Figures, currency: string): Html[] {
  const { model, quantity = 1, unitAmount, packageSize, tiers } = figures;
  const count = formats.number(quantity);
  if (model === 'package') {
    const price = formats.unitAmount(unitAmount!, currency);
    return [say('packages', { count, size: formats.number(packageSize!), price })];
  }
  if (tiers) return tiers.map((tier) => describeTier({ say, formats }, tier, currency));
  if (quantity === 1) return [];
  return unitAmount === undefined
    ? [say('quantity', { count })]
    : [say('units', { count, price: formats.unitAmount(unitAmount, currency) })];
}

function describeTier({ say, formats }: Speech, tier: TierCharge, currency: string): Html {
  const price = formats.unitAmount(tier.unitAmount, currency);
  const units = say('units', { count: formats.number(tier.quantity), price });
  if (Number(tier.flatAmount) === 0) return units;
  return html`${units} ${say('flat', { amount: formats.unitAmount(tier.flatAmount, currency) })}`;
}

/** Describes the part of the period that a line is for. */
function describeShare({ say, formats }: Speech, figures: Figures, currency: string): Html[] {
  const { priceMinor, remainingMs, totalMs } = figures;
  if (priceMinor === undefined || remainingMs === undefined || remainingMs === totalMs) return [];
  const toDays = (ms: number) => formats.number(Math.round((ms / dayMs) * 10) / 10);
  const price = formats.money(BigInt(priceMinor), currency);
  return [say('share', { days: toDays(remainingMs), total: toDays(totalMs!), price })];
}

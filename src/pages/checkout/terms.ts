/** The terms of a payment in the payer's language. */
import { isPeriodLine, sumBalanceUsed } from '../../billing/payments/returns.ts';
import { html, type Html } from '../../lib/html.ts';
import { buildAddOnFeeLines, sumAddOnFees } from '../../billing/pricing/addOnFees.ts';
import { listDiscounts, sumDiscounts } from '../../billing/pricing/discounts.ts';
import {
  toInterval,
  buildPeriodLines,
  listItems,
  nameItem,
  sumItems,
  sumLines,
  type Line,
  type QuantityExplanation,
} from '../../billing/pricing/invoiceLines.ts';
import { applyTax, summarizeTaxes, sumTaxes } from '../../billing/pricing/tax.ts';
import { buildSetupFeeLine } from '../../billing/pricing/trials.ts';
import type { BillTax } from '../../storage/model/common.ts';
import type { IntentRow } from '../../billing/subscriptions/intents/intents.ts';
import type { PlanChangeQuote } from '../../billing/subscriptions/changes/planChanges.ts';
import type { FirstBill } from '../../billing/subscriptions/intents/firstBill.ts';
import { hasUsagePrice } from '../../billing/pricing/usageLines.ts';
import { startsWithoutMethod } from '../../billing/subscriptions/intents/startTrial.ts';
import type { SummaryRow } from '../shared/components.ts';
import { toGrantRows, type GrantPart } from '../shared/grantRows.ts';
import type { PayTranslator, TextKey } from './texts.ts';
import { describeUsageTerms } from './usageTerms.ts';
import type { TierCharge } from '../../billing/pricing/priceModel.ts';
import type { Explanation } from '../../billing/pricing/proration.ts';
import { dayMs } from '../../lib/durations.ts';

/** The terms of a payment as shown to the payer. */
export interface PaymentTerms {
  /** What the payer is about to do: `Subscribe to {product}`. */
  heading: TextKey;
  /** The price of a whole cycle: `€50.00 every month`. */
  price: Html;
  /** What differs from a charge today and then once in each cycle. */
  sentences: Html[];
  /** The lines of the charge, discounts, taxes and the use of the balance. */
  rows: SummaryRow[];
  /** The amount charged now. */
  due: string;
  /** The first date of the price, and the price; nothing if there is no later charge. */
  next?: { from: string; price: Html };
  /** Whether the amount is for parts of a period, which depend on the moment of the payment. */
  isProrated: boolean;
  /** The label of the button. */
  action: Html;
  /** The label of the button that starts a trial without a payment method, if it can. */
  freeAction?: Html;
}

/** The intent, its bill for a payment now, and the time zone of its dates. */
interface Order {
  intent: IntentRow;
  bill: FirstBill;
  timeZone: string;
}

/** What lowers a bill: the name of each discount by its id, and what each credit grant takes off. */
export interface Reductions {
  discountNames: ReadonlyMap<string, string>;
  grants: GrantPart[];
}

/** Describes the terms of an intent. */
export function describeTerms(
  translator: PayTranslator,
  order: Order,
  reductions: Reductions = { discountNames: new Map(), grants: [] },
): PaymentTerms {
  const { intent, bill } = order;
  const price = describePrice(translator, intent, bill.tax);
  const { sentences, from } = describeCourse(translator, order);
  return {
    heading: chooseHeading(bill),
    price,
    sentences: [...sentences, ...describeUsageTerms(translator, intent)],
    rows: describeRows(translator, order, reductions),
    due: translator.formats.money(bill.totalMinor, intent.currency),
    next:
      from === undefined || sumItems(intent) === 0n
        ? undefined
        : { from: translator.formats.day(from), price: noteDiscounts(translator, bill, price) },
    isProrated: bill.lines.some(({ kind }) => kind.startsWith('PRORATION')),
    action: describeAction(translator, intent, bill),
    freeAction: startsWithoutMethod(bill)
      ? translator.say(bill.change ? 'changePlanFree' : 'startTrialFree')
      : undefined,
  };
}

function chooseHeading({ change, trialEndsAt }: FirstBill): TextKey {
  if (change) return change.kind === 'unchanged' ? 'keep' : 'changeTo';
  return trialEndsAt ? 'tryProduct' : 'subscribe';
}

/** Lists the lines before discounts, each discount and credit grant, the taxes, and the part that the balance pays. */
function describeRows(
  translator: PayTranslator,
  { intent, bill }: Order,
  { discountNames, grants }: Reductions,
): SummaryRow[] {
  const describe = (line: Line) => describeLine(translator, intent, bill, line);
  const [balance, charges] = [true, false].map((isBalance) =>
    bill.lines.filter(({ kind }) => (kind === 'BALANCE') === isBalance),
  );
  const changes = [
    ...describeDiscounts(translator, charges!, discountNames),
    ...toGrantRows(translator.formats, grants, intent.currency),
    ...describeTaxes(translator, charges!, false),
  ];
  const subtotalMinor = charges!.reduce((sum, line) => sum + line.amountMinor, sumDiscounts(charges!));
  const subtotal = {
    label: translator.say('subtotal'),
    value: translator.formats.money(subtotalMinor, intent.currency),
  };
  return [
    ...charges!.map(describe),
    ...(changes.length > 0 ? [subtotal] : []),
    ...changes,
    ...describeTaxes(translator, charges!, true),
    ...balance!.map(describe),
  ];
}

/** Lists the taxes of lines that are on top of the prices, or those that the prices contain. */
function describeTaxes({ say, formats }: PayTranslator, lines: Line[], isIncluded: boolean): SummaryRow[] {
  const taxed = lines.filter(({ tax }) => tax && (tax.included ?? false) === isIncluded);
  const shown = (summarizeTaxes(taxed) ?? []).filter(
    ({ taxMinor, reason }) => taxMinor !== '0' || reason === 'reverse_charge',
  );
  return shown.map(({ percent, reason, taxMinor }) => ({
    label:
      reason === 'reverse_charge'
        ? say('reverseCharge')
        : say(isIncluded ? 'taxIncluded' : 'tax', { percent: formats.percent(percent) }),
    value: formats.money(BigInt(taxMinor), taxed[0]!.currency),
  }));
}

/** Lists what each discount takes off the lines, in the order of their use. */
function describeDiscounts(
  { say, formats }: PayTranslator,
  lines: Line[],
  names: ReadonlyMap<string, string>,
): SummaryRow[] {
  const sums = new Map<string, bigint>();
  for (const { discountId, amountMinor } of lines.flatMap(({ discounts }) => listDiscounts(discounts))) {
    sums.set(discountId, (sums.get(discountId) ?? 0n) + BigInt(amountMinor));
  }
  return [...sums].map(([id, amountMinor]) => {
    const name = names.get(id);
    return {
      label: name === undefined ? say('discount') : say('discountNamed', { name }),
      value: formats.money(-amountMinor, lines[0]!.currency),
    };
  });
}

function describeAction(
  { say, formats }: PayTranslator,
  intent: IntentRow,
  { totalMinor, change, lines, trialEndsAt }: FirstBill,
): Html {
  const { currency } = intent;
  if (totalMinor > 0n) return say('pay', { amount: formats.money(totalMinor, currency) });
  if (change) return say(change.kind === 'unchanged' ? 'keepPlan' : 'changePlan');
  if (sumBalanceUsed(lines) > 0n) return say('payWithBalance');
  if (trialEndsAt) return say('startTrial');
  return say(lines.length > 0 && !hasUsagePrice(intent) ? 'startForFree' : 'subscribeNow');
}

/** Formats the price of an intent with its tax: `€50.00 every month`, or `Free`. */
function describePrice(
  { say, sayCount, texts, formats }: PayTranslator,
  intent: IntentRow,
  tax: BillTax | null,
): Html {
  if (sumItems(intent) === 0n) return say(hasUsagePrice(intent) ? 'byUsage' : 'free');
  const items = listItems(intent).map((item) => ({ amountMinor: item.amountMinor, ...nameItem(item) }));
  const taxed = applyTax(items, tax);
  const { frequency, period } = toInterval(intent);
  const amount = formats.money(sumLines(taxed.lines), intent.currency);
  const price = html`<strong><bdi>${amount}</bdi></strong>`;
  const every = sayCount(texts.every[frequency], period, { price, count: formats.number(period) });
  return sumTaxes(taxed.taxes) === 0n ? every : html`${every} <small>${say('includingTax')}</small>`;
}

/** Notes that the price is that before discounts, which may end. */
const noteDiscounts = ({ say }: PayTranslator, { lines }: FirstBill, price: Html): Html =>
  sumDiscounts(lines) === 0n ? price : html`${price} <small>${say('beforeDiscounts')}</small>`;

/** What happens when: the sentences, and the instant from which the price is charged in each cycle. */
interface Course {
  sentences: Html[];
  from?: string;
}

function describeCourse(translator: PayTranslator, order: Order): Course {
  const { intent, bill, timeZone } = order;
  if (bill.change) return describeChange(translator, bill, bill.change);
  if (bill.trialEndsAt) return describeTrial(translator, order, bill.trialEndsAt);
  const periods = bill.lines.filter(isPeriodLine);
  if (periods.length > 0) return describeStart(translator, periods);
  const { say, formats } = translator;
  const later = describeStart(
    translator,
    billPeriod(intent, bill.tax, intent.startDate!, timeZone),
    intent.startDate!,
  );
  const starts = say('startsOn', { date: formats.day(intent.startDate!) });
  return { ...later, sentences: [starts, ...later.sentences, ...describeLaterFee(translator, order)] };
}

function describeChange(
  { say, formats }: PayTranslator,
  { trialEndsAt }: FirstBill,
  { kind, effectiveAt, nextBillingDate }: PlanChangeQuote,
): Course {
  if (kind === 'unchanged') return { sentences: [say('keepsPlan')] };
  if (kind === 'downgrade')
    return { sentences: [say('changesLater', { date: formats.day(effectiveAt) })], from: effectiveAt };
  const sentence = trialEndsAt
    ? say('trialContinues', { date: formats.day(trialEndsAt) })
    : say('changesNow');
  return { sentences: [sentence], from: nextBillingDate };
}

/** Describes a trial and the first charge after it. */
function describeTrial(translator: PayTranslator, order: Order, trialEndsAt: string): Course {
  const { say, formats } = translator;
  const { intent, bill, timeZone } = order;
  const end = formats.day(trialEndsAt);
  const trial = intent.startDate
    ? say('trialBetween', { start: formats.day(intent.startDate), end })
    : say('trialUntil', { end });
  const periods = billPeriod(intent, bill.tax, trialEndsAt, timeZone);
  const after = describeStart(translator, periods, trialEndsAt);
  return { ...after, sentences: [trial, ...after.sentences, ...describeLaterFee(translator, order)] };
}

/** Computes the lines of a first period that is billed later, with the function that will bill it. */
const billPeriod = (intent: IntentRow, tax: BillTax | null, start: string, timeZone: string): Line[] =>
  applyTax(buildPeriodLines(intent, intent.executionDate, start, timeZone).lines, tax).lines;

/** Describes the first period, which is a part of a cycle if the schedule has an earlier date. `at` is null for today. */
function describeStart({ say, formats }: PayTranslator, periods: Line[], at?: string): Course {
  const [first] = periods as [Line, ...Line[]];
  const isFree = periods.every(({ amountMinor }) => amountMinor === 0n);
  if (first.kind !== 'STUB' || isFree) return { sentences: [], from: at ?? first.periodEnd };
  const amount = formats.money(sumLines(periods), first.currency);
  const end = formats.lastDay(first.periodStart, first.periodEnd);
  const part =
    at === undefined
      ? say('partToday', { amount, end })
      : say('partLater', { amount, end, date: formats.day(at) });
  return { sentences: [part], from: first.periodEnd };
}

/** The set-up fee of a subscription that starts later, which its first invoice charges; nothing if it is charged now. */
function describeLaterFee({ say, formats }: PayTranslator, { intent, bill }: Order): Html[] {
  const { setupFeeMinor, addOns, currency, startDate } = intent;
  const hasFee = setupFeeMinor !== null || sumAddOnFees(addOns) > 0n;
  if (!hasFee || bill.lines.length > 0) return [];
  const period = { start: startDate!, end: startDate! };
  const main = setupFeeMinor === null ? [] : [buildSetupFeeLine(intent, setupFeeMinor, period)];
  const fees = applyTax([...main, ...buildAddOnFeeLines(intent, period)], bill.tax);
  return [say('laterFee', { amount: formats.money(sumLines(fees.lines), currency) })];
}

type Figures = Partial<Explanation> & QuantityExplanation;

/** Describes a line before discounts. */
function describeLine(
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
    USAGE: () => html`${product}`,
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

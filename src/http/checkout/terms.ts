import { isPeriodLine, sumBalanceUsed } from '../../invoicing/returns.ts';
import { buildAddOnFeeLines, sumAddOnFees } from '../../pricing/addOnFees.ts';
import { sumDiscounts } from '../../pricing/discounts.ts';
import {
  toInterval,
  buildPeriodLines,
  listItems,
  nameItem,
  sumItems,
  sumLines,
  type Line,
} from '../../pricing/invoiceLines.ts';
import { applyTax, summarizeTaxes, sumTaxes } from '../../pricing/tax.ts';
import { buildSetupFeeLine } from '../../pricing/trials.ts';
import type { BillTax } from '../../storage/model/common.ts';
import { describeInterval } from '../../pricing/schedule.ts';
import { formatMoney, formatUnitAmount } from '../../lib/money.ts';
import type { IntentRow } from '../../subscriptions/intents.ts';
import type { PlanChangeQuote } from '../../subscriptions/planChanges.ts';
import type { FirstBill } from '../../subscriptions/firstBill.ts';
import { startsWithoutMethod } from '../../subscriptions/startTrial.ts';

/** The terms of a payment as shown to the payer. */
export interface PaymentTerms {
  /** The action that follows "you are about to": `subscribe to`. */
  purpose: string;
  /** The price and the first charge: `50.00 AFN every month, first charge today`. */
  schedule: string;
  /** The lines of the charge and its discounts, if there is more than one. */
  parts: { label: string; amount: string }[];
  /** The amount charged now. */
  charge: string;
  /** The date of the next charge, if any. */
  next?: string;
  /** The label of the button. */
  action: string;
  /** The label of the button that starts a trial without a payment method, if it can. */
  freeAction?: string;
}

/**
 * Describes the terms of an intent. `bill` was computed for a payment now; dates are in `timeZone`; `discountNames` has
 * the name of each discount by its id.
 */
export function describeTerms(
  intent: IntentRow,
  bill: FirstBill,
  timeZone: string,
  discountNames: ReadonlyMap<string, string> = new Map(),
): PaymentTerms {
  const { change, lines, trialEndsAt } = bill;
  const parts = describeParts(lines, discountNames);
  const charge = bill.totalMinor === 0n ? 'Nothing' : formatMoney(bill.totalMinor, intent.currency);
  const purpose = change ? describePurpose(change) : 'subscribe to';
  const action = describeAction(intent, bill);
  const freeAction = startsWithoutMethod(bill) ? `${action} without a payment method` : undefined;
  const common = { purpose, parts, charge, action, freeAction };
  const day = createDayFormatter(timeZone);
  if (change) return { ...common, ...describeChange(intent, bill, change, day) };
  if (trialEndsAt) return { ...common, ...describeTrial(intent, bill, trialEndsAt, timeZone) };
  const periods = lines.filter(isPeriodLine);
  const [first] = periods;
  if (!first)
    return {
      ...common,
      schedule: describeLaterSchedule(intent, bill.tax, timeZone, day) + describeLaterFee(intent, bill),
    };
  const next = sumItems(intent) === 0n ? undefined : day(first.periodEnd);
  return { ...common, schedule: describeSchedule(intent, bill.tax, periods, 'today', day), next };
}

const describePurpose = ({ kind }: PlanChangeQuote) =>
  kind === 'unchanged' ? 'keep' : 'change your plan to';

/** Lists the lines before discounts, each discount, the taxes, and the part that the balance pays. */
function describeParts(lines: Line[], names: ReadonlyMap<string, string>): PaymentTerms['parts'] {
  const discountMinor = sumDiscounts(lines);
  const taxes = describeTaxes(lines);
  // A fee alone is the whole charge of a trial, which should not look like its price.
  const isFee = lines.some(({ kind }) => kind === 'SETUP_FEE');
  if (lines.length <= 1 && discountMinor === 0n && taxes.length === 0 && !isFee) return [];
  const describeLine = (line: Line) =>
    describePart(line.description, line.amountMinor + sumDiscounts([line]), line.currency);
  return [
    ...lines.filter(({ kind }) => kind !== 'BALANCE').map(describeLine),
    ...describeDiscounts(lines, names),
    ...taxes,
    ...lines.filter(({ kind }) => kind === 'BALANCE').map(describeLine),
  ];
}

/** Lists the taxes of lines: those on top of the prices, and those that the prices contain. */
function describeTaxes(lines: Line[]): PaymentTerms['parts'] {
  const [onTop, included] = [false, true].map((isIncluded) =>
    lines.filter(({ tax }) => tax && (tax.included ?? false) === isIncluded),
  );
  return [...describeTotals(onTop!, 'Tax'), ...describeTotals(included!, 'Included tax')];
}

function describeTotals(taxed: Line[], label: string): PaymentTerms['parts'] {
  const shown = (summarizeTaxes(taxed) ?? []).filter(
    ({ taxMinor, reason }) => taxMinor !== '0' || reason === 'reverse_charge',
  );
  return shown.map(({ percent, reason, taxMinor }) => {
    const rate = reason === 'reverse_charge' ? 'reverse charge' : `${percent}%`;
    return describePart(`${label} (${rate})`, BigInt(taxMinor), taxed[0]!.currency);
  });
}

/** Lists what each discount takes off the lines, in the order of their use. */
function describeDiscounts(lines: Line[], names: ReadonlyMap<string, string>): PaymentTerms['parts'] {
  const sums = new Map<string, bigint>();
  for (const { discountId, amountMinor } of lines.flatMap(({ discounts }) => discounts ?? [])) {
    sums.set(discountId, (sums.get(discountId) ?? 0n) + BigInt(amountMinor));
  }
  return [...sums].map(([id, amountMinor]) => {
    const name = names.get(id);
    const label = name === undefined ? 'Discount' : `Discount: ${name}`;
    return describePart(label, -amountMinor, lines[0]!.currency);
  });
}

const describePart = (label: string, amountMinor: bigint, currency: string) => ({
  label,
  amount: formatMoney(amountMinor, currency).replace('-', '−'),
});

type Day = (instant: string) => string;

/** Returns a function that formats an instant as a date in a time zone: `1 March 2026`. */
export function createDayFormatter(timeZone: string): Day {
  const form = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone });
  return (instant) => form.format(new Date(instant));
}

function describeAction(
  { currency }: IntentRow,
  { totalMinor, change, lines, trialEndsAt }: FirstBill,
): string {
  if (totalMinor > 0n) return `Pay ${formatMoney(totalMinor, currency)}`;
  if (change) return change.kind === 'unchanged' ? 'Keep plan' : 'Change plan';
  if (sumBalanceUsed(lines) > 0n) return 'Pay with your balance';
  if (trialEndsAt) return 'Start trial';
  return lines.length > 0 ? 'Start for free' : 'Subscribe';
}

/** Formats the price of an intent with its tax: `50.00 AFN every month`, or `Free`. */
function describePrice(intent: IntentRow, tax: BillTax | null): string {
  const units = intent.addOns === null ? describeUnits(intent) : ' with add-ons';
  if (sumItems(intent) === 0n) return `Free${units}`;
  const items = listItems(intent).map((item) => ({ amountMinor: item.amountMinor, ...nameItem(item) }));
  const taxed = applyTax(items, tax);
  const withTax = sumTaxes(taxed.taxes) === 0n ? '' : ' including tax';
  const price = formatMoney(sumLines(taxed.lines), intent.currency);
  return `${price} ${describeInterval(toInterval(intent))}${withTax}${units}`;
}

/** The quantity that a whole cycle is for; nothing for one unit. */
function describeUnits({ quantity, pricing, currency }: IntentRow): string {
  if (quantity === null || quantity === 1) return '';
  return pricing?.model === 'per_unit'
    ? ` (${quantity} × ${formatUnitAmount(pricing.unitAmount, currency)})`
    : ` (quantity ${quantity})`;
}

function describeChange(
  intent: IntentRow,
  { tax, trialEndsAt }: FirstBill,
  change: PlanChangeQuote,
  day: Day,
) {
  const price = describePrice(intent, tax);
  if (change.kind === 'unchanged') {
    return { schedule: 'You keep your current plan; the scheduled change is cancelled' };
  }
  if (change.kind === 'downgrade') {
    const schedule = `${price} from ${day(change.effectiveAt)}; you keep your current plan until then`;
    return { schedule };
  }
  const next = sumItems(intent) === 0n ? undefined : day(change.nextBillingDate);
  if (trialEndsAt) return { schedule: `Your trial continues until ${day(trialEndsAt)}, then ${price}`, next };
  return { schedule: `${price}, from today`, next };
}

/** Describes a trial and the first charge after it, with the function that bills it. */
function describeTrial(intent: IntentRow, bill: FirstBill, trialEndsAt: string, timeZone: string) {
  const day = createDayFormatter(timeZone);
  const from = intent.startDate ? ` from ${day(intent.startDate)}` : '';
  const later = buildPeriodLines(intent, intent.executionDate, trialEndsAt, timeZone);
  const { lines } = applyTax(later.lines, bill.tax);
  const after = describeSchedule(intent, bill.tax, lines, `on ${day(trialEndsAt)}`, day);
  const schedule = `Free trial${from} until ${day(trialEndsAt)}, then ${after}${describeLaterFee(intent, bill)}`;
  return { schedule, next: sumItems(intent) === 0n ? undefined : day(trialEndsAt) };
}

/** The set-up fee of a subscription that starts later, which its first invoice charges; nothing if it is charged now. */
function describeLaterFee(intent: IntentRow, { lines, tax }: FirstBill): string {
  const { setupFeeMinor, addOns, currency, startDate } = intent;
  const hasFee = setupFeeMinor !== null || sumAddOnFees(addOns) > 0n;
  if (!hasFee || lines.length > 0) return '';
  const period = { start: startDate!, end: startDate! };
  const main = setupFeeMinor === null ? [] : [buildSetupFeeLine(intent, setupFeeMinor, period)];
  const fees = applyTax([...main, ...buildAddOnFeeLines(intent, period)], tax);
  return `, with a set-up fee of ${formatMoney(sumLines(fees.lines), currency)}`;
}

/** Describes a subscription that starts later. It uses the function that bills the first period on that date. */
function describeLaterSchedule(intent: IntentRow, tax: BillTax | null, timeZone: string, day: Day): string {
  const start = intent.startDate!;
  const later = buildPeriodLines(intent, intent.executionDate, start, timeZone);
  const { lines } = applyTax(later.lines, tax);
  return describeSchedule(intent, tax, lines, `on ${day(start)}`, day);
}

function describeSchedule(
  intent: IntentRow,
  tax: BillTax | null,
  lines: Line[],
  when: string,
  day: Day,
): string {
  const price = describePrice(intent, tax);
  const items = lines.filter(({ kind }) => kind === 'CYCLE' || kind === 'STUB');
  const [first] = items;
  if (sumItems(intent) === 0n) return when === 'today' ? price : `${price}, starting ${when}`;
  if (first?.kind !== 'STUB') return `${price}, first charge ${when}`;
  const stub = formatMoney(sumLines(items), first.currency);
  return `${price} from ${day(first.periodEnd)}, and ${stub} ${when} for the time until then`;
}

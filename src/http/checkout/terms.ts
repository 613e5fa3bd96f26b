import { isPeriodLine, sumBalanceUsed } from '../../invoicing/returns.ts';
import { sumAddOnFees } from '../../pricing/addOnFees.ts';
import { sumDiscounts } from '../../pricing/discounts.ts';
import { toInterval, buildPeriodLines, sumItems, sumLines, type Line } from '../../pricing/invoiceLines.ts';
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
  if (change) return { ...common, ...describeChange(intent, change, trialEndsAt, day) };
  if (trialEndsAt) return { ...common, ...describeTrial(intent, bill, trialEndsAt, timeZone) };
  const periods = lines.filter(isPeriodLine);
  const [first] = periods;
  if (!first)
    return {
      ...common,
      schedule: describeLaterSchedule(intent, timeZone, day) + describeLaterFee(intent, bill),
    };
  const next = sumItems(intent) === 0n ? undefined : day(first.periodEnd);
  return { ...common, schedule: describeSchedule(intent, periods, 'today', day), next };
}

const describePurpose = ({ kind }: PlanChangeQuote) =>
  kind === 'unchanged' ? 'keep' : 'change your plan to';

/** Lists the lines before discounts, then each discount. */
function describeParts(lines: Line[], names: ReadonlyMap<string, string>): PaymentTerms['parts'] {
  const discountMinor = sumDiscounts(lines);
  // A fee alone is the whole charge of a trial, which should not look like its price.
  const isFee = lines.some(({ kind }) => kind === 'SETUP_FEE');
  if (lines.length <= 1 && discountMinor === 0n && !isFee) return [];
  const gross = lines.map((line) =>
    describePart(line.description, line.amountMinor + sumDiscounts([line]), line.currency),
  );
  const discounts = sumByDiscount(lines).map(([id, amountMinor]) => {
    const name = names.get(id);
    return describePart(
      name === undefined ? 'Discount' : `Discount: ${name}`,
      -amountMinor,
      lines[0]!.currency,
    );
  });
  return [...gross, ...discounts];
}

/** Sums what each discount takes off the lines, in the order of their use. */
function sumByDiscount(lines: Line[]): [id: string, amountMinor: bigint][] {
  const sums = new Map<string, bigint>();
  for (const { discountId, amountMinor } of lines.flatMap(({ discounts }) => discounts ?? [])) {
    sums.set(discountId, (sums.get(discountId) ?? 0n) + BigInt(amountMinor));
  }
  return [...sums];
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

/** Formats the price of an intent: `50.00 AFN every month`, or `Free`. */
function describePrice(intent: IntentRow): string {
  const units = intent.addOns === null ? describeUnits(intent) : ' with add-ons';
  const amountMinor = sumItems(intent);
  if (amountMinor === 0n) return `Free${units}`;
  return `${formatMoney(amountMinor, intent.currency)} ${describeInterval(toInterval(intent))}${units}`;
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
  change: PlanChangeQuote,
  trialEndsAt: string | undefined,
  day: Day,
) {
  const price = describePrice(intent);
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
  const { lines } = buildPeriodLines(intent, intent.executionDate, trialEndsAt, timeZone);
  const after = describeSchedule(intent, lines, `on ${day(trialEndsAt)}`, day);
  const schedule = `Free trial${from} until ${day(trialEndsAt)}, then ${after}${describeLaterFee(intent, bill)}`;
  return { schedule, next: sumItems(intent) === 0n ? undefined : day(trialEndsAt) };
}

/** The set-up fee of a subscription that starts later, which its first invoice charges; nothing if it is charged now. */
function describeLaterFee({ setupFeeMinor, addOns, currency }: IntentRow, { lines }: FirstBill): string {
  const feesMinor = (setupFeeMinor ?? 0n) + sumAddOnFees(addOns);
  if (feesMinor === 0n || lines.length > 0) return '';
  return `, with a set-up fee of ${formatMoney(feesMinor, currency)}`;
}

/** Describes a subscription that starts later. It uses the function that bills the first period on that date. */
function describeLaterSchedule(intent: IntentRow, timeZone: string, day: Day): string {
  const start = intent.startDate!;
  const { lines } = buildPeriodLines(intent, intent.executionDate, start, timeZone);
  return describeSchedule(intent, lines, `on ${day(start)}`, day);
}

function describeSchedule(intent: IntentRow, lines: Line[], when: string, day: Day): string {
  const price = describePrice(intent);
  const items = lines.filter(({ kind }) => kind === 'CYCLE' || kind === 'STUB');
  const [first] = items;
  if (sumItems(intent) === 0n) return when === 'today' ? price : `${price}, starting ${when}`;
  if (first?.kind !== 'STUB') return `${price}, first charge ${when}`;
  const stub = formatMoney(sumLines(items), first.currency);
  return `${price} from ${day(first.periodEnd)}, and ${stub} ${when} for the time until then`;
}

/** The arithmetic behind an amount, step by step, from the figures that the schema gives with each line. */
import { dayMs } from '../data/periods.ts';

/** As the schema has amounts. */
interface Amount {
  decimal: string;
  currency: string;
}

/** The parts of `InvoiceLine` that explain its amount. */
export interface ExplainedLine {
  kind: string;
  amount: Amount;
  discounts: { amount: Amount }[];
  explanation: Record<string, unknown>;
  tax: { amount: Amount; included: boolean; percent: string } | null;
}

interface TierFigures {
  upTo: string | null;
  quantity: string;
  unitAmount: string;
  flatAmount: string;
  amount: string;
}

/** The figures of `InvoiceLine.explanation`. */
interface Figures {
  priceMinor?: string;
  remainingMs?: number;
  totalMs?: number;
  paidMinor?: string;
  givenBackMinor?: string;
  model?: string;
  quantity?: number;
  unitAmount?: string;
  packageSize?: number;
  tiers?: TierFigures[];
  part?: 'usage' | 'minimum' | 'late' | 'interim' | 'commitment' | 'overage';
  committedMinor?: string;
  usedMinor?: string;
  overageFactor?: string;
  billedMinor?: string;
  usage?: string;
  rates?: { unitAmount: string; quantity: string; amount: string }[];
}

/** One step of the arithmetic: what is computed, and the amount so far or that it adds. */
export type Step =
  | { kind: 'balance' | 'fullPrice' | 'setupFee' | 'minimum' | 'amount' | 'total'; amount: Amount }
  | { kind: 'used' | 'usedLate'; count: string; amount: Amount }
  | { kind: 'commitment'; used: Amount; committed: Amount; amount: Amount }
  | { kind: 'overage'; used: Amount; committed: Amount; factor: string; amount: Amount }
  | { kind: 'units'; count: number; price: Amount; amount: Amount }
  | { kind: 'packages'; count: number; packages: number; size: number; price: Amount; amount: Amount }
  | {
      kind: 'tier';
      from: string;
      to: string | null;
      count: string;
      price: Amount;
      flat?: Amount;
      amount: Amount;
    }
  | { kind: 'share'; days: number; ofDays: number; amount: Amount }
  | { kind: 'notGivenBack'; rest: Amount; paid: Amount; amount: Amount }
  | { kind: 'discount'; amount: Amount }
  | { kind: 'tax' | 'taxIncluded'; percent: string; amount: Amount };

/** Returns the steps that lead to the amount of a line with its tax. */
export function explainLine(line: ExplainedLine): Step[] {
  const { kind, amount, discounts, tax } = line;
  if (kind === 'balance') return [{ kind: 'balance', amount }];
  const taken = discounts.map(({ amount: off }): Step => ({ kind: 'discount', amount: negate(off) }));
  const price = explainPrice(line);
  const share = explainShare(line);
  const isOneStep = price.length + share.length + taken.length === 1;
  return [
    ...price,
    ...share,
    ...taken,
    ...(isOneStep ? [] : [{ kind: 'amount', amount } as const]),
    ...(tax ? explainTax(amount, tax) : []),
  ];
}

/** The price of a full period, or of the units of a one-off charge. */
function explainPrice(line: ExplainedLine): Step[] {
  const { currency } = line.amount;
  const digits = countDigits(line.amount.decimal);
  const { priceMinor, model, quantity = 1, unitAmount, packageSize = 1, tiers } = line.explanation as Figures;
  const toAmount = (decimal: string): Amount => ({ decimal: padDecimal(decimal, digits), currency });
  const full: Amount =
    priceMinor === undefined ? addDiscounts(line) : fromMinor(BigInt(priceMinor), line.amount);
  if (line.kind === 'setup_fee') return [{ kind: 'setupFee', amount: full }];
  if (line.kind === 'usage') return explainUsage(line, full, toAmount);
  if (tiers) {
    const steps = explainTiers(tiers, model, toAmount);
    return steps.length === 1 ? steps : [...steps, { kind: 'fullPrice', amount: full }];
  }
  if (unitAmount === undefined) return [{ kind: 'fullPrice', amount: full }];
  const price = toAmount(unitAmount);
  if (model !== 'package') return [{ kind: 'units', count: quantity, price, amount: full }];
  const packages = Math.ceil(quantity / packageSize);
  return [{ kind: 'packages', count: quantity, packages, size: packageSize, price, amount: full }];
}

type ToAmount = (decimal: string) => Amount;

const explainTiers = (tiers: TierFigures[], model: string | undefined, toAmount: ToAmount): Step[] =>
  tiers.map((tier, index): Step => {
    const flat = Number(tier.flatAmount) === 0 ? {} : { flat: toAmount(tier.flatAmount) };
    const from = model === 'volume' ? '1' : String(BigInt(tiers[index - 1]?.upTo ?? 0) + 1n);
    const { quantity: count, upTo: to } = tier;
    const price = toAmount(tier.unitAmount);
    return { kind: 'tier', from, to, count, price, ...flat, amount: toAmount(tier.amount) };
  });

/** The tiers or rates of usage, or the number of units alone. What came late is what all units cost beyond what was billed. */
function explainUsage(
  { amount: like, explanation }: ExplainedLine,
  full: Amount,
  toAmount: ToAmount,
): Step[] {
  const { part, model, usage = '0', tiers, rates, billedMinor } = explanation as Figures;
  if (part === 'minimum') return [{ kind: 'minimum', amount: full }];
  if (part === 'commitment' || part === 'overage') {
    const { committedMinor = '0', usedMinor = '0', overageFactor: factor = '1' } = explanation as Figures;
    const [used, committed] = [usedMinor, committedMinor].map((minor) => fromMinor(BigInt(minor), like));
    const figures = { used: used!, committed: committed!, amount: full };
    return part === 'commitment' ? [{ kind: part, ...figures }] : [{ kind: part, factor, ...figures }];
  }
  if (part === 'late' || billedMinor !== undefined) return [{ kind: 'usedLate', count: usage, amount: full }];
  if (tiers) return explainTiers(tiers, model, toAmount);
  if (!rates) return [{ kind: 'used', count: usage, amount: full }];
  return rates.map(({ quantity, unitAmount, amount }) => ({
    kind: 'units',
    count: Number(quantity),
    price: toAmount(unitAmount),
    amount: toAmount(amount),
  }));
}

/** The part of the period that a line is for, and on a credit the part that was not given back before. */
function explainShare({ kind, amount, explanation }: ExplainedLine): Step[] {
  const { priceMinor, remainingMs, totalMs, paidMinor, givenBackMinor = '0' } = explanation as Figures;
  if (priceMinor === undefined || remainingMs === undefined || totalMs === undefined) return [];
  const sign = kind === 'proration_credit' ? -1n : 1n;
  const part = BigInt(priceMinor) * BigInt(remainingMs);
  const steps: Step[] = [];
  if (remainingMs !== totalMs || sign < 0n) {
    const value = sign * divideHalfUp(part, BigInt(totalMs));
    steps.push({
      kind: 'share',
      days: toDays(remainingMs),
      ofDays: toDays(totalMs),
      amount: fromMinor(value, amount),
    });
  }
  if (paidMinor !== undefined && givenBackMinor !== '0') {
    const [paid, rest] = [BigInt(paidMinor), BigInt(paidMinor) - BigInt(givenBackMinor)];
    const value = rest > 0n ? sign * divideHalfUp(part * rest, BigInt(totalMs) * paid) : 0n;
    const figures = { rest: fromMinor(rest, amount), paid: fromMinor(paid, amount) };
    steps.push({ kind: 'notGivenBack', ...figures, amount: fromMinor(value, amount) });
  }
  return steps;
}

function explainTax(
  amount: Amount,
  { amount: tax, included, percent }: NonNullable<ExplainedLine['tax']>,
): Step[] {
  if (included) return [{ kind: 'taxIncluded', percent, amount: tax }];
  return [
    { kind: 'tax', percent, amount: tax },
    { kind: 'total', amount: fromMinor(toMinor(amount) + toMinor(tax), amount) },
  ];
}

const addDiscounts = ({ amount, discounts }: ExplainedLine): Amount =>
  fromMinor(
    discounts.reduce((sum, discount) => sum + toMinor(discount.amount), toMinor(amount)),
    amount,
  );

const toDays = (ms: number): number => Math.round((ms / dayMs) * 10) / 10;
const countDigits = (decimal: string): number => decimal.split('.')[1]?.length ?? 0;
const divideHalfUp = (value: bigint, by: bigint): bigint => (2n * value + by) / (2n * by);

/** Writes a decimal with at least the decimals of the currency: 12 as 12.00. */
function padDecimal(decimal: string, digits: number): string {
  const [whole, fraction = ''] = decimal.split('.');
  return digits === 0 && fraction === '' ? whole! : `${whole}.${fraction.padEnd(digits, '0')}`;
}

/** Returns the minor units of an amount of the schema. */
export const toMinor = ({ decimal }: Amount): bigint => BigInt(decimal.replace('.', ''));

/** Returns minor units as an amount with the currency and the decimals of another. */
export function fromMinor(minor: bigint, { decimal, currency }: Amount): Amount {
  const digits = countDigits(decimal);
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const value = digits === 0 ? whole : `${whole}.${text.slice(-digits)}`;
  return { decimal: minor < 0n ? `-${value}` : value, currency };
}

/** Returns an amount with the other sign. */
export const negate = (amount: Amount): Amount => fromMinor(-toMinor(amount), amount);

/** Whether an amount is more than nothing. */
export const isPositive = (amount: Amount): boolean => toMinor(amount) > 0n;

/** Returns the sum of amounts in one currency; there is at least one. */
export const sumAmounts = (amounts: Amount[]): Amount =>
  fromMinor(
    amounts.reduce((sum, amount) => sum + toMinor(amount), 0n),
    amounts[0]!,
  );

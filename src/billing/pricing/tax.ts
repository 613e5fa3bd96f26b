/**
 * The tax of a bill, as EN 16931 computes it (BR-CO-14, BR-CO-17): for each category and rate on the sum of its lines
 * after discounts, rounded half away from zero once. All bills and previews call this function.
 */
import { orderByRemainder } from './largestRemainder.ts';
import { readDecimal } from '../../lib/decimal.ts';
import { convertMinor } from '../../lib/euroRates.ts';
import { divideRoundHalfUp } from '../../lib/money.ts';
import type {
  BillTax,
  LineTax,
  OwnTaxTerms,
  ProductKind,
  TaxTerms,
  TaxTotal,
} from '../../storage/model/common.ts';

/** What tax reads of a line, and writes to it. */
interface Taxable {
  /** In minor units, after discounts; with the tax if `taxBehavior` is inclusive. */
  amountMinor: bigint;
  productId?: string;
  productKind?: ProductKind | null;
  taxBehavior?: 'exclusive' | 'inclusive' | null;
  kind?: string;
  currency?: string;
  /** The terms of the line itself, such as those of the line that it credits; null for an untaxed line. */
  taxTerms?: OwnTaxTerms | null;
  tax?: LineTax | null | undefined;
}

/**
 * Adds the tax to the lines of a bill. `tax` is undefined if the seller charges none; then only lines with terms of their
 * own are taxed. Lines show their share of the tax by largest remainder, of equal ones the later; credits keep the tax
 * that they have, and the other lines share the rest. Returns null as `taxes` if no line is taxed.
 */
export function applyTax<L extends Taxable>(
  lines: L[],
  tax: BillTax | null | undefined,
): { lines: L[]; taxes: TaxTotal[] | null } {
  const taxed = taxLines(lines, tax);
  const isBeyond = tax?.beyond && sumBelowThreshold(taxed, tax.beyond.rate) > BigInt(tax.beyond.roomMinor);
  const final = isBeyond ? taxLines(lines, tax.beyond) : taxed;
  return { lines: final, taxes: summarizeTaxes(final) };
}

function taxLines<L extends Taxable>(lines: L[], tax: BillTax | null | undefined): L[] {
  const groups = tax || lines.some(({ taxTerms }) => taxTerms) ? groupByTerms(lines, tax) : [];
  if (groups.length === 0) return lines;
  const taxByLine = new Map<L, LineTax>();
  for (const group of groups) {
    const shares = computeShares(
      group.map(({ line }) => line),
      group[0]!.terms,
    );
    group.forEach(({ line, terms }, nth) => taxByLine.set(line, buildLineTax(line, terms, shares[nth]!)));
  }
  return lines.map((line) => (taxByLine.has(line) ? { ...line, tax: taxByLine.get(line) } : line));
}

/** Sums what a bill sells below the threshold, without tax, in cents of a euro; 0 in another currency without a rate. */
function sumBelowThreshold(lines: Taxable[], rate: string | undefined): bigint {
  const counted = lines.filter(({ tax }) => tax?.belowThreshold);
  const currency = counted[0]?.currency;
  if (currency === undefined) return 0n;
  const net = sum(counted.map(computeNet));
  if (currency === 'eur') return net;
  return rate === undefined ? 0n : convertMinor(net, { from: currency, to: 'eur' }, { [currency]: rate });
}

/** Sums the tax of taxed lines by category, rate, reason and country, in the order of their first lines; null if none is taxed. */
export function summarizeTaxes(lines: Taxed[]): TaxTotal[] | null {
  if (!lines.some(({ tax }) => tax)) return null;
  const totals = new Map<string, { terms: TaxTerms; taxableMinor: bigint; taxMinor: bigint }>();
  for (const line of lines) {
    if (!line.tax) continue;
    const terms = pickTerms(line.tax);
    const key = buildTotalKey(terms);
    const total = totals.get(key) ?? { terms, taxableMinor: 0n, taxMinor: 0n };
    total.taxableMinor += computeNet(line);
    total.taxMinor += BigInt(line.tax.taxMinor);
    totals.set(key, total);
  }
  return [...totals.values()].map(({ terms, taxableMinor, taxMinor }) => ({
    ...terms,
    taxableMinor: String(taxableMinor),
    taxMinor: String(taxMinor),
  }));
}

/**
 * Joins the totals that differ only in what a reader does not ask for: whether they are below the threshold, and for documents
 * also their country, which e-invoices do not know.
 */
export function joinTotals(taxes: TaxTotal[], { byCountry }: { byCountry: boolean }): TaxTotal[] {
  if (!taxes.some(({ belowThreshold, country }) => belowThreshold || country)) return taxes;
  const joined = new Map<string, TaxTotal>();
  for (const { belowThreshold: _, country, ...tax } of taxes) {
    const terms = byCountry && country !== undefined ? { ...tax, country } : tax;
    const key = buildTotalKey(terms);
    const { taxableMinor = '0', taxMinor = '0' } = joined.get(key) ?? {};
    joined.set(key, {
      ...terms,
      taxableMinor: String(BigInt(taxableMinor) + BigInt(tax.taxableMinor)),
      taxMinor: String(BigInt(taxMinor) + BigInt(tax.taxMinor)),
    });
  }
  return [...joined.values()];
}

/** Returns the terms of a tax without its amount. */
export const pickTerms = ({ category, percent, reason, country, belowThreshold }: TaxTerms): TaxTerms => ({
  category,
  percent,
  ...(reason !== undefined && { reason }),
  ...(country !== undefined && { country }),
  ...(belowThreshold && { belowThreshold }),
});

/** Names what is rounded together: a rate, in whichever country (BR-CO-17). */
const buildKey = ({ category, percent, reason }: TaxTerms) => `${category} ${percent} ${reason ?? ''}`;

/** Names what is summed together. */
const buildTotalKey = (terms: TaxTerms) =>
  `${buildKey(terms)} ${terms.country ?? ''} ${terms.belowThreshold ?? ''}`;

/** Groups the taxed lines by category, rate and reason, in the order of their first lines. */
function groupByTerms<L extends Taxable>(
  lines: L[],
  tax: BillTax | null | undefined,
): { line: L; terms: TaxTerms }[][] {
  const groups = new Map<string, { line: L; terms: TaxTerms }[]>();
  for (const line of lines) {
    const terms = findTerms(line, tax);
    if (!terms) continue;
    const key = buildKey(terms);
    const member = { line, terms: pickTerms(terms) };
    const group = groups.get(key);
    if (group) group.push(member);
    else groups.set(key, [member]);
  }
  return [...groups.values()];
}

function findTerms(line: Taxable, tax: BillTax | null | undefined): TaxTerms | null {
  const { taxTerms, productId, productKind } = line;
  if (taxTerms !== undefined) return isLifted(line, tax) ? tax!.terms : taxTerms;
  if (!tax) return null;
  const own = productId === undefined ? productKind && tax.byKind?.[productKind] : tax.byProduct?.[productId];
  return own ?? tax.terms;
}

/** Whether a rate that a charge brought along lapses: it waited while its seller became exempt. Credits keep their tax. */
const isLifted = ({ kind, taxTerms }: Taxable, tax: BillTax | null | undefined): boolean =>
  tax?.terms.reason === 'exempt_seller' && kind === 'ITEM' && Boolean(taxTerms && taxTerms.percent !== '0');

const isIncluded = ({ taxBehavior }: Pick<Taxable, 'taxBehavior'>) => taxBehavior === 'inclusive';

/**
 * Computes the tax of lines with the same terms, and shares it among them. The tax of the group is that of the sum of all
 * lines, unless the lines that have no tax yet would get one below 0.
 */
function computeShares(group: Taxable[], { percent }: TaxTerms): bigint[] {
  const { digits, scale } = readDecimal(percent);
  const whole = 100n * 10n ** BigInt(scale);
  // All exact shares have this denominator: a price without tax has `whole` parts, one with tax `whole + digits`.
  const denominator = whole * (whole + digits);
  const exact = group.map((line) => line.amountMinor * digits * (isIncluded(line) ? whole : whole + digits));
  const shares = group.map((line, nth) => readOwnTax(line) ?? divideDown(exact[nth]!, denominator));
  const open = group.flatMap((line, nth) => (readOwnTax(line) === undefined ? [nth] : []));
  const openExact = sum(open.map((nth) => exact[nth]!));
  const openMinor =
    open.length === group.length || openExact <= 0n
      ? divideRoundHalfUp(openExact, denominator)
      : computeRest(group, divideRoundHalfUp(sum(exact), denominator));
  const byRemainder = orderByRemainder(open.map((nth) => exact[nth]! - shares[nth]! * denominator)).map(
    (index) => open[index]!,
  );
  spread(shares, byRemainder, openMinor - sum(open.map((nth) => shares[nth]!)));
  return shares;
}

const sum = (amounts: bigint[]): bigint => amounts.reduce((total, each) => total + each, 0n);

/** Returns the part of the tax of a group that lines with a tax of their own leave to the others; not below 0. */
function computeRest(group: Taxable[], totalMinor: bigint): bigint {
  const restMinor = totalMinor - sum(group.map((line) => readOwnTax(line) ?? 0n));
  return restMinor > 0n ? restMinor : 0n;
}

/** Adds a rest of few minor units to shares, one each in this order; a negative one is taken in the opposite order. */
function spread(shares: bigint[], order: number[], restMinor: bigint): void {
  const step = restMinor < 0n ? -1n : 1n;
  const turns = restMinor < 0n ? order.toReversed() : order;
  for (let given = 0; given < Number(restMinor * step); given++)
    shares[turns[given % turns.length]!]! += step;
}

const readOwnTax = ({ taxTerms }: Taxable): bigint | undefined =>
  taxTerms?.taxMinor === undefined ? undefined : BigInt(taxTerms.taxMinor);

/** Divides rounding down, also for negative numbers, so that remainders are not negative. */
const divideDown = (numerator: bigint, denominator: bigint): bigint => {
  const quotient = numerator / denominator;
  return numerator < 0n && quotient * denominator !== numerator ? quotient - 1n : quotient;
};

const buildLineTax = (line: Taxable, terms: TaxTerms, taxMinor: bigint): LineTax => ({
  ...terms,
  ...(isIncluded(line) && { included: true }),
  ...(line.taxTerms && { own: true }),
  taxMinor: String(taxMinor),
});

/** An amount with the tax that it contains or that is charged on top. */
interface Taxed {
  amountMinor: bigint;
  tax?: LineTax | null;
}

/** Returns the amount of a line with its tax, in minor units. */
export const computeGross = ({ amountMinor, tax }: Taxed): bigint =>
  tax && !tax.included ? amountMinor + BigInt(tax.taxMinor) : amountMinor;

/** Returns the amount of a line without its tax, in minor units. */
export const computeNet = ({ amountMinor, tax }: Taxed): bigint =>
  tax?.included ? amountMinor - BigInt(tax.taxMinor) : amountMinor;

/** Sums the tax of a bill, in minor units. */
export const sumTaxes = (taxes: Pick<TaxTotal, 'taxMinor'>[] | null): bigint =>
  (taxes ?? []).reduce((total, { taxMinor }) => total + BigInt(taxMinor), 0n);

/**
 * The tax of a bill, as EN 16931 computes it (BR-CO-14, BR-CO-17): for each category and rate on the sum of its lines
 * after discounts, rounded half away from zero once. All bills and previews call this function.
 */
import { readDecimal } from '../lib/decimal.ts';
import { divideRoundHalfUp } from '../lib/money.ts';
import type { BillTax, LineTax, TaxTerms, TaxTotal } from '../storage/model/common.ts';

/** What tax reads of a line, and writes to it. */
interface Taxable {
  /** In minor units, after discounts; with the tax if `taxBehavior` is inclusive. */
  amountMinor: bigint;
  productId?: string;
  taxBehavior?: 'exclusive' | 'inclusive' | null;
  /** The terms of the line itself, such as those of the line that it credits; null for an untaxed line. */
  taxTerms?: TaxTerms | null;
  tax?: LineTax;
}

/**
 * Adds the tax to the lines of a bill. `tax` is undefined if the seller charges none; then only lines with terms of their
 * own are taxed. Lines show their share of the tax by largest remainder, of equal ones the later. Returns null as `taxes`
 * if no line is taxed.
 */
export function applyTax<L extends Taxable>(
  lines: L[],
  tax: BillTax | null | undefined,
): { lines: L[]; taxes: TaxTotal[] | null } {
  const groups = groupByTerms(lines, tax);
  if (groups.length === 0) return { lines, taxes: null };
  const taxByLine = new Map<L, LineTax>();
  const taxes = groups.map(({ terms, members }) => {
    const shares = computeShares(members, terms);
    members.forEach((line, nth) => taxByLine.set(line, buildLineTax(line, terms, shares[nth]!)));
    return sumGroup(members, terms, shares);
  });
  const taxed = lines.map((line) => (taxByLine.has(line) ? { ...line, tax: taxByLine.get(line) } : line));
  return { lines: taxed, taxes };
}

/** Groups the taxed lines by category, rate and reason, in the order of their first lines. */
function groupByTerms<L extends Taxable>(
  lines: L[],
  tax: BillTax | null | undefined,
): { terms: TaxTerms; members: L[] }[] {
  const groups = new Map<string, { terms: TaxTerms; members: L[] }>();
  for (const line of lines) {
    const terms = findTerms(line, tax);
    if (!terms) continue;
    const { category, percent, reason = '' } = terms;
    const key = `${category} ${percent} ${reason}`;
    const group = groups.get(key);
    if (group) group.members.push(line);
    else groups.set(key, { terms, members: [line] });
  }
  return [...groups.values()];
}

function findTerms({ taxTerms, productId }: Taxable, tax: BillTax | null | undefined): TaxTerms | null {
  if (taxTerms !== undefined) return taxTerms;
  if (!tax) return null;
  return (productId !== undefined && tax.byProduct?.[productId]) || tax.terms;
}

const isIncluded = ({ taxBehavior }: Pick<Taxable, 'taxBehavior'>) => taxBehavior === 'inclusive';

/** Computes the tax of lines with the same terms, and shares it among them. */
function computeShares(group: Taxable[], { percent }: TaxTerms): bigint[] {
  const { digits, scale } = readDecimal(percent);
  const whole = 100n * 10n ** BigInt(scale);
  // All exact shares have this denominator: a price without tax has `whole` parts, one with tax `whole + digits`.
  const denominator = whole * (whole + digits);
  const exact = group.map((line) => line.amountMinor * digits * (isIncluded(line) ? whole : whole + digits));
  const totalMinor = divideRoundHalfUp(
    exact.reduce((sum, each) => sum + each, 0n),
    denominator,
  );
  const shares = exact.map((each) => divideDown(each, denominator));
  const restMinor = shares.reduce((rest, share) => rest - share, totalMinor);
  const byRemainder = exact
    .map((each, index) => ({ index, remainder: each - shares[index]! * denominator }))
    .toSorted((a, b) =>
      a.remainder === b.remainder ? b.index - a.index : a.remainder > b.remainder ? -1 : 1,
    );
  for (const { index } of byRemainder.slice(0, Number(restMinor))) shares[index]! += 1n;
  return shares;
}

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

function sumGroup(group: Taxable[], terms: TaxTerms, shares: bigint[]): TaxTotal {
  const taxMinor = shares.reduce((sum, share) => sum + share, 0n);
  const taxableMinor = group.reduce(
    (sum, line, nth) => sum + line.amountMinor - (isIncluded(line) ? shares[nth]! : 0n),
    0n,
  );
  return { ...terms, taxableMinor: String(taxableMinor), taxMinor: String(taxMinor) };
}

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
  (taxes ?? []).reduce((sum, { taxMinor }) => sum + BigInt(taxMinor), 0n);

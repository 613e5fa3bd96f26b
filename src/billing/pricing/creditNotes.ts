/**
 * The lines of a credit note. The last credit note of a line is its remainder, so that an invoice can be credited to
 * exactly zero; the tax of the others is computed as on the invoice.
 */
import { divideRoundHalfUp } from '../../lib/money.ts';
import type { CreditNoteLine, LineTax, TaxTotal } from '../../storage/model/common.ts';
import { applyTax, computeGross, pickTerms, summarizeTaxes } from './tax.ts';

/** What can still be credited of an invoice line, in minor units. */
export interface Creditable {
  id: string;
  description: string;
  amountMinor: bigint;
  tax: LineTax | null;
  /** With tax. */
  leftMinor: bigint;
  /** The part of `leftMinor` that is tax. */
  leftTaxMinor: bigint;
}

/** An invoice line, the amounts given back of it, and the credit notes among them. All with tax, in minor units. */
interface BilledLine {
  id: string;
  description: string;
  amountMinor: bigint;
  tax: LineTax | null;
  givenBackMinor: bigint;
}

/** Returns what earlier credit notes and other credits and refunds left of a line. */
export function findCreditable(line: BilledLine, earlier: CreditNoteLine[]): Creditable {
  const { id, description, amountMinor, tax, givenBackMinor } = line;
  const grossMinor = computeGross(line);
  const own = earlier.filter(({ lineId }) => lineId === id);
  const notedTaxMinor = sum(own.map((each) => BigInt(each.taxMinor)));
  const notedMinor = notedTaxMinor + sum(own.map((each) => BigInt(each.netMinor)));
  const taxMinor = BigInt(tax?.taxMinor ?? 0);
  // Credits by plan changes have their tax on their own invoices, at the same rate.
  const otherTaxMinor = shareTax(givenBackMinor - notedMinor, taxMinor, grossMinor);
  const leftMinor = grossMinor - givenBackMinor;
  const leftTaxMinor = clamp(taxMinor - notedTaxMinor - otherTaxMinor, leftMinor);
  return { id, description, amountMinor, tax, leftMinor, leftTaxMinor };
}

const sum = (amounts: bigint[]): bigint => amounts.reduce((total, each) => total + each, 0n);

const clamp = (amount: bigint, most: bigint): bigint => (amount < 0n ? 0n : amount > most ? most : amount);

const shareTax = (partMinor: bigint, taxMinor: bigint, grossMinor: bigint): bigint =>
  grossMinor <= 0n ? 0n : divideRoundHalfUp(partMinor * taxMinor, grossMinor);

/** Credits an amount with tax, line by line in order, each up to what is left of it. */
export function creditAmount(lines: Creditable[], amountMinor: bigint): CreditNoteLine[] {
  let restMinor = amountMinor;
  return lines.flatMap((line) => {
    const partMinor = line.leftMinor < restMinor ? line.leftMinor : restMinor;
    restMinor -= partMinor;
    return partMinor > 0n ? [creditGross(line, partMinor)] : [];
  });
}

/** Credits a part of a line with its tax. */
function creditGross(line: Creditable, grossMinor: bigint): CreditNoteLine {
  const { leftMinor, leftTaxMinor, tax } = line;
  const exactMinor = shareTax(grossMinor, BigInt(tax?.taxMinor ?? 0), computeGross(line));
  // What is left without tax must cover the rest.
  const leastMinor = grossMinor - (leftMinor - leftTaxMinor);
  const taxMinor =
    grossMinor === leftMinor
      ? leftTaxMinor
      : clamp(exactMinor < leastMinor ? leastMinor : exactMinor, leftTaxMinor);
  return buildLine(line, grossMinor - taxMinor, taxMinor);
}

/** What can still be credited of a line as it is priced: without tax unless the price contains it. */
export const findLeftAsPriced = ({ leftMinor, leftTaxMinor, tax }: Creditable): bigint =>
  tax?.included ? leftMinor : leftMinor - leftTaxMinor;

/** A part of a line that is credited, as the line is priced. */
interface CreditedPart {
  line: Creditable;
  amountMinor: bigint;
}

/**
 * Credits parts of lines as they are priced, and the tax on them. What is left of a line has the rest of its tax; the tax
 * of other parts without tax in their price is rounded once for each category and rate.
 */
export function creditPriced(parts: CreditedPart[]): CreditNoteLine[] {
  const isShared = ({ line, amountMinor }: CreditedPart) =>
    line.tax && !line.tax.included && amountMinor !== findLeftAsPriced(line);
  const shared = parts.filter(isShared);
  const taxable = shared.map(({ line: { tax }, amountMinor }) => ({
    amountMinor,
    taxTerms: pickTerms(tax!),
    tax,
  }));
  const taxes = applyTax(taxable, undefined).lines.map(({ tax }) => BigInt(tax!.taxMinor));
  return parts.map((part) => {
    const { line, amountMinor } = part;
    const { tax, leftTaxMinor } = line;
    if (!tax || tax.included) return creditGross(line, amountMinor);
    const taxMinor = taxes[shared.indexOf(part)] ?? leftTaxMinor;
    return buildLine(line, amountMinor, clamp(taxMinor, leftTaxMinor));
  });
}

const buildLine = (
  { id: lineId, description, tax }: Creditable,
  netMinor: bigint,
  taxMinor: bigint,
): CreditNoteLine => ({
  lineId,
  description,
  netMinor: String(netMinor),
  taxMinor: String(taxMinor),
  ...(tax && pickTerms(tax)),
});

/** Sums the lines of a credit note with their tax, in minor units. */
export const sumNote = (lines: CreditNoteLine[]): bigint =>
  sum(lines.map(({ netMinor, taxMinor }) => BigInt(netMinor) + BigInt(taxMinor)));

/** Returns the tax of a credit note by category and rate; null if its lines are not taxed. */
export const sumNoteTaxes = (lines: CreditNoteLine[]): TaxTotal[] | null =>
  summarizeTaxes(
    lines.map(({ category, percent, netMinor, taxMinor, ...terms }) => ({
      amountMinor: BigInt(netMinor),
      tax:
        category && percent !== undefined
          ? { ...pickTerms({ ...terms, category, percent }), taxMinor }
          : null,
    })),
  );

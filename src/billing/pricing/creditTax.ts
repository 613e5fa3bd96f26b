/** The tax of credits: a credit has the tax terms of the line that it credits, and never more tax than that line has left. */
import type { LineTax, OwnTaxTerms } from '../../storage/model/common.ts';
import type { Line } from './invoiceLines.ts';
import { computeCredit, type Explanation, type PaidLine } from './proration.ts';
import { applyTax, pickTerms } from './tax.ts';

/**
 * Gives the credits among the lines of a plan change the terms of the lines that they credit. A credit on top of which
 * tax is credited gets its tax here: with its amount it is at most what the credited line has left, and all of it if the
 * whole line is credited. A credit for an untaxed line, or for a period that was paid in another system, has no tax.
 */
export function taxCredits(lines: Line[], paid: Iterable<PaidLine>): Line[] {
  const paidById = new Map([...paid].map((line) => [line.id, line]));
  const findPaid = ({ creditedLineId = '' }: Line) => paidById.get(creditedLineId);
  const named = lines.map((line) =>
    line.kind === 'PRORATION_CREDIT' ? { ...line, ...toTerms(findPaid(line)?.tax) } : line,
  );
  const onTop = named.filter((line) => line.taxTerms && line.taxBehavior !== 'inclusive');
  const taxed = applyTax(onTop, undefined).lines;
  return named.map((line) => {
    const nth = onTop.indexOf(line);
    if (nth < 0) return line;
    const taxMinor = limitTax(line, BigInt(taxed[nth]!.tax!.taxMinor), findPaid(line)!);
    return { ...line, taxTerms: { ...line.taxTerms!, taxMinor: String(taxMinor) } };
  });
}

const toTerms = (tax: LineTax | null | undefined): Pick<Line, 'taxTerms' | 'taxBehavior'> =>
  tax
    ? { taxTerms: pickTerms(tax), taxBehavior: tax.included ? 'inclusive' : undefined }
    : { taxTerms: null };

/** Limits the tax (0 or less) of a credit to what the credited line has left. */
function limitTax({ amountMinor, explanation }: Line, taxMinor: bigint, paid: PaidLine): bigint {
  const mostMinor = paid.amountMinor - paid.givenBackMinor + amountMinor;
  const { paidMinor: _, givenBackMinor: __, ...whole } = explanation as Explanation;
  const isWhole = computeCredit(whole) === paid.amountMinor - BigInt(paid.tax!.taxMinor);
  return isWhole || -taxMinor > mostMinor ? -mostMinor : taxMinor;
}

/** What an issued line shows of its tax. */
type Taxed = Pick<Line, 'amountMinor' | 'taxBehavior'> & { kind: string; tax?: LineTax | null };

/**
 * Returns the terms of an issued line as they were before its tax was computed: those of the line itself, and whether
 * its amount contains the tax.
 */
export function restoreTerms(line: Taxed): Pick<Line, 'taxTerms' | 'taxBehavior'> {
  const { kind, amountMinor, taxBehavior, tax } = line;
  const isCredit = kind === 'PRORATION_CREDIT';
  if (!tax) return isCredit || kind === 'BALANCE' ? { taxTerms: null } : { taxBehavior };
  const own: OwnTaxTerms = pickTerms(tax);
  if (isCredit && !tax.included && amountMinor <= 0n) own.taxMinor = tax.taxMinor;
  return { ...(tax.own && { taxTerms: own }), ...(tax.included && { taxBehavior: 'inclusive' }) };
}

import { restoreTerms } from '../pricing/creditTax.ts';
import { applyTax, summarizeTaxes } from '../pricing/tax.ts';
import type { LineTax, TaxTotal } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Books } from './auditSnapshot.ts';

type Line = Row<'invoiceLines'>;
type Blame = (subject: string, found: string) => void;

/**
 * Checks the tax of each invoice: for each category the rate times the sum of its lines, rounded once, of which each line
 * shows its share; the invoice shows the sums of its lines.
 */
export function auditTaxes(books: Books, blame: Blame): void {
  for (const { id, taxes } of books.invoices) {
    const lines = books.listLines(id);
    if (taxes === null && lines.every(({ tax }) => tax === null)) continue;
    for (const { id: lineId, taxBehavior, tax } of lines)
      if (tax && taxBehavior === 'inclusive' && !tax.included)
        blame(lineId, 'has its tax on top of its amount, which contains it');
    const { lines: expected } = applyTax(lines.map(toTaxable), null);
    for (const [nth, { id: lineId, tax }] of lines.entries()) {
      const wanted = expected[nth]!.tax;
      if (tax && tax.taxMinor !== wanted?.taxMinor)
        blame(
          lineId,
          `has a tax of ${tax.taxMinor}, ${describe(tax)} of its invoice gives ${wanted?.taxMinor}`,
        );
    }
    const [found, shown] = [describeTotals(summarizeTaxes(lines)), describeTotals(taxes)];
    if (found !== shown) blame(id, `its lines have the taxes ${found}, it shows ${shown}`);
  }
}

/** Returns a line before its tax was computed, with the terms that it got. */
const toTaxable = ({ tax, ...line }: Line) => ({
  ...line,
  productId: undefined,
  ...restoreTerms({ ...line, tax: tax && { ...tax, own: true } }),
  tax: undefined as LineTax | undefined,
});

const describe = ({ category, percent, reason }: Pick<TaxTotal, 'category' | 'percent' | 'reason'>) =>
  `${category} ${percent}%${reason ? ` (${reason})` : ''}`;

const describeTotals = (taxes: TaxTotal[] | null): string =>
  (taxes ?? [])
    .map((total) => `${describe(total)} ${total.taxMinor} on ${total.taxableMinor}`)
    .toSorted()
    .join(', ') || 'none';

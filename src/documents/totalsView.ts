import type { DocumentRecord } from './record.ts';
import { fillText } from '../lib/texts.ts';
import type { DocumentLanguage } from './language.ts';

/** A row below the lines of a document. */
export interface TotalView {
  label: string;
  amount: string;
  /** The total, and the amount due, which carries the code of the currency. */
  weight: 'normal' | 'strong' | 'due';
}

/** Builds the rows from the subtotal to the amount due. `tax` is the name of the tax. */
export function viewTotals(record: DocumentRecord, tax: string, language: DocumentLanguage): TotalView[] {
  const { taxes, totals, pricesIncludeTax } = record;
  const { texts, formatMinor, formatMoney, formatPercent } = language;
  const rows: TotalView[] = [];
  const add = (label: string, amountMinor: string | bigint, weight: TotalView['weight'] = 'normal') => {
    const amount = BigInt(amountMinor);
    rows.push({ label, amount: weight === 'due' ? formatMoney(amount) : formatMinor(amount), weight });
  };
  const isTaxed = taxes.length > 0;
  const isDiscounted = BigInt(totals.discountMinor) !== 0n;
  if (isTaxed || isDiscounted) {
    add(
      isTaxed && pricesIncludeTax ? fillText(texts.subtotalWithTax, { tax }) : texts.subtotal,
      totals.subtotalMinor,
    );
  }
  if (isDiscounted) add(texts.discounts, -BigInt(totals.discountMinor));
  if (isTaxed && (isDiscounted || pricesIncludeTax)) add(fillText(texts.net, { tax }), totals.netMinor);
  for (const { category, percent, taxableMinor, taxMinor } of taxes) {
    const rate = category === 'S' ? formatPercent(percent) : `${category} ${formatPercent(percent)}`;
    add(fillText(texts.taxOn, { tax, percent: rate, taxable: formatMinor(BigInt(taxableMinor)) }), taxMinor);
  }
  if (record.kind === 'credit_note') {
    add(texts.total, totals.totalMinor, 'due');
    return rows;
  }
  const payable = record.payment.kind === 'paid' ? 0n : BigInt(totals.payableMinor);
  const balance = BigInt(totals.balanceMinor);
  const paid = BigInt(totals.totalMinor) - balance - payable;
  add(texts.total, totals.totalMinor, 'strong');
  if (balance !== 0n) add(texts.fromBalance, -balance);
  if (paid !== 0n) add(texts.paid, -paid);
  add(texts.due, payable, 'due');
  return rows;
}

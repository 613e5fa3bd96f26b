import { Money } from '../design/Values.tsx';
import { useFormat, type Amount } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { isPositive, negate } from './arithmetic.ts';
import type { TaxData } from './fragments.ts';
import { SumRow } from './LineTable.tsx';
import { texts } from './texts.ts';

interface SumsProps {
  subtotal?: Amount;
  discount?: Amount;
  taxes: readonly TaxData[];
  total: Amount;
}

/** The sums below the lines of an invoice or a preview. */
export function Sums({ subtotal, discount, taxes, total }: SumsProps) {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <>
      {subtotal && (
        <SumRow name={t.subtotal}>
          <Money amount={subtotal} />
        </SumRow>
      )}
      {discount && isPositive(discount) && (
        <SumRow name={t.discountSum}>
          <Money amount={negate(discount)} />
        </SumRow>
      )}
      {taxes.map(({ category, percent, reason, tax, taxable }) => (
        <SumRow
          key={`${category} ${percent} ${reason}`}
          name={t.taxSum(format.percent(Number(percent) / 100), format.money(taxable))}
        >
          <Money amount={tax} />
        </SumRow>
      ))}
      <SumRow name={t.totalSum} strong>
        <Money amount={total} />
      </SumRow>
    </>
  );
}

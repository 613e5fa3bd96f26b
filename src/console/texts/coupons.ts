import type { FragmentOf } from '../data/graphql.ts';
import type { CodeFields, CouponFields } from '../data/fragments.ts';
import { useFormat } from './format.ts';
import { useTexts } from './language.tsx';
import { couponTexts } from './texts.ts';

type CouponLike = Pick<
  FragmentOf<typeof CouponFields>,
  'percentOff' | 'amountOff' | 'duration' | 'durationInMonths' | 'products'
>;
type CodeLike = Pick<FragmentOf<typeof CodeFields>, 'firstPurchaseOnly' | 'minimumAmount'>;

/** Returns functions that put a coupon and its promotion codes into words. */
export function useCouponWords() {
  const t = useTexts(couponTexts);
  const format = useFormat();
  const writeOff = ({ percentOff, amountOff }: Pick<CouponLike, 'percentOff' | 'amountOff'>): string =>
    amountOff ? format.money(amountOff) : format.percent(Number(percentOff) / 100);
  const writeDuration = ({
    duration,
    durationInMonths,
  }: Pick<CouponLike, 'duration' | 'durationInMonths'>) => {
    if (duration !== 'repeating') return t[duration];
    return durationInMonths === 1 ? t.month : t.months(format.number(durationInMonths ?? 0));
  };
  const writeCoupon = (coupon: CouponLike): string => {
    const products = coupon.products?.map(({ name }) => name).join(t.comma);
    return `${t.off(writeOff(coupon))} ${writeDuration(coupon)}${products ? ` ${t.on(products)}` : ''}`;
  };
  return {
    writeOff,
    writeDuration,
    /** "20 % off for 3 months". */
    writeCoupon,
    /** "20 % off for 3 months, new customers only". */
    writeCode: (coupon: CouponLike, { firstPurchaseOnly, minimumAmount }: CodeLike): string =>
      [
        writeCoupon(coupon),
        firstPurchaseOnly ? t.newOnly : '',
        minimumAmount ? t.atLeast(format.money(minimumAmount)) : '',
      ]
        .filter(Boolean)
        .join(t.comma),
  };
}

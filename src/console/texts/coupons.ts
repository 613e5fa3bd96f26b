import type { FragmentOf } from '../data/graphql.ts';
import type { CodeFields, CouponFields } from '../data/fragments.ts';
import { useFormat } from './format.ts';
import { defineTexts, useTexts } from './language.tsx';

type CouponLike = Pick<
  FragmentOf<typeof CouponFields>,
  'percentOff' | 'amountOff' | 'duration' | 'durationInMonths' | 'products'
>;
type CodeLike = Pick<FragmentOf<typeof CodeFields>, 'firstPurchaseOnly' | 'minimumAmount'>;

const texts = defineTexts({
  en: {
    off: (amount: string) => `${amount} off`,
    once: 'once',
    month: 'for 1 month',
    months: (count: string) => `for ${count} months`,
    forever: 'on every invoice',
    on: (products: string) => `on ${products}`,
    newOnly: 'new customers only',
    atLeast: (amount: string) => `for prices from ${amount}`,
    comma: ', ',
  },
  de: {
    off: (amount) => `${amount} Rabatt`,
    once: 'einmal',
    month: '1 Monat lang',
    months: (count) => `${count} Monate lang`,
    forever: 'auf jede Rechnung',
    on: (products) => `auf ${products}`,
    newOnly: 'nur für neue Kunden',
    atLeast: (amount) => `für Preise ab ${amount}`,
    comma: ', ',
  },
  fr: {
    off: (amount) => `${amount} de remise`,
    once: 'une fois',
    month: 'pendant 1 mois',
    months: (count) => `pendant ${count} mois`,
    forever: 'sur chaque facture',
    on: (products) => `sur ${products}`,
    newOnly: 'nouveaux clients seulement',
    atLeast: (amount) => `pour des tarifs à partir de ${amount}`,
    comma: ', ',
  },
  fa: {
    off: (amount) => `${amount} تخفیف`,
    once: 'یک بار',
    month: 'برای ۱ ماه',
    months: (count) => `برای ${count} ماه`,
    forever: 'در هر فاکتور',
    on: (products) => `روی ${products}`,
    newOnly: 'فقط برای مشتریان تازه',
    atLeast: (amount) => `برای قیمت‌های از ${amount} به بالا`,
    comma: '، ',
  },
});

/** Returns functions that put a coupon and its promotion codes into words. */
export function useCouponWords() {
  const t = useTexts(texts);
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

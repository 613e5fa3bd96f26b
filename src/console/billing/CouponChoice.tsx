import { CouponFields } from '../data/fragments.ts';
import { graphql, type FragmentOf } from '../data/graphql.ts';
import { useScreenQuery } from '../data/query.tsx';
import { Select } from '../design/Field.tsx';
import { useCouponWords } from '../texts/coupons.ts';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

const CouponsQuery = graphql(
  `
    query CouponsToApply {
      coupons(first: 100, active: true) {
        nodes {
          ...CouponFields
        }
      }
    }
  `,
  [CouponFields],
);

type Coupon = FragmentOf<typeof CouponFields>;

/** Returns the coupons that can be redeemed. */
export const useCoupons = (): Coupon[] => useScreenQuery(CouponsQuery, {}).data?.coupons?.nodes ?? [];

interface CouponChoiceProps {
  coupons: Coupon[];
  value: string;
  problem?: string | undefined;
  onChange: (id: string) => void;
}

/** A coupon to choose, with its terms below. */
export function CouponChoice({ coupons, value, problem, onChange }: CouponChoiceProps) {
  const t = useTexts(texts);
  const { writeOff, writeCoupon } = useCouponWords();
  const chosen = coupons.find(({ id }) => id === value);
  return (
    <Select
      label={t.coupon}
      value={value}
      problem={problem}
      hint={chosen && writeCoupon(chosen)}
      choices={[
        { value: '', label: t.noCoupon },
        ...coupons.map((coupon) => ({ value: coupon.id, label: `${coupon.name} (${writeOff(coupon)})` })),
      ]}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

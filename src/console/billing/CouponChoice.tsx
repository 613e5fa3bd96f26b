import type { Issue } from '../data/errors.ts';
import { CouponFields } from '../data/fragments.ts';
import { graphql, type FragmentOf } from '../data/graphql.ts';
import { useLoad } from '../data/query.tsx';
import type { FindChoices } from '../design/choices.ts';
import { Combobox } from '../design/Combobox.tsx';
import type { Choice } from '../design/Field.tsx';
import { useCouponWords } from '../texts/coupons.ts';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

const CouponsQuery = graphql(
  `
    query CouponsToChoose {
      coupons(first: 50, active: true) {
        pageInfo {
          hasNextPage
        }
        nodes {
          ...CouponFields
        }
      }
    }
  `,
  [CouponFields],
);

const CouponSearchQuery = graphql(
  `
    query CouponSearch($query: String!) {
      search(query: $query, types: [coupon], first: 50) {
        node {
          id
          ... on Coupon {
            ...CouponFields
          }
        }
      }
    }
  `,
  [CouponFields],
);

type Coupon = FragmentOf<typeof CouponFields>;

/** A coupon that can be chosen, with its terms. */
export interface CouponToChoose extends Choice {
  coupon: Coupon;
}

const shortestSearch = 2;

/** Returns a function that finds the coupons that can be redeemed, by the beginning of the name. */
export function useFindCoupons(): FindChoices<CouponToChoose> {
  const load = useLoad();
  const { writeOff } = useCouponWords();
  const list = (coupons: Coupon[]) =>
    coupons.map((coupon) => ({ value: coupon.id, label: `${coupon.name} (${writeOff(coupon)})`, coupon }));
  return async (text) => {
    if (text.length < shortestSearch) {
      const { coupons } = await load(CouponsQuery, {});
      const isFound = ({ name }: Coupon) => name.toLowerCase().startsWith(text.toLowerCase());
      return {
        choices: list(coupons?.nodes.filter(isFound) ?? []),
        hasMore: coupons?.pageInfo.hasNextPage ?? false,
      };
    }
    const hits = (await load(CouponSearchQuery, { query: text })).search ?? [];
    const found = hits.flatMap(({ node }) => (node && 'name' in node && node.active ? [node] : []));
    return { choices: list(found), hasMore: hits.length === 50 };
  };
}

interface CouponChoiceProps {
  chosen: CouponToChoose | undefined;
  problem?: Issue | string | undefined;
  path?: string;
  onChange: (coupon: CouponToChoose | undefined) => void;
}

/** A coupon to choose, with its terms below. */
export function CouponChoice({ chosen, onChange, ...refusable }: CouponChoiceProps) {
  const t = useTexts(texts);
  const { writeCoupon } = useCouponWords();
  return (
    <Combobox
      label={t.coupon}
      none={t.noCoupon}
      find={useFindCoupons()}
      chosen={chosen}
      {...refusable}
      hint={chosen && writeCoupon(chosen.coupon)}
      onChange={onChange}
    />
  );
}

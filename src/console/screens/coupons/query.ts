import { CouponFields } from '../../data/fragments.ts';
import { graphql, type FragmentOf } from '../../data/graphql.ts';

export const CouponsQuery = graphql(
  `
    query Coupons($first: Int, $after: String, $order: Order, $active: Boolean) {
      coupons(first: $first, after: $after, order: $order, active: $active) {
        totalCount
        pageInfo {
          endCursor
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

export type CouponRow = FragmentOf<typeof CouponFields>;

export const CreateCouponMutation = graphql(`
  mutation CreateCoupon($input: CreateCouponInput!) {
    createCoupon(input: $input) {
      id
    }
  }
`);

import { CodeFields, CouponFields, CustomerName } from '../../data/fragments.ts';
import { graphql, type FragmentOf, type ResultOf } from '../../data/graphql.ts';

export const CouponQuery = graphql(
  `
    query Coupon($id: ID!, $after: String) {
      coupon(id: $id) {
        ...CouponFields
        metadata
        updatedAt
        discounts(first: 20, after: $after) {
          totalCount
          pageInfo {
            endCursor
            hasNextPage
          }
          nodes {
            id
            active
            createdAt
            endsAt
            removedAt
            subscriptionId
            promotionCode {
              id
              code
            }
            customer {
              ...CustomerName
            }
          }
        }
      }
      promotionCodes(couponId: $id, first: 100) {
        nodes {
          ...CodeFields
        }
      }
    }
  `,
  [CodeFields, CouponFields, CustomerName],
);

export type CouponData = NonNullable<ResultOf<typeof CouponQuery>['coupon']>;
export type CodeData = FragmentOf<typeof CodeFields>;

export const UpdateCoupon = graphql(`
  mutation UpdateCoupon($id: ID!, $input: UpdateCouponInput!) {
    updateCoupon(id: $id, input: $input) {
      id
      name
      lookupKey
      active
    }
  }
`);

export const CreateCodeMutation = graphql(`
  mutation CreatePromotionCode($input: CreatePromotionCodeInput!) {
    createPromotionCode(input: $input) {
      id
      code
    }
  }
`);

export const UpdateCode = graphql(`
  mutation UpdatePromotionCode($id: ID!, $input: UpdatePromotionCodeInput!) {
    updatePromotionCode(id: $id, input: $input) {
      id
      active
    }
  }
`);

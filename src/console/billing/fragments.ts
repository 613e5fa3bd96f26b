import { CouponFields } from '../data/fragments.ts';
import { graphql, type FragmentOf } from '../data/graphql.ts';

/** A line with the figures that explain it. */
export const LineFields = graphql(`
  fragment LineFields on InvoiceLine {
    id
    kind
    description
    periodStart
    periodEnd
    quantity
    explanation
    amount {
      decimal
      currency
    }
    discounts {
      discountId
      amount {
        decimal
        currency
      }
    }
    tax {
      percent
      included
      reason
      amount {
        decimal
        currency
      }
    }
  }
`);

/** A line of an expected invoice, with the same figures. */
export const PreviewLineFields = graphql(`
  fragment PreviewLineFields on PreviewLine {
    kind
    description
    periodStart
    periodEnd
    quantity
    explanation
    amount {
      decimal
      currency
    }
    discounts {
      discountId
      amount {
        decimal
        currency
      }
    }
    tax {
      percent
      included
      reason
      amount {
        decimal
        currency
      }
    }
  }
`);

/** The tax of one rate. */
export const TaxFields = graphql(`
  fragment TaxFields on TaxTotal {
    category
    percent
    reason
    tax {
      decimal
      currency
    }
    taxable {
      decimal
      currency
    }
  }
`);

/** What would be billed now, and with the next invoice. */
export const PreviewFields = graphql(
  `
    fragment PreviewFields on InvoicePreview {
      effectiveAt
      warnings {
        code
      }
      subtotal {
        decimal
        currency
      }
      discount {
        decimal
        currency
      }
      total {
        decimal
        currency
      }
      lines {
        ...PreviewLineFields
      }
      taxes {
        ...TaxFields
      }
      nextInvoice {
        date
        total {
          decimal
          currency
        }
        lines {
          ...PreviewLineFields
        }
        taxes {
          ...TaxFields
        }
      }
    }
  `,
  [PreviewLineFields, TaxFields],
);

/** A discount that reduces later invoices. */
export const DiscountFields = graphql(
  `
    fragment DiscountFields on Discount {
      id
      active
      endsAt
      promotionCode {
        id
        code
      }
      coupon {
        ...CouponFields
      }
    }
  `,
  [CouponFields],
);

export type PreviewData = FragmentOf<typeof PreviewFields>;
export type DiscountData = FragmentOf<typeof DiscountFields>;
export type LineData = FragmentOf<typeof PreviewLineFields>;
export type TaxData = FragmentOf<typeof TaxFields>;

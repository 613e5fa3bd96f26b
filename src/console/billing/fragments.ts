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

export type LineData = FragmentOf<typeof LineFields>;
export type TaxData = FragmentOf<typeof TaxFields>;

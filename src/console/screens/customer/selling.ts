import { PreviewFields } from '../../billing/fragments.ts';
import { graphql } from '../../data/graphql.ts';

export const PreviewOrder = graphql(
  `
    query PreviewSubscription($input: PreviewSubscriptionInput!) {
      previewSubscription(input: $input) {
        ...PreviewFields
      }
    }
  `,
  [PreviewFields],
);

export const OrderSubscription = graphql(`
  mutation OrderSubscription($input: CreateSubscriptionIntentInput!) {
    createSubscriptionIntent(input: $input) {
      id
      paymentUrl
      expiresAt
    }
  }
`);

export const PayOrder = graphql(`
  mutation PayOrder($id: ID!, $input: ConfirmIntentInput!) {
    confirmIntent(id: $id, input: $input) {
      id
      subscriptionId
    }
  }
`);

export const PreviewCharges = graphql(
  `
    query PreviewCharges($customerId: ID!, $items: [OneOffChargeInput!]!) {
      previewInvoice(customerId: $customerId, items: $items) {
        ...PreviewFields
      }
    }
  `,
  [PreviewFields],
);

export const WaysToPayQuery = graphql(`
  query WaysToPay {
    tenant {
      alias
      canBePaid
    }
  }
`);

export const CreateInvoice = graphql(`
  mutation CreateInvoice(
    $customerId: ID!
    $items: [OneOffChargeInput!]!
    $collect: InvoiceCollectionMethod
    $draft: Boolean
  ) {
    createInvoice(input: { customerId: $customerId, items: $items, collect: $collect, draft: $draft }) {
      id
      status
      total {
        decimal
        currency
      }
    }
  }
`);

export const AddItem = graphql(`
  mutation CreateInvoiceItem($input: CreateInvoiceItemInput!) {
    createInvoiceItem(input: $input) {
      id
    }
  }
`);

import { registerEnumType } from 'type-graphql';

/** The status of an invoice in GraphQL. */
export const InvoiceStatus = {
  draft: 'draft',
  open: 'open',
  paid: 'paid',
  void: 'void',
  uncollectible: 'uncollectible',
} as const;
registerEnumType(InvoiceStatus, {
  name: 'InvoiceStatus',
  description: 'The status of an invoice.',
  valuesConfig: {
    draft: { description: 'Not finalized: it has no document number, and its tax may still change.' },
    open: { description: 'Awaiting payment.' },
    paid: { description: 'Paid in full.' },
    void: { description: 'No longer owed.' },
    uncollectible: {
      description:
        'Written off after all retries failed, or marked so. One of one-off charges, and the final one of a subscription, can still be paid or voided.',
    },
  },
});

/** How an invoice is collected, in GraphQL. */
export const InvoiceCollectionMethod = { automatic: 'automatic', send_invoice: 'send_invoice' } as const;
registerEnumType(InvoiceCollectionMethod, {
  name: 'InvoiceCollectionMethod',
  description: 'How an invoice is collected.',
  valuesConfig: {
    automatic: { description: 'A payment method or the balance is charged.' },
    send_invoice: {
      description:
        'The customer pays until `dueAt` by the payment terms, by transfer or in cash; `recordPayment` records it.',
    },
  },
});

/** Why an invoice was issued, in GraphQL. */
export const BillingReason = {
  subscription_start: 'subscription_start',
  cycle: 'cycle',
  plan_change: 'plan_change',
  one_off: 'one_off',
  subscription_end: 'subscription_end',
  usage_threshold: 'usage_threshold',
} as const;
registerEnumType(BillingReason, {
  name: 'BillingReason',
  description: 'Why an invoice was issued.',
  valuesConfig: {
    subscription_start: { description: 'The first period of a subscription.' },
    cycle: { description: 'A renewal.' },
    plan_change: { description: 'A change of plan.' },
    one_off: { description: 'One-off charges.' },
    subscription_end: {
      description: 'The end of a subscription: the lines that waited for its next invoice.',
    },
    usage_threshold: {
      description: 'Usage that has reached the `billingThreshold` of a subscription within a period.',
    },
  },
});

export const LocationEvidenceGap = { contradictory: 'contradictory', insufficient: 'insufficient' } as const;
registerEnumType(LocationEvidenceGap, {
  name: 'LocationEvidenceGap',
  description:
    'What is wrong with the evidence of where a private customer is, by whose country an electronic service is taxed.',
  valuesConfig: {
    contradictory: { description: 'There are two pieces or more, and no two agree with the tax.' },
    insufficient: {
      description:
        'There are fewer than two pieces for a sale to another member state. One is enough for sellers up to 100,000 euros a year ' +
        '(Implementing Regulation (EU) 282/2011, article 24b(2)).',
    },
  },
});

/**
 * What people ask of an agent: the calls of tools that a task takes, the figure that the last one shows, and the same figure
 * from the GraphQL interface.
 */
import type { ToolAnswer } from '../support/mcp.ts';
import { start, type Business } from './business.ts';

export interface Task {
  task: string;
  /** The names and arguments of the calls, in order; an argument may come from the results before. */
  calls: [tool: string, args: (business: Business, before: ToolAnswer[]) => Record<string, unknown>][];
  /** The figure that the results show. */
  figure: (answers: ToolAnswer[]) => unknown;
  /** The figure itself, or the query that returns it as its only value. */
  expected: string | { equals: unknown };
}

const find =
  (query: string): Task['calls'][number][1] =>
  () => ({ query });
const foundId = (_: Business, [found]: ToolAnswer[]) => ({
  customerId: found!.value.customers[0].customerId,
});
const newestInvoice = (_: Business, before: ToolAnswer[]) => ({
  invoiceId: before.at(-1)!.value.invoices[0].invoiceId,
});
const last = (answers: ToolAnswer[]) => answers.at(-1)!.value;
const year = { from: start, until: '2027-01-01T00:00:00Z', by: 'year' };

const customerTasks: Task[] = [
  {
    task: 'Which id has Ada Lovelace?',
    calls: [['find_customer', find('lovelace')]],
    figure: (answers) => last(answers).customers[0].customerId,
    expected: '{ customer(associatedId: "user-ada") { id } }',
  },
  {
    task: 'How much does Ada pay a month?',
    calls: [['find_customer', find('Ada')]],
    figure: (answers) => last(answers).customers[0].mrr[0].decimal,
    expected: '{ customer(associatedId: "user-ada") { mrr { decimal } } }',
  },
  {
    task: 'Whose address is grace@example.com?',
    calls: [['find_customer', find('grace@example.com')]],
    figure: (answers) => last(answers).customers[0].name.untrustedText,
    expected: { equals: 'Grace Hopper' },
  },
  {
    task: 'List all customers with an address at example.com, one after another',
    calls: [
      ['find_customer', () => ({ query: 'example.com', first: 2 })],
      ['find_customer', (_, [page]) => ({ query: 'example.com', first: 2, after: page!.value.nextCursor })],
    ],
    figure: (answers) =>
      String(
        new Set(answers.flatMap(({ value }) => value.customers.map((each: any) => each.customerId))).size,
      ),
    expected: '{ customers { totalCount } }',
  },
  {
    task: 'Is there a customer named Zuse?',
    calls: [['find_customer', find('Zuse')]],
    figure: (answers) => last(answers).customers,
    expected: { equals: [] },
  },
  {
    task: 'How many seats does Ada have?',
    calls: [
      ['find_customer', find('Ada')],
      ['show_customer', foundId],
    ],
    figure: (answers) => last(answers).subscriptions[0].quantity,
    expected: '{ customer(associatedId: "user-ada") { activeSubscriptions { quantity } } }',
  },
  {
    task: 'When is Ada billed next?',
    calls: [['show_customer', () => ({ associatedId: 'user-ada' })]],
    figure: (answers) => last(answers).subscriptions[0].nextInvoiceAt,
    expected: '{ customer(associatedId: "user-ada") { activeSubscriptions { nextInvoiceAt } } }',
  },
  {
    task: 'Which card does Grace use?',
    calls: [['show_customer', () => ({ associatedId: 'user-grace' })]],
    figure: (answers) => last(answers).paymentMethod.last4,
    expected: '{ customer(associatedId: "user-grace") { defaultPaymentMethod { last4 } } }',
  },
  {
    task: 'How many API calls has Mallory made this month, and what will they cost?',
    calls: [
      ['find_customer', find('Mallory')],
      ['customer_usage', foundId],
    ],
    figure: (answers) => last(answers).subscriptions[0].nextInvoiceTotal.decimal,
    expected: '{ currentUsage(subscriptionId: "SUBSCRIPTION_MALLORY") { total { decimal } } }',
  },
  {
    task: 'What happened last to Grace?',
    calls: [
      ['find_customer', find('Grace')],
      ['customer_events', (business, before) => ({ ...foundId(business, before), first: 1 })],
    ],
    figure: (answers) => last(answers).events[0].eventId,
    expected:
      '{ customer(associatedId: "user-grace") { timeline(first: 1, order: DESC) { nodes { eventId } } } }',
  },
];

const invoiceTasks: Task[] = [
  {
    task: 'Why was Ada charged last?',
    calls: [
      ['find_customer', find('Ada')],
      ['show_customer', foundId],
      ['explain_invoice', newestInvoice],
    ],
    figure: (answers) => last(answers).total.decimal,
    expected:
      '{ customer(associatedId: "user-ada") { invoices(first: 1, order: DESC) { nodes { total { decimal } } } } }',
  },
  {
    task: 'What was credited when Ada added seats?',
    calls: [
      ['show_customer', () => ({ associatedId: 'user-ada' })],
      ['explain_invoice', newestInvoice],
    ],
    figure: (answers) =>
      last(answers).lines.find(({ kind }: { kind: string }) => kind === 'proration_credit').amount.decimal,
    expected: { equals: '-27.86' },
  },
  {
    task: 'Why is that credit as high as it is?',
    calls: [
      ['show_customer', () => ({ associatedId: 'user-ada' })],
      ['explain_invoice', newestInvoice],
    ],
    figure: (answers) => last(answers).lines[0].reason,
    expected: {
      equals:
        'A change within the period: the unused rest of what was billed in advance is credited, for 26 of 28 days.',
    },
  },
  {
    task: 'Explain the invoice INV-2026-00001',
    calls: [['explain_invoice', () => ({ documentNumber: 'INV-2026-00001' })]],
    figure: (answers) => last(answers).lines[0].reason,
    expected: { equals: 'The price of a whole period, billed in advance for 3 units at 10.00 eur.' },
  },
  {
    task: 'How many calls did Mallory pay for in January?',
    calls: [
      ['show_customer', () => ({ associatedId: 'user-mallory' })],
      ['explain_invoice', newestInvoice],
    ],
    figure: (answers) => last(answers).lines.find(({ kind }: { kind: string }) => kind === 'usage').usage,
    expected: { equals: '300' },
  },
  {
    task: 'What did those calls cost?',
    calls: [
      ['show_customer', () => ({ associatedId: 'user-mallory' })],
      ['explain_invoice', newestInvoice],
    ],
    figure: (answers) => last(answers).amountDue.decimal + last(answers).payments[0].amount.decimal,
    expected: { equals: '0.0030.00' },
  },
  {
    task: 'What would 8 seats cost Ada now?',
    calls: [
      ['show_customer', () => ({ associatedId: 'user-ada' })],
      [
        'preview_change',
        (_, [shown]) => ({ subscriptionId: shown!.value.subscriptions[0].subscriptionId, quantity: 8 }),
      ],
    ],
    figure: (answers) => last(answers).total.decimal,
    expected:
      '{ previewSubscriptionChange(id: "SUBSCRIPTION_ADA", input: { quantity: 8 }) { total { decimal } } }',
  },
  {
    task: 'And the next invoice?',
    calls: [['preview_change', ({ subscriptions }) => ({ subscriptionId: subscriptions.ada, quantity: 8 })]],
    figure: (answers) => last(answers).nextInvoice.total.decimal,
    expected:
      '{ previewSubscriptionChange(id: "SUBSCRIPTION_ADA", input: { quantity: 8 }) { nextInvoice { total { decimal } } } }',
  },
  {
    task: 'What would the yearly plan cost Ada?',
    calls: [
      [
        'preview_change',
        ({ subscriptions, prices }) => ({
          subscriptionId: subscriptions.ada,
          priceId: prices.yearly,
          quantity: 1,
        }),
      ],
    ],
    figure: (answers) => last(answers).total.decimal,
    expected:
      '{ previewSubscriptionChange(id: "SUBSCRIPTION_ADA", input: { priceId: "PRICE_YEARLY", quantity: 1 }) { total { decimal } } }',
  },
  {
    task: 'Who owes us money by transfer?',
    calls: [['list_overdue', () => ({})]],
    figure: (answers) => last(answers).invoices[0].amountDue.decimal,
    expected: '{ invoices(overdue: true) { nodes { amountDue { decimal } } } }',
  },
  {
    task: 'Whose renewal failed, and when is it tried again?',
    calls: [['list_overdue', () => ({})]],
    figure: (answers) => last(answers).failedPayments[0].nextTryAt,
    expected: '{ paymentsToRecover { nodes { nextTryAt } } }',
  },
  {
    task: 'How many renewals have failed?',
    calls: [['list_overdue', () => ({ first: 1 })]],
    figure: (answers) => String(last(answers).failedPaymentCount),
    expected: '{ paymentsToRecover { totalCount } }',
  },
];

const businessTasks: Task[] = [
  {
    task: 'What is our MRR?',
    calls: [['revenue_report', () => year]],
    figure: (answers) => last(answers).total.mrrEnd.decimal,
    expected: `{ revenue(currency: "EUR", from: "${start}", until: "2027-01-01T00:00:00Z") { total { mrrEnd { decimal } } } }`,
  },
  {
    task: 'What did we earn in January?',
    calls: [['revenue_report', () => ({ ...year, by: 'month', currency: 'EUR' })]],
    figure: (answers) => last(answers).periods[0].netRevenue.decimal,
    expected: `{ revenue(currency: "EUR", from: "${start}", until: "2026-02-01T00:00:00Z") { total { netRevenue { decimal } } } }`,
  },
  {
    task: 'How many customers are active?',
    calls: [['revenue_report', () => year]],
    figure: (answers) => String(last(answers).total.activeCustomers),
    expected: `{ revenue(currency: "EUR", from: "${start}", until: "2027-01-01T00:00:00Z") { total { activeCustomers } } }`,
  },
  {
    task: 'What does a seat of Team cost?',
    calls: [['list_catalog', () => ({})]],
    figure: (answers) =>
      last(answers).products.find(({ name }: { name: string }) => name === 'Team').prices[0].amount.decimal,
    expected: '{ price(id: "PRICE_TEAM") { details { decimal } } }',
  },
  {
    task: 'How many invoices have we issued?',
    calls: [['run_query', () => ({ query: '{ invoices { totalCount } }' })]],
    figure: (answers) => String(last(answers).untrustedData.invoices.totalCount),
    expected: '{ invoices { totalCount } }',
  },
  {
    task: 'What did the dearest invoice come to?',
    calls: [
      ['describe_schema', () => ({ name: 'Query.invoices' })],
      [
        'run_query',
        () => ({
          query: 'query ($min: MoneyInput) { invoices(minAmount: $min) { nodes { total { decimal } } } }',
          variables: { min: { decimal: '100', currency: 'EUR' } },
        }),
      ],
    ],
    figure: (answers) => last(answers).untrustedData.invoices.nodes[0].total.decimal,
    expected: '{ invoices(minAmount: { decimal: "100", currency: "EUR" }) { nodes { total { decimal } } } }',
  },
];

const developerTasks: Task[] = [
  {
    task: 'How do I verify a webhook?',
    calls: [
      ['search_docs', () => ({ query: 'Webhooks' })],
      ['read_doc', (_, [found]) => ({ page: found!.value.results[0].page })],
    ],
    figure: (answers) => last(answers).page,
    expected: { equals: 'guides/webhooks' },
  },
  {
    task: 'What does the error invoice_not_paid mean?',
    calls: [['read_doc', () => ({ page: 'errors/invoice_not_paid' })]],
    figure: (answers) => last(answers).title,
    expected: { equals: 'invoice_not_paid' },
  },
  {
    task: 'Which arguments does createCoupon take?',
    calls: [['describe_schema', () => ({ name: 'CreateCouponInput' })]],
    figure: (answers) => last(answers).schema.includes('percentOff: Decimal'),
    expected: { equals: true },
  },
  {
    task: 'What would be made for a plan at 19 euros?',
    calls: [
      [
        'create_catalog',
        () => ({
          step: 'plan',
          products: [
            {
              lookupKey: 'solo',
              name: 'Solo',
              prices: [{ lookupKey: 'solo_monthly', details: { decimal: '19', currency: 'EUR' } }],
            },
          ],
        }),
      ],
    ],
    figure: (answers) =>
      last(answers).changes.map(({ action, key }: { action: string; key: string }) => `${action} ${key}`),
    expected: { equals: ['create solo', 'create solo_monthly'] },
  },
];

/** The tasks that change nothing. */
export const readingTasks: Task[] = [...customerTasks, ...invoiceTasks, ...businessTasks, ...developerTasks];

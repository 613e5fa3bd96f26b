/** Tools about bills: why one costs what it does, what a change would cost, and what is overdue. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import type { Caller } from '../caller.ts';
import { explainedLine, explainLine, lineFields, type LineData } from '../lineReasons.ts';
import { declareTool } from '../tool.ts';
import {
  findNextCursor,
  id,
  instant,
  joinName,
  markedText,
  markText,
  money,
  moneyFields,
  nextCursor,
  pageFields,
  pageInput,
  type Money,
  type PageInfo,
} from '../values.ts';

const totals = { subtotal: money, discount: money, tax: money, total: money };
const totalFields = ['subtotal', 'discount', 'tax', 'total']
  .map((name) => `${name} ${moneyFields}`)
  .join(' ');

interface Totals {
  subtotal: Money;
  discount: Money;
  tax: Money;
  total: Money;
}

interface PaymentData {
  id: string;
  kind: string;
  status: string;
  createdAt: string;
  amount: Money;
  declineCode: string | null;
}

interface InvoiceData extends Totals {
  id: string;
  documentNumber: string | null;
  status: string;
  billingReason: string;
  issuedAt: string | null;
  dueAt: string | null;
  paidAt: string | null;
  customerId: string;
  subscriptionId: string | null;
  amountDue: Money;
  refunded: Money;
  refundable: Money;
  credited: Money;
  lines: LineData[];
  payments: PaymentData[];
}

const reasons: Record<string, string> = {
  cycle: 'A period of the subscription began and was billed in advance, with the usage of the period before.',
  one_off: 'One-off charges were billed.',
  plan_change: 'The plan, the quantity or the add-ons of the subscription changed within its period.',
  subscription_end: 'The subscription ended, and what was not billed yet was billed.',
  subscription_start: 'The subscription started, and its first period was billed.',
  usage_threshold: 'The usage reached the amount at which it is billed before the period ends.',
};

/** Explains an invoice. */
export const explainInvoice = declareTool({
  name: 'explain_invoice',
  title: 'Explain an invoice',
  description:
    'Explains why an invoice has its amount: why it was issued, each line with its reason and the figures behind it, tax, and what was paid for it. Use it for "why was this customer charged".',
  effect: 'read',
  input: z.strictObject({
    invoiceId: id.optional(),
    documentNumber: z.string().min(2).max(100).optional().describe('Or the number on the invoice.'),
  }),
  output: z.object({
    invoiceId: z.string(),
    documentNumber: z.string().nullable(),
    status: z.string(),
    customerId: z.string(),
    subscriptionId: z.string().nullable(),
    billingReason: z.string(),
    reason: z.string(),
    issuedAt: instant.nullable(),
    dueAt: instant.nullable(),
    paidAt: instant.nullable(),
    ...totals,
    amountDue: money,
    refunded: money,
    refundable: money,
    credited: money,
    lines: z.array(explainedLine),
    payments: z.array(
      z.object({
        paymentId: z.string(),
        kind: z.string(),
        status: z.string(),
        at: instant,
        amount: money,
        declineCode: z.string().nullable(),
      }),
    ),
  }),
  run: async (input, caller) => {
    const { invoice } = await caller.run<{ invoice: InvoiceData }>(
      `query ($id: ID!) { invoice(id: $id) { id documentNumber status billingReason issuedAt dueAt paidAt customerId
        subscriptionId ${totalFields} amountDue ${moneyFields} refunded ${moneyFields} refundable ${moneyFields}
        credited ${moneyFields} lines ${lineFields}
        payments { id kind status createdAt declineCode amount ${moneyFields} } } }`,
      { id: await findInvoiceId(input, caller) },
      { id: 'invoiceId' },
    );
    const { id: invoiceId, lines, payments, ...rest } = invoice;
    return {
      invoiceId,
      ...rest,
      reason: reasons[rest.billingReason] ?? rest.billingReason,
      lines: lines.map(explainLine),
      payments: payments.map(({ id: paymentId, createdAt: at, ...payment }) => ({
        paymentId,
        at,
        ...payment,
      })),
    };
  },
});

interface NamedInvoice {
  invoiceId?: string | undefined;
  documentNumber?: string | undefined;
}

async function findInvoiceId({ invoiceId, documentNumber }: NamedInvoice, caller: Caller): Promise<string> {
  if ((invoiceId === undefined) === (documentNumber === undefined))
    refuse('validation_failed', {
      path: 'invoiceId',
      message: 'must be given, or documentNumber, and not both',
    });
  if (invoiceId !== undefined) return invoiceId;
  const { search } = await caller.run<{ search: { nodeId: string; title: string; node: NumberedNode }[] }>(
    `query ($number: String!) { search(query: $number, types: [invoice], first: 5) {
      nodeId title node { ... on Invoice { documentNumber } } } }`,
    { number: documentNumber },
    { query: 'documentNumber' },
  );
  const found = search.find(({ node }) => node?.documentNumber === documentNumber);
  return found?.nodeId ?? refuse('invoice_not_found', { path: 'documentNumber', message: 'is unknown' });
}

type NumberedNode = { documentNumber?: string } | null;

interface PreviewData extends Totals {
  effectiveAt: string;
  lines: LineData[];
  nextInvoice: { date: string; total: Money; tax: Money } | null;
  warnings: { code: string; message: string }[];
}

const addOn = z.strictObject({ priceId: id, quantity: z.number().int().min(0).optional() });

/** The fields of a change of a subscription, as `SubscriptionChangeInput` has them. */
export const changeInput = {
  subscriptionId: id,
  priceId: id.optional().describe('The price to change to; without it, the present one.'),
  quantity: z.number().int().min(1).optional(),
  addOns: z.array(addOn).max(20).optional().describe('All add-ons that the subscription has afterwards.'),
  billing: z
    .string()
    .max(40)
    .optional()
    .describe('When and how the change is billed (ChangeBilling); without it, by the policy of the tenant.'),
};

/** Previews a change of a subscription. */
export const previewChange = declareTool({
  name: 'preview_change',
  title: 'Preview a change of a subscription',
  description:
    'Shows what a change of price, quantity or add-ons of a subscription would cost: each line with its reason, the total due now, and the next invoice. Changes nothing; computed by the functions that make the change.',
  effect: 'read',
  input: z.strictObject(changeInput),
  output: z.object({
    effectiveAt: instant,
    ...totals,
    lines: z.array(explainedLine),
    nextInvoice: z.object({ date: instant, total: money, tax: money }).nullable(),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  }),
  run: async ({ subscriptionId, ...input }, caller) => {
    const { previewSubscriptionChange: preview } = await caller.run<{
      previewSubscriptionChange: PreviewData;
    }>(
      `query ($id: ID!, $input: SubscriptionChangeInput!) { previewSubscriptionChange(id: $id, input: $input) {
        effectiveAt ${totalFields} lines ${lineFields}
        nextInvoice { date total ${moneyFields} tax ${moneyFields} } warnings { code message } } }`,
      { id: subscriptionId, input },
      { id: 'subscriptionId' },
    );
    return { ...preview, lines: preview.lines.map(explainLine) };
  },
});

interface OverdueData {
  id: string;
  documentNumber: string | null;
  dueAt: string;
  amountDue: Money;
  customer: Buyer | null;
}

interface Buyer {
  id: string;
  firstName: string;
  lastName: string;
  companyName: string | null;
}

interface RecoveryData {
  amount: Money;
  failedSince: string;
  nextTryAt: string | null;
  cancelAt: string | null;
  declineCode: string | null;
  invoice: { id: string; documentNumber: string | null } | null;
  subscription: { id: string; customer: Buyer | null };
}

const buyerFields = 'customer { id firstName lastName companyName }';

const buyer = { customerId: z.string().nullable(), customer: markedText.nullable() };

const toBuyer = (data: Buyer | null) => ({
  customerId: data?.id ?? null,
  customer: data && markText(data.companyName ?? joinName(data)),
});

/** Lists what customers owe. */
export const listOverdue = declareTool({
  name: 'list_overdue',
  title: 'List what is overdue',
  description:
    'Lists what customers owe: open invoices after their due date, and failed renewals of subscriptions with the next attempt. Each list has a cursor of its own.',
  effect: 'read',
  input: z.strictObject({
    first: pageInput(10, 25).first,
    afterInvoice: z.string().max(1000).optional().describe('The nextInvoiceCursor of the page before.'),
    afterPayment: z.string().max(1000).optional().describe('The nextPaymentCursor of the page before.'),
  }),
  output: z.object({
    invoices: z.array(
      z.object({
        invoiceId: z.string(),
        documentNumber: z.string().nullable(),
        dueAt: instant,
        amountDue: money,
        ...buyer,
      }),
    ),
    overdueInvoiceCount: z.number(),
    nextInvoiceCursor: nextCursor,
    failedPayments: z.array(
      z.object({
        subscriptionId: z.string(),
        invoiceId: z.string().nullable(),
        documentNumber: z.string().nullable(),
        amount: money,
        failedSince: instant,
        nextTryAt: instant.nullable(),
        cancelAt: instant.nullable().describe('When the subscription ends if nothing is paid.'),
        declineCode: z.string().nullable(),
        ...buyer,
      }),
    ),
    failedPaymentCount: z.number(),
    nextPaymentCursor: nextCursor,
  }),
  run: async ({ first, afterInvoice, afterPayment }, caller) => {
    const { invoices, paymentsToRecover: payments } = await caller.run<{
      invoices: { totalCount: number; nodes: OverdueData[] } & PageInfo;
      paymentsToRecover: { totalCount: number; nodes: RecoveryData[] } & PageInfo;
    }>(
      `query ($first: Int!, $afterInvoice: String, $afterPayment: String) {
        invoices(overdue: true, first: $first, after: $afterInvoice) { totalCount ${pageFields}
          nodes { id documentNumber dueAt amountDue ${moneyFields} ${buyerFields} } }
        paymentsToRecover(first: $first, after: $afterPayment) { totalCount ${pageFields} nodes { amount ${moneyFields}
          failedSince nextTryAt cancelAt declineCode invoice { id documentNumber } subscription { id ${buyerFields} } } }
      }`,
      { first, afterInvoice, afterPayment },
    );
    return {
      invoices: invoices.nodes.map(({ id: invoiceId, customer, ...rest }) => ({
        invoiceId,
        ...rest,
        ...toBuyer(customer),
      })),
      overdueInvoiceCount: invoices.totalCount,
      nextInvoiceCursor: findNextCursor(invoices),
      failedPayments: payments.nodes.map(({ invoice, subscription, ...rest }) => ({
        subscriptionId: subscription.id,
        invoiceId: invoice?.id ?? null,
        documentNumber: invoice?.documentNumber ?? null,
        ...rest,
        ...toBuyer(subscription.customer),
      })),
      failedPaymentCount: payments.totalCount,
      nextPaymentCursor: findNextCursor(payments),
    };
  },
});

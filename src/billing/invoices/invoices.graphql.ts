import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { openInPortal, openToCustomers } from '../../graphql/openness.ts';
import { Query, Mutation } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { DocumentKinds } from '../../tenants/numberSeries.graphql.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { CurrentTenant, searchFilter } from '../../graphql/arguments.ts';
import {
  AmountConnectionArgs,
  ConnectionArgs,
  defineConnection,
  nestedPage,
} from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, MoneyInput, toMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { computeSubtotal, sumDiscounts } from '../pricing/discounts.ts';
import { sumTaxes } from '../pricing/tax.ts';
import type { EInvoiceStatus } from '../../storage/model/eInvoices.ts';
import { EInvoiceStatusType } from './eInvoiceStatus.graphql.ts';
import {
  BillingReason,
  InvoiceCollectionMethod,
  InvoiceStatus,
  LocationEvidenceGap,
} from './invoiceEnums.graphql.ts';
import { amountReasons } from '../payments/amountFilter.ts';
import { computeRefundable } from '../payments/returns.ts';
import { chooseIssued, findInvoice, listInvoices, type InvoiceLineRow, type InvoiceRow } from './invoices.ts';
import { BillLine } from './lines.graphql.ts';
import { isOverdue, buildPaymentReference, startsOnPayment } from '../payments/paymentTerms.ts';
import { refundInvoice } from './refunds.ts';
import {
  showTaxes,
  taxesField,
  taxesWork,
  taxField,
  TaxTotalType,
  type ShownTaxTotal,
} from './taxes.graphql.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

@Extensions(refetchBy(({ read }, id) => findInvoice(read, id)))
@ObjectType('Invoice', {
  implements: Node,
  simpleResolvers: true,
  description: 'An invoice for a period of a subscription, or for one-off charges.',
})
export class Invoice extends Node {
  @Field(() => Int, { description: 'A number per tenant, starting at 1 without gaps.' })
  number!: number;

  @Extensions(openToCustomers)
  @Field(() => String, {
    nullable: true,
    description:
      'The number of the document, from the number series of the tenant; null until it is finalized, and for ' +
      'invoices of releases without documents.',
  })
  documentNumber!: string | null;

  @Extensions(openToCustomers)
  @Field(() => InvoiceStatus, { description: 'The status.' })
  status!: string;

  @Extensions(openToCustomers)
  @Field(() => ID, {
    nullable: true,
    description: 'The billed subscription; null until it has started, and for one-off charges.',
  })
  subscriptionId!: string | null;

  @Field(() => BillingReason, { description: 'Why it was issued.' })
  billingReason!: string;

  @Field(() => ID, { description: 'The customer who is billed.' })
  customerId!: string;

  @Extensions(openToCustomers)
  @Field(() => DateTime, {
    nullable: true,
    description: 'The due date of an invoice paid manually; null if a payment method is charged.',
  })
  dueAt!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was finalized: the date of its document. Null before.',
  })
  issuedAt!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the grace of the tenant ends and it is finalized; null if it is, or if only `finalizeInvoice` does it.',
  })
  finalizeAt!: string | null;

  @Extensions(openToCustomers)
  @Field(() => String, {
    nullable: true,
    description: "The number of the customer's order, which the document names; null for none.",
  })
  purchaseOrder!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { nullable: true, description: 'When it was paid.' })
  paidAt!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

const InvoiceConnection = defineConnection<InvoiceRow>('Invoice', () => Invoice, openToCustomers);

@InputType({ description: 'A refund of an invoice.' })
class RefundInvoiceInput {
  @Field(() => MoneyInput, { nullable: true, description: 'The amount. Default: `refundable`.' })
  amount?: MoneyInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why, 1 to 200 characters: kept and printed with the credit note.',
  })
  reason?: string | null;
}

@Resolver(() => Invoice)
export class InvoiceResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => Money, { description: 'The sum of its lines and their tax.' })
  total(@Root() invoice: InvoiceRow): Money {
    return toMoney(invoice.totalMinor, invoice.currency);
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Money, {
    description:
      "The sum of its lines before discounts, as priced, without what the customer's balance paid. Lines whose price " +
      'contains the tax count with it.',
  })
  async subtotal(@Ctx() context: Context, @Root() invoice: InvoiceRow): Promise<Money> {
    const lines = await context.listBy('invoiceLines', 'invoiceId', invoice.id);
    return toMoney(computeSubtotal(lines), invoice.currency);
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Money, taxField)
  tax(@Root() { taxes, currency }: InvoiceRow): Money {
    return toMoney(sumTaxes(taxes), currency);
  }

  @Extensions(taxesWork)
  @Extensions(openToCustomers)
  @FieldResolver(() => [TaxTotalType], taxesField)
  taxes(@Root() { taxes, currency }: InvoiceRow): ShownTaxTotal[] {
    return showTaxes(taxes, currency);
  }

  @FieldResolver(() => Money, { description: 'The amount that discounts and credit grants took off.' })
  async discount(@Ctx() context: Context, @Root() invoice: InvoiceRow): Promise<Money> {
    const lines = await context.listBy('invoiceLines', 'invoiceId', invoice.id);
    return toMoney(sumDiscounts(lines), invoice.currency);
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Money, { description: 'The refunded amount, as money or to the balance.' })
  refunded(@Root() invoice: InvoiceRow): Money {
    return toMoney(invoice.refundedMinor, invoice.currency);
  }

  @FieldResolver(() => Money, {
    description:
      'What the payment provider took back and no credit note covers: the money of open disputes, and what refunds made ' +
      'there and lost disputes exceed the creditable lines by.',
  })
  withdrawn(@Root() invoice: InvoiceRow): Money {
    return toMoney(invoice.withdrawnMinor ?? 0n, invoice.currency);
  }

  @FieldResolver(() => Money, {
    description:
      'The amount that `refundInvoice` can still refund: the amount paid, in money and from the balance, ' +
      'less refunds and credits from plan changes.',
  })
  async refundable(@Ctx() context: Context, @Root() invoice: InvoiceRow): Promise<Money> {
    const lines = await context.listBy('invoiceLines', 'invoiceId', invoice.id);
    return toMoney(computeRefundable(invoice, lines), invoice.currency);
  }

  @FieldResolver(() => InvoiceCollectionMethod, { description: 'How it is collected.' })
  collection(@Root() { dueAt }: InvoiceRow): string {
    return dueAt === null ? InvoiceCollectionMethod.automatic : InvoiceCollectionMethod.send_invoice;
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Boolean, { description: 'Whether it is open after its `dueAt`.' })
  overdue(@Ctx() context: Context, @Root() invoice: InvoiceRow): boolean {
    return isOverdue(invoice, context.tenant.now());
  }

  @FieldResolver(() => DocumentKinds, {
    description:
      'The series of `documentNumber`: that of credit notes if the credits of a plan change exceed its charges. ' +
      'Its document is then a credit note that names the invoices it credits.',
  })
  documentKind(@Root() { documentKind }: InvoiceRow): string {
    return documentKind ?? DocumentKinds.invoice;
  }

  @FieldResolver(() => String, {
    description:
      'The payment reference for a bank transfer: an ISO 11649 creditor reference built from `number`.',
  })
  paymentReference(@Root() invoice: InvoiceRow): string {
    return buildPaymentReference(invoice);
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether the subscription starts when the payment is received. Until then, its lines show the period ' +
      'counted from the order; its document states no period, unless it ends on a fixed day.',
  })
  startsOnPayment(@Root() invoice: InvoiceRow): boolean {
    return startsOnPayment(invoice);
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => [BillLine], { description: 'The lines.' })
  lines(@Ctx() context: Context, @Root() invoice: InvoiceRow): Promise<InvoiceLineRow[]> {
    return context.listBy('invoiceLines', 'invoiceId', invoice.id);
  }

  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() invoice: InvoiceRow) {
    return context.byId('customers', invoice.customerId);
  }

  @Query(() => Invoice, {
    nullable: true,
    description: 'Returns an invoice by id.',
    permission: 'read',
    reasons: ['invoice_not_found', 'invoice_not_finalized'],
  })
  invoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The invoice.' }) id: string,
  ): Promise<InvoiceRow> {
    return findInvoice(tenant.read, id);
  }

  @Query(() => InvoiceConnection, {
    nullable: true,
    description: 'Lists invoices.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout', ...amountReasons],
  })
  async invoices(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => AmountConnectionArgs) { currency, minAmount, maxAmount, ...page }: AmountConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string,
    @Arg('subscriptionId', () => ID, { nullable: true, description: 'Filter by subscription.' })
    subscriptionId?: string,
    @Arg('status', () => InvoiceStatus, { nullable: true, description: 'Filter by status.' })
    status?: InvoiceRow['status'],
    @Arg('collection', () => InvoiceCollectionMethod, {
      nullable: true,
      description: 'Filter by how they are collected.',
    })
    collection?: keyof typeof InvoiceCollectionMethod,
    @Arg('overdue', () => Boolean, {
      nullable: true,
      description: 'If true, only invoices that are open after their `dueAt`.',
    })
    overdue?: boolean,
    @Arg('eInvoiceStatus', () => EInvoiceStatusType, {
      nullable: true,
      description: 'Filter by how far their e-invoices have come.',
    })
    eInvoiceStatus?: EInvoiceStatus,
    @Arg('evidenceGap', () => LocationEvidenceGap, {
      nullable: true,
      description: 'Filter by what is wrong with the evidence of where the customer is.',
    })
    evidenceGap?: keyof typeof LocationEvidenceGap,
    @Arg('search', () => String, searchFilter('their number and id, or of their customer')) search?: string,
  ) {
    const amounts = { currency, minAmount, maxAmount };
    const own = {
      customerId,
      subscriptionId,
      status,
      collection,
      overdue,
      eInvoiceStatus,
      evidenceGap,
      search,
    };
    const filter = { ...own, ...amounts };
    return new InvoiceConnection(await listInvoices(tenant, filter, page));
  }

  @Mutation(() => Invoice, {
    nullable: true,
    description:
      'Refunds an invoice in full or in part, never more than was paid less credits from plan changes. ' +
      'Money is refunded first, to its source, then the part paid from the balance, to the balance.',
    permission: 'refund',
    proposable: true,
    reasons: [
      'invoice_not_found',
      'invoice_not_paid',
      'refund_too_large',
      'currency_mismatch',
      ...moneyReasons,
      'payment_failed',
    ],
  })
  refundInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The invoice.' }) id: string,
    @Arg('input', () => RefundInvoiceInput, { nullable: true, description: 'How much, and why.' })
    input?: RefundInvoiceInput | null,
  ): Promise<InvoiceRow> {
    return refundInvoice(tenant, id, { amount: input?.amount, reason: input?.reason });
  }
}

@Resolver(() => Customer)
export class CustomerInvoicesResolver {
  @Extensions(nestedPage)
  @Extensions(openInPortal('invoices'))
  @FieldResolver(() => InvoiceConnection, { nullable: true, description: 'The invoices of the customer.' })
  async invoices(
    @Ctx() { tenant, audience }: Context,
    @Root() { id: customerId }: Customer,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('status', () => InvoiceStatus, { nullable: true, description: 'Filter by status.' })
    status?: InvoiceRow['status'],
  ) {
    const shown = audience === 'customer' ? chooseIssued(status) : status;
    return new InvoiceConnection(await listInvoices(tenant, { customerId, status: shown }, page));
  }
}

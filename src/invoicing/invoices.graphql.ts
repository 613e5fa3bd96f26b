import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  Float,
  ID,
  Int,
  Mutation,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { tenantAlias } from '../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../graphql/connections.ts';
import type { Context } from '../graphql/context.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { Node } from '../graphql/node.ts';
import { DateTime } from '../graphql/scalars.ts';
import { computeRefundable } from './returns.ts';
import { findInvoice, listInvoices, type InvoiceLineRow, type InvoiceRow } from './invoices.ts';
import { BillLine } from './lines.graphql.ts';
import { isOverdue, buildPaymentReference, startsOnPayment } from './paymentTerms.ts';
import { refundInvoice } from './refunds.ts';

const InvoiceStatus = { open: 'open', paid: 'paid', void: 'void', uncollectible: 'uncollectible' } as const;
registerEnumType(InvoiceStatus, {
  name: 'InvoiceStatus',
  description: 'Where an invoice stands.',
  valuesConfig: {
    open: { description: 'Waits to be paid.' },
    paid: { description: 'Is paid in full.' },
    void: { description: 'Is owed no longer.' },
    uncollectible: { description: 'Was given up.' },
  },
});

const BillingReason = {
  subscription_start: 'subscription_start',
  cycle: 'cycle',
  plan_change: 'plan_change',
} as const;
registerEnumType(BillingReason, {
  name: 'BillingReason',
  description: 'What an invoice was issued for.',
  valuesConfig: {
    subscription_start: { description: 'The first period of a subscription.' },
    cycle: { description: 'A further period.' },
    plan_change: { description: 'A change of plan.' },
  },
});

@ObjectType('Invoice', {
  implements: Node,
  simpleResolvers: true,
  description: 'What a subscription owes, or owed, for a period.',
})
export class Invoice extends Node {
  @Field(() => Int, { description: 'Counts from 1 within the tenant, without gaps.' })
  number!: number;

  @Field(() => InvoiceStatus, { description: 'Where it stands.' })
  status!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The subscription that it bills; null until it has begun.',
  })
  subscriptionId!: string | null;

  @Field(() => BillingReason, { description: 'What it was issued for.' })
  billingReason!: string;

  @Field(() => ID, { description: 'The customer who owes it.' })
  customerId!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when it must be paid by hand; null where a payment method is charged.',
  })
  dueAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was paid.' })
  paidAt!: string | null;

  @Field(() => DateTime, { description: 'When it was issued.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

const InvoiceConnection = defineConnection<InvoiceRow>('Invoice', () => Invoice);

@Resolver(() => Invoice)
export class InvoiceResolver {
  @FieldResolver(() => Money, { description: 'The sum of its lines.' })
  total(@Root() invoice: InvoiceRow): Money {
    return toMoney(invoice.totalMinor, invoice.currency);
  }

  @FieldResolver(() => Money, { description: 'What of it was refunded, as money or to the balance.' })
  refunded(@Root() invoice: InvoiceRow): Money {
    return toMoney(invoice.refundedMinor, invoice.currency);
  }

  @FieldResolver(() => Money, {
    description:
      'What `refundInvoice` can still give back: what was paid for it, by money and by balance, less what was ' +
      'refunded and what plan changes have credited of its lines.',
  })
  async refundable(@Ctx() context: Context, @Root() invoice: InvoiceRow): Promise<Money> {
    const lines = await context.listBy('invoiceLines', 'invoiceId', invoice.id);
    return toMoney(computeRefundable(invoice, lines), invoice.currency);
  }

  @FieldResolver(() => Boolean, { description: 'Whether it is open, and its `dueAt` has passed.' })
  overdue(@Ctx() context: Context, @Root() invoice: InvoiceRow): boolean {
    return isOverdue(invoice, context.tenant().now());
  }

  @FieldResolver(() => String, {
    description:
      'What a payer gives as the reference of a transfer: an ISO 11649 creditor reference of `number`.',
  })
  paymentReference(@Root() invoice: InvoiceRow): string {
    return buildPaymentReference(invoice);
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether the subscription begins when the money is received: until then the period of its lines is that of the order.',
  })
  startsOnPayment(@Root() invoice: InvoiceRow): boolean {
    return startsOnPayment(invoice);
  }

  @FieldResolver(() => [BillLine], { description: 'What it consists of.' })
  lines(@Ctx() context: Context, @Root() invoice: InvoiceRow): Promise<InvoiceLineRow[]> {
    return context.listBy('invoiceLines', 'invoiceId', invoice.id);
  }

  @Query(() => Invoice, {
    nullable: true,
    description: 'The invoice of that id.',
  })
  invoice(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The invoice.' }) id: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<InvoiceRow> {
    return findInvoice(context.tenant(alias).read, id);
  }

  @Query(() => InvoiceConnection, {
    nullable: true,
    description: 'The invoices of a tenant.',
  })
  async invoices(
    @Ctx() context: Context,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Only those of this customer.' })
    customerId?: string,
    @Arg('subscriptionId', () => ID, { nullable: true, description: 'Only those of this subscription.' })
    subscriptionId?: string,
    @Arg('status', () => InvoiceStatus, { nullable: true, description: 'Only those that stand so.' })
    status?: InvoiceRow['status'],
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ) {
    const filter = { customerId, subscriptionId, status };
    return new InvoiceConnection(await listInvoices(context.tenant(alias), filter, page));
  }

  @Mutation(() => Invoice, {
    nullable: true,
    description:
      'Gives back what was paid, or a part of it, but never what a plan change has credited: money first, to where ' +
      "it came from, then what the customer's balance paid, to the balance.",
  })
  refundInvoice(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The invoice.' }) id: string,
    @Arg('amount', () => Float, {
      nullable: true,
      description: 'Major units; all that is `refundable` unless given.',
    })
    amount?: number,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<InvoiceRow> {
    return refundInvoice(context.tenant(alias), id, amount);
  }
}

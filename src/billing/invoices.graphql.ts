import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { tenantAlias } from '../graphql/arguments.ts';
import { ConnectionArgs, connectionOf } from '../graphql/connections.ts';
import type { Context } from '../graphql/context.ts';
import { Money, moneyOf } from '../graphql/money.ts';
import { Node } from '../graphql/node.ts';
import { DateTime, JSONObject } from '../graphql/scalars.ts';
import { findInvoice, listInvoices, type InvoiceLineRow, type InvoiceRow } from './invoices.ts';

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

const InvoiceLineKind = {
  CYCLE: 'CYCLE',
  STUB: 'STUB',
  PRORATION_CREDIT: 'PRORATION_CREDIT',
  PRORATION_CHARGE: 'PRORATION_CHARGE',
  BALANCE: 'BALANCE',
} as const;
registerEnumType(InvoiceLineKind, {
  name: 'InvoiceLineKind',
  description: 'What a line stands for.',
  valuesConfig: {
    CYCLE: { description: 'A whole billing cycle.' },
    STUB: { description: 'The shorter first period up to the billing anchor.' },
    PRORATION_CREDIT: { description: 'The unused rest of a period that was paid.' },
    PRORATION_CHARGE: { description: 'The rest of a period at a new price.' },
    BALANCE: { description: "Taken from, or left to, the customer's balance." },
  },
});

@ObjectType('InvoiceLine', {
  simpleResolvers: true,
  description: 'One part of an invoice, and the figures that its amount was computed from.',
})
class InvoiceLine {
  @Field(() => ID, { description: 'Unique among lines.' })
  id!: string;

  @Field(() => InvoiceLineKind, { description: 'What the line stands for.' })
  kind!: string;

  @Field(() => String, { description: 'The line in words.' })
  description!: string;

  @Field(() => DateTime, { description: 'Where its period begins, included.' })
  periodStart!: string;

  @Field(() => DateTime, { description: 'Where its period ends, not included.' })
  periodEnd!: string;

  @Field(() => JSONObject, {
    description: 'amount = round half up (priceMinor × remainingMs ÷ totalMs), in minor units.',
  })
  explanation!: Record<string, unknown>;
}

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

  @Field(() => ID, { description: 'The subscription that it bills.' })
  subscriptionId!: string;

  @Field(() => ID, { description: 'The customer who owes it.' })
  customerId!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was paid.' })
  paidAt!: string | null;

  @Field(() => DateTime, { description: 'When it was issued.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

const InvoiceConnection = connectionOf<InvoiceRow>('Invoice', () => Invoice);

@Resolver(() => InvoiceLine)
export class InvoiceLineResolver {
  @FieldResolver(() => Money, { description: 'What it comes to; a credit is negative.' })
  amount(@Root() line: InvoiceLineRow): Money {
    return moneyOf(line.amountMinor, line.currency);
  }
}

@Resolver(() => Invoice)
export class InvoiceResolver {
  @FieldResolver(() => Money, { description: 'The sum of its lines.' })
  total(@Root() invoice: InvoiceRow): Money {
    return moneyOf(invoice.totalMinor, invoice.currency);
  }

  @FieldResolver(() => [InvoiceLine], { description: 'What it consists of.' })
  lines(@Ctx() context: Context, @Root() invoice: InvoiceRow): Promise<InvoiceLineRow[]> {
    return context.having('invoiceLines', 'invoiceId', invoice.id);
  }

  @Query(() => Invoice, {
    nullable: true,
    description: 'The invoice of that id. Error: `invoice_not_found`.',
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
    description: 'The invoices of a tenant. Errors: `validation_failed`, `cursor_invalid`.',
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
}

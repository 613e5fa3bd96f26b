import { Ctx, Field, FieldResolver, ID, ObjectType, registerEnumType, Resolver, Root } from 'type-graphql';
import type { Context } from '../graphql/context.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { DateTime } from '../graphql/scalars.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { Invoice } from './invoices.graphql.ts';
import type { InvoiceRow } from './invoices.ts';

type PaymentRow = Row<'payments'>;

const PaymentKind = { charge: 'charge', refund: 'refund' } as const;
registerEnumType(PaymentKind, {
  name: 'PaymentKind',
  description: 'The direction of a payment.',
  valuesConfig: {
    charge: { description: 'Money of the customer.' },
    refund: { description: 'Money that the customer gets back.' },
  },
});

const PaymentStatus = { pending: 'pending', succeeded: 'succeeded', failed: 'failed' } as const;
registerEnumType(PaymentStatus, {
  name: 'PaymentStatus',
  description: 'The status of a payment.',
  valuesConfig: {
    pending: { description: 'Its outcome is not known yet.' },
    succeeded: { description: 'The money was moved.' },
    failed: { description: 'No money was moved.' },
  },
});

@ObjectType('Payment', { simpleResolvers: true, description: 'A charge for an invoice, or a refund.' })
class Payment {
  @Field(() => ID, { description: 'The id.' })
  id!: string;

  @Field(() => PaymentKind, { description: 'The direction.' })
  kind!: string;

  @Field(() => PaymentStatus, { description: 'The status.' })
  status!: string;

  @Field(() => ID, { nullable: true, description: 'The charge that a refund returns.' })
  chargeId!: string | null;

  @Field(() => String, { description: 'The payment provider: `stripe`, `mollie`, `manual`.' })
  provider!: string;

  @Field(() => String, {
    nullable: true,
    description: "The provider's id of the payment, or the reference that was recorded with a bank transfer.",
  })
  reference!: string | null;

  @Field(() => String, { nullable: true, description: 'Why it failed, in the words of the provider.' })
  failureReason!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When money that was recorded by hand was received.',
  })
  receivedAt!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;
}

@Resolver(() => Payment)
export class PaymentResolver {
  @FieldResolver(() => Money, { description: 'The amount.' })
  amount(@Root() { amountMinor, currency }: PaymentRow): Money {
    return toMoney(amountMinor, currency);
  }
}

@Resolver(() => Invoice)
export class InvoicePaymentsResolver {
  @FieldResolver(() => [Payment], {
    description: 'The charges of the invoice, failed ones included, and its refunds, oldest first.',
  })
  payments(@Ctx() context: Context, @Root() { id }: InvoiceRow): Promise<PaymentRow[]> {
    return context.listBy('payments', 'invoiceId', id);
  }
}

import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { CurrentTenant, searchFilter } from '../../graphql/arguments.ts';
import { AmountConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { DisputeStatus } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { DeclineCodes } from './declineCode.graphql.ts';
import type { DeclineCode } from '../../lib/declineCodes.ts';
import { PaymentProvider } from '../../tenants/paymentProvider.graphql.ts';
import { amountReasons } from './amountFilter.ts';
import { findPayment, listPayments } from './payments.ts';

type PaymentRow = Row<'payments'>;

const PaymentKind = { charge: 'charge', refund: 'refund', dispute: 'dispute' } as const;
registerEnumType(PaymentKind, {
  name: 'PaymentKind',
  description: 'The kind of a movement of money.',
  valuesConfig: {
    charge: { description: 'Money from the payer.' },
    refund: { description: 'Money to the payer, requested here or at the provider.' },
    dispute: {
      description: 'Money that the bank of the payer takes back, because the payer disputes a charge.',
    },
  },
});

const PaymentStatus = { pending: 'pending', succeeded: 'succeeded', failed: 'failed' } as const;
registerEnumType(PaymentStatus, {
  name: 'PaymentStatus',
  description: 'The status of a movement of money.',
  valuesConfig: {
    pending: { description: 'Under way; of a dispute: an inquiry, which has not moved money.' },
    succeeded: { description: 'The money has moved; of a dispute: it is withdrawn.' },
    failed: { description: 'The money has not moved; of a dispute: it is back, or was never withdrawn.' },
  },
});

export const DisputeStatusType = {
  inquiry: 'inquiry',
  inquiry_closed: 'inquiry_closed',
  needs_response: 'needs_response',
  under_review: 'under_review',
  won: 'won',
  lost: 'lost',
} as const satisfies Record<DisputeStatus, DisputeStatus>;
registerEnumType(DisputeStatusType, {
  name: 'DisputeStatus',
  description: 'The status of a dispute.',
  valuesConfig: {
    inquiry: { description: 'The bank asks about the charge; no money is withdrawn.' },
    inquiry_closed: { description: 'An inquiry ended without a dispute.' },
    needs_response: { description: 'The money is withdrawn; the provider takes evidence.' },
    under_review: { description: 'The money is withdrawn; the bank reviews the evidence.' },
    won: { description: 'The money is back.' },
    lost: { description: 'The money stays with the payer; a credit note covers it.' },
  },
});

@ObjectType('Dispute', { simpleResolvers: true, description: 'The state of a dispute at the provider.' })
class Dispute {
  @Field(() => DisputeStatusType, { description: 'The status.' })
  status!: DisputeStatus;

  @Field(() => String, {
    nullable: true,
    description: 'The reason, as the provider names it, such as `fraudulent`; null if it gives none.',
  })
  reason!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The date until which the provider takes evidence; null if it takes none.',
  })
  evidenceDueAt!: string | null;
}

@Extensions(refetchBy(({ read }, id) => findPayment(read, id)))
@ObjectType('Payment', {
  implements: Node,
  simpleResolvers: true,
  description: 'A charge, a refund or a dispute: an attempt to move money, with its outcome.',
})
export class Payment extends Node {
  @Field(() => PaymentKind, { description: 'The kind.' })
  kind!: string;

  @Field(() => PaymentStatus, { description: 'The status.' })
  status!: string;

  @Field(() => ID, { description: 'The customer who pays.' })
  customerId!: string;

  @Field(() => ID, { nullable: true, description: 'The invoice; null for a charge whose intent had none.' })
  invoiceId!: string | null;

  @Field(() => ID, { nullable: true, description: 'Of a refund or a dispute: the charge.' })
  chargeId!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The id at the provider, or the reference of a recorded payment; null for refunds made from here.',
  })
  reference!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Why it failed; `other_amount_received` for a charge that brought another amount than was owed, and was given back.',
  })
  failureReason!: string | null;

  @Field(() => DeclineCodes, {
    nullable: true,
    description:
      'Why a charge was declined; null if it was not, and for those before the release that added it.',
  })
  declineCode!: DeclineCode | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When money that was recorded by hand was received.',
  })
  receivedAt!: string | null;

  @Field(() => DateTime, { description: 'When it was recorded.' })
  createdAt!: string;
}

const PaymentConnection = defineConnection<PaymentRow>('Payment', () => Payment);

const customerFilter = { nullable: true, description: 'Filter by customer.' };

@Resolver(() => Payment)
export class PaymentResolver {
  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: PaymentRow) {
    return context.byId('customers', customerId);
  }

  @FieldResolver(() => PaymentProvider, {
    nullable: true,
    description: 'The payment provider; null for a charge that failed because there was no payment method.',
  })
  provider(@Root() { provider }: PaymentRow): string | null {
    return provider === 'none' ? null : provider;
  }

  @FieldResolver(() => Money, { description: 'The amount.' })
  amount(@Root() { amountMinor, currency }: PaymentRow): Money {
    return toMoney(amountMinor, currency);
  }

  @FieldResolver(() => Dispute, { nullable: true, description: 'The dispute; null for other kinds.' })
  dispute(@Root() payment: PaymentRow): Dispute | null {
    const { disputeStatus: status, disputeReason: reason, evidenceDueAt } = payment;
    return status === null ? null : { status, reason, evidenceDueAt };
  }

  @Query(() => Payment, {
    nullable: true,
    description: 'Returns a payment by id.',
    permission: 'read',
    reasons: ['payment_not_found', 'invoice_not_finalized'],
  })
  payment(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The payment.' }) id: string,
  ): Promise<PaymentRow> {
    return findPayment(tenant.read, id);
  }

  @Query(() => PaymentConnection, {
    nullable: true,
    description: 'Lists charges, refunds and disputes.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout', ...amountReasons],
  })
  async payments(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => AmountConnectionArgs) { currency, minAmount, maxAmount, ...page }: AmountConnectionArgs,
    @Arg('customerId', () => ID, customerFilter) customerId?: string,
    @Arg('kind', () => PaymentKind, { nullable: true, description: 'Filter by kind.' })
    kind?: keyof typeof PaymentKind,
    @Arg('status', () => PaymentStatus, { nullable: true, description: 'Filter by status.' })
    status?: keyof typeof PaymentStatus,
    @Arg('declineCode', () => DeclineCodes, {
      nullable: true,
      description: 'Filter by the reason of a declined charge.',
    })
    declineCode?: DeclineCode,
    @Arg('search', () => String, searchFilter('the texts of their customer')) search?: string,
  ) {
    const amounts = { currency, minAmount, maxAmount };
    const filter = { customerId, kind, status, declineCode, search, ...amounts };
    return new PaymentConnection(await listPayments(tenant, filter, page));
  }

  @Query(() => PaymentConnection, {
    nullable: true,
    description: 'Lists disputes: the payments of the kind `dispute`.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout', ...amountReasons],
  })
  async disputes(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => AmountConnectionArgs) { currency, minAmount, maxAmount, ...page }: AmountConnectionArgs,
    @Arg('customerId', () => ID, customerFilter) customerId?: string,
    @Arg('status', () => DisputeStatusType, { nullable: true, description: 'Filter by `dispute.status`.' })
    disputeStatus?: DisputeStatus,
    @Arg('search', () => String, searchFilter('the texts of their customer')) search?: string,
  ) {
    const amounts = { currency, minAmount, maxAmount };
    const filter = { customerId, kind: 'dispute', disputeStatus, search, ...amounts } as const;
    return new PaymentConnection(await listPayments(tenant, filter, page));
  }
}

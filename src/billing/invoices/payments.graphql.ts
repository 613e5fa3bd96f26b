import { Arg, Ctx, Field, FieldResolver, ID, InputType, Resolver, Root } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { Context } from '../../graphql/context.ts';
import { MoneyInput } from '../../graphql/money.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { DisputeStatusType, Payment } from '../payments/payments.graphql.ts';
import type { DisputeStatus } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { Invoice } from './invoices.graphql.ts';
import type { InvoiceRow } from './invoices.ts';
import { simulateDispute, simulateRefund } from './simulatedReversals.ts';

type PaymentRow = Row<'payments'>;

@InputType({ description: 'A refund at the provider.' })
class SimulateRefundInput {
  @Field(() => MoneyInput, {
    nullable: true,
    description: 'The amount. Default: what is left of the charge.',
  })
  amount?: MoneyInput | null;
}

@InputType({ description: 'A dispute at the provider.' })
class SimulateDisputeInput {
  @Field(() => DisputeStatusType, { description: 'The status of the dispute.' })
  status!: DisputeStatus;
}

@Resolver(() => Payment)
export class PaidInvoiceResolver {
  @FieldResolver(() => Invoice, { nullable: true, description: 'The invoice.' })
  invoice(@Ctx() context: Context, @Root() { invoiceId }: PaymentRow) {
    return invoiceId === null ? null : context.byId('invoices', invoiceId);
  }

  @Mutation(() => Payment, {
    nullable: true,
    description:
      'Plays a refund that somebody makes in the dashboard of the provider, for a charge of the sandbox. Test tenants only.',
    permission: 'refund',
    reasons: ['payment_not_found', 'refund_too_large', 'currency_mismatch', ...moneyReasons],
  })
  simulateRefund(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The charge.' }) id: string,
    @Arg('input', () => SimulateRefundInput, { nullable: true, description: 'How much.' })
    input?: SimulateRefundInput | null,
  ): Promise<PaymentRow> {
    return simulateRefund(tenant, id, input?.amount);
  }

  @Mutation(() => Payment, {
    nullable: true,
    description:
      'Plays the dispute of a charge of the sandbox: opens it, or changes its status. Test tenants only. A decided dispute ' +
      'is not opened again.',
    permission: 'refund',
    reasons: ['payment_not_found'],
  })
  simulateDispute(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The charge.' }) id: string,
    @Arg('input', () => SimulateDisputeInput, { description: 'The dispute.' })
    { status }: SimulateDisputeInput,
  ): Promise<PaymentRow> {
    return simulateDispute(tenant, id, status);
  }
}

@Resolver(() => Invoice)
export class InvoicePaymentsResolver {
  @FieldResolver(() => [Payment], {
    description: 'The charges, refunds and disputes of the invoice, oldest first.',
  })
  payments(@Ctx() context: Context, @Root() { id }: InvoiceRow): Promise<PaymentRow[]> {
    return context.listBy('payments', 'invoiceId', id);
  }
}

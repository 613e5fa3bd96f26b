import { Args, Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { Invoice } from '../../billing/invoices/invoices.graphql.ts';
import type { InvoiceRow } from '../../billing/invoices/invoices.ts';
import { DeclineCodes } from '../../billing/payments/declineCode.graphql.ts';
import { computeOwed } from '../../billing/payments/returns.ts';
import type { DeclineCode } from '../../lib/declineCodes.ts';
import { SubscriptionContract } from '../../billing/subscriptions/subscriptions.graphql.ts';
import { listSubscriptions, type SubscriptionRow } from '../../billing/subscriptions/subscriptions.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

@ObjectType('PaymentToRecover', {
  simpleResolvers: true,
  description: 'A past due subscription with the invoice whose charge failed.',
})
class PaymentToRecover {
  @Field(() => DateTime, { nullable: true, description: 'When the subscription ends, if that is scheduled.' })
  cancelAt!: string | null;
}

const PaymentToRecoverConnection = defineConnection<SubscriptionRow>(
  'PaymentToRecover',
  () => PaymentToRecover,
);

const findInvoice = async (
  context: Context,
  { openInvoiceId }: SubscriptionRow,
): Promise<InvoiceRow | null> => (openInvoiceId === null ? null : context.byId('invoices', openInvoiceId));

/** Returns the last failed payment of the unpaid invoice. */
async function findLastFailure(context: Context, { openInvoiceId }: SubscriptionRow) {
  if (openInvoiceId === null) return undefined;
  const failed = await context.listBy('payments', 'invoiceId', openInvoiceId, { status: 'failed' });
  return failed.at(-1);
}

@Resolver(() => PaymentToRecover)
export class PaymentToRecoverResolver {
  @FieldResolver(() => SubscriptionContract, { description: 'The subscription.' })
  subscription(@Root() subscription: SubscriptionRow): SubscriptionRow {
    return subscription;
  }

  @FieldResolver(() => Invoice, { nullable: true, description: 'The unpaid invoice.' })
  invoice(@Ctx() context: Context, @Root() subscription: SubscriptionRow): Promise<InvoiceRow | null> {
    return findInvoice(context, subscription);
  }

  @FieldResolver(() => Money, { description: 'What the invoice asks for, with tax.' })
  async amount(@Ctx() context: Context, @Root() subscription: SubscriptionRow): Promise<Money> {
    const invoice = await findInvoice(context, subscription);
    return toMoney(invoice ? computeOwed(invoice) : 0n, subscription.currency);
  }

  @FieldResolver(() => DateTime, { description: 'When the charge first failed.' })
  failedSince(@Root() { pastDueSince }: SubscriptionRow): string {
    return pastDueSince!;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Why the last charge failed, as the provider names it; null if money was only awaited.',
  })
  async reason(@Ctx() context: Context, @Root() subscription: SubscriptionRow): Promise<string | null> {
    return (await findLastFailure(context, subscription))?.failureReason ?? null;
  }

  @FieldResolver(() => DeclineCodes, {
    nullable: true,
    description:
      'What `reason` means; null if money was only awaited, and for declines before the release that added it.',
  })
  async declineCode(
    @Ctx() context: Context,
    @Root() subscription: SubscriptionRow,
  ): Promise<DeclineCode | null> {
    return (await findLastFailure(context, subscription))?.declineCode ?? null;
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'When it is charged again, or the final action is taken; null for never.',
  })
  nextTryAt(@Root() { dueAt }: SubscriptionRow): string | null {
    return dueAt;
  }

  @Query(() => PaymentToRecoverConnection, {
    nullable: true,
    description: 'Lists the past due subscriptions with what they owe; in the order of their creation.',
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async paymentsToRecover(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new PaymentToRecoverConnection(await listSubscriptions(tenant, { status: 'past_due' }, page));
  }
}

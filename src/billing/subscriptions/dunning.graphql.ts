import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { FinalAction } from '../../tenants/dunningPolicy.graphql.ts';
import type { Context } from '../../graphql/context.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { DeclineCodes } from '../payments/declineCode.graphql.ts';
import type { DeclineCode } from '../../lib/declineCodes.ts';
import { describeDunning } from '../renewals/dunning.ts';
import { computeAccess } from './access.ts';
import type { SubscriptionRow } from './subscriptions.ts';
import { SubscriptionContract, SubscriptionStatuses } from './subscriptions.graphql.ts';

@ObjectType('SubscriptionAccess', {
  simpleResolvers: true,
  description: 'Whether the customer may use the product of a subscription.',
})
export class SubscriptionAccess {
  @Field(() => Boolean, {
    description:
      'Whether it is granted: during a trial and paid periods, and while past due until `accessGraceDays` are over.',
  })
  granted!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When access ends, or ended, unless the subscription changes; null for no end.',
  })
  until!: string | null;

  @Field(() => SubscriptionStatuses, { description: 'The status of the subscription, which decides.' })
  reason!: string;
}

@ObjectType('SubscriptionDunning', {
  simpleResolvers: true,
  description: 'How an unpaid invoice of a subscription is collected.',
})
export class SubscriptionDunning {
  @Field(() => DateTime, {
    description: 'When the charge first failed, or the due date of a transfer passed.',
  })
  firstFailedAt!: string;

  @Field(() => Int, { description: 'The number of attempts so far.' })
  attempts!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The time of the next retry; null if none is scheduled.',
  })
  nextRetryAt!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The decline after which the payment method is not charged again, as the provider names it; null while the ' +
      'retries go on.',
  })
  retriesStoppedReason!: string | null;

  @Field(() => DeclineCodes, { nullable: true, description: 'What `retriesStoppedReason` means.' })
  retriesStoppedCode!: DeclineCode | null;

  @Field(() => FinalAction, { description: 'What happens if the invoice is not paid by `finalAt`.' })
  finalAction!: string;

  @Field(() => DateTime, { description: 'The time of the last retry, and of the final action.' })
  finalAt!: string;
}

@Resolver(() => SubscriptionContract)
export class DunningResolver {
  @FieldResolver(() => SubscriptionAccess, {
    description: 'Whether the customer may use the product now.',
  })
  access(@Ctx() { tenant }: Context, @Root() subscription: SubscriptionRow): SubscriptionAccess {
    return computeAccess(subscription, tenant.record, tenant.now());
  }

  @FieldResolver(() => SubscriptionDunning, {
    nullable: true,
    description: 'How its unpaid invoice is collected; null if nothing is past due.',
  })
  async dunning(
    @Ctx() context: Context,
    @Root() subscription: SubscriptionRow,
  ): Promise<SubscriptionDunning | null> {
    const { openInvoiceId, pastDueSince } = subscription;
    if (openInvoiceId === null || pastDueSince === null) return null;
    const invoice = await context.byId('invoices', openInvoiceId);
    return describeDunning({ ...subscription, pastDueSince }, invoice, context.tenant.record);
  }
}

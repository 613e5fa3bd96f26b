import { Arg, Field, ID, InputType, Resolver } from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { DateTime } from '../../graphql/scalars.ts';
import {
  cancelSubscription,
  type CancellationReason,
  uncancelSubscription,
  pauseSubscription,
  resumeSubscription,
} from './lifecycle.ts';
import { cancelUse, uncancelUse } from './customerUses.graphql.ts';
import { previewCancellation } from './cancellationPreview.ts';
import { previewUsage } from './currentUsage.ts';
import type { BillPreview } from './changes/changePreview.ts';
import { InvoicePreview } from './changes/previews.graphql.ts';
import { CancellationReasons, SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

const id = { description: 'The subscription.' };

@InputType({ description: 'How a subscription ends, and why.' })
class CancelSubscriptionInput {
  @Field(() => ID, { nullable: true, description: 'The customer, verified if given.' })
  customerId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to cancel at the end of the period instead of now. A subscription without a paid period is ' +
      'always cancelled now.',
  })
  atPeriodEnd?: boolean | null;

  @Field(() => CancellationReasons, { nullable: true, description: 'Why the customer cancels.' })
  reason?: CancellationReason | null;

  @Field(() => String, {
    nullable: true,
    description: "The customer's own words, at most 1,000 characters.",
  })
  comment?: string | null;
}

@InputType({ description: 'How long a subscription is paused.' })
class PauseSubscriptionInput {
  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it resumes by itself: in the future, at most 1830 days ahead; null for when `resumeSubscription` is called.',
  })
  resumesAt?: string | null;
}

@Resolver()
export class SubscriptionChangesResolver {
  @Query(() => InvoicePreview, {
    nullable: true,
    description:
      'Previews the cancellation of a subscription: it ends at `effectiveAt`, and `lines` and `total` are those of the ' +
      'final invoice made then, by the function that bills it. Without lines there is no final invoice.',
    work: { cost: 100 },
    permission: 'read',
    openTo: {
      customer: { args: ['subscriptionId', 'atPeriodEnd'], own: { subscriptionId: 'subscriptions' } },
    },
    reasons: ['subscription_not_found', 'subscription_not_active'],
  })
  previewCancellation(
    @CurrentTenant() tenant: TenantScope,
    @Arg('subscriptionId', () => ID, id) subscriptionId: string,
    @Arg('atPeriodEnd', () => Boolean, {
      nullable: true,
      description: 'Whether it ends with its period instead of now. Default: false.',
    })
    atPeriodEnd?: boolean,
  ): Promise<BillPreview> {
    const { read } = tenant;
    return previewCancellation({ read, now: tenant.now() }, subscriptionId, atPeriodEnd === true);
  }

  @Query(() => InvoicePreview, {
    nullable: true,
    description:
      'Returns the next invoice of a subscription with its usage so far, by the functions that bill it; `effectiveAt` is its ' +
      'date. For a subscription that ends before, it is the final invoice.',
    work: { cost: 200 },
    permission: 'read',
    openTo: { customer: { args: ['subscriptionId'], own: { subscriptionId: 'subscriptions' } } },
    reasons: ['subscription_not_found', 'subscription_not_active'],
  })
  currentUsage(
    @CurrentTenant() tenant: TenantScope,
    @Arg('subscriptionId', () => ID, id) subscriptionId: string,
  ): Promise<BillPreview> {
    const { read } = tenant;
    return previewUsage({ read, now: tenant.now() }, subscriptionId);
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Cancels a subscription, now or at the end of its period. If a renewal is past due, its period ' +
      'counts: the charge is still retried, and nothing later is billed. Lines that wait for its next invoice are ' +
      'billed at its end, in a final one (`subscription_end`) that is charged to its payment method or transferred.',
    permission: 'manage_subscriptions',
    proposable: true,
    openTo: { customer: cancelUse },
    reasons: ['subscription_not_found', 'subscription_not_active'],
  })
  cancelSubscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('input', () => CancelSubscriptionInput, { nullable: true, description: 'Default: now.' })
    input?: CancelSubscriptionInput | null,
  ): Promise<SubscriptionRow> {
    return tenant.write((unit) => cancelSubscription(unit, subscriptionId, input ?? {}));
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description: 'Reverts a cancellation at the end of the period.',
    permission: 'manage_subscriptions',
    openTo: { customer: uncancelUse },
    reasons: ['subscription_not_found', 'subscription_not_active'],
  })
  uncancelSubscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
  ): Promise<SubscriptionRow> {
    return tenant.write((unit) => uncancelSubscription(unit, subscriptionId));
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Pauses billing until `resumesAt`, or until `resumeSubscription`. For a paused subscription, `resumesAt` moves the ' +
      'end of the pause, and null removes it.',
    permission: 'manage_subscriptions',
    reasons: ['subscription_not_found', 'subscription_not_active'],
  })
  pauseSubscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('input', () => PauseSubscriptionInput, {
      nullable: true,
      description: 'Default: until it is resumed on request.',
    })
    input?: PauseSubscriptionInput | null,
  ): Promise<SubscriptionRow> {
    return tenant.write((unit) => pauseSubscription(unit, subscriptionId, input ?? {}));
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description: 'Resumes a subscription that is paused or parked. The billing anchor stays.',
    permission: 'manage_subscriptions',
    reasons: ['subscription_not_found', 'subscription_not_active'],
  })
  resumeSubscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
  ): Promise<SubscriptionRow> {
    return tenant.write((unit) => resumeSubscription(unit, subscriptionId));
  }
}

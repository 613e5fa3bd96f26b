import { Arg, Field, ID, InputType, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { planChangeReasons } from '../../graphql/reasons.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { SubscriptionIntent } from './intents/intents.graphql.ts';
import type { IntentRow } from './intents/intents.ts';
import { startTrial } from './intents/startTrial.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';
import { endTrial, extendTrial } from './trials.ts';

const id = { description: 'The subscription.' };

@InputType({ description: 'A later end of a trial.' })
class ExtendTrialInput {
  @Field(() => DateTime, { description: 'The new end, after the present one and at most 730 days ahead.' })
  trialEndsAt!: string;
}

@Resolver()
export class TrialResolver {
  @Mutation(() => SubscriptionIntent, {
    nullable: true,
    description:
      'Starts the trial of an intent without a payment method; also changes the plan of a subscription in its trial. ' +
      'Refused if something is due today.',
    permission: 'manage_subscriptions',
    reasons: ['intent_not_found', 'intent_not_payable', ...planChangeReasons],
  })
  startTrial(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The intent.' }) intentId: string,
  ): Promise<IntentRow> {
    return tenant.write((unit) => startTrial(unit, intentId));
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description: 'Moves the end of a trial to a later time. The end is announced anew.',
    permission: 'manage_subscriptions',
    proposable: true,
    reasons: ['subscription_not_found', 'subscription_not_active'],
    grants: [{ path: ['input', 'trialEndsAt'], needed: 'credit' }],
  })
  extendTrial(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('input', () => ExtendTrialInput, { description: 'The new end.' })
    { trialEndsAt }: ExtendTrialInput,
  ): Promise<SubscriptionRow> {
    return tenant.write((unit) => extendTrial(unit, subscriptionId, trialEndsAt));
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Ends a trial now and bills the first period at once. Without a payment method, the subscription is cancelled ' +
      'or paused, by the setting of the tenant.',
    permission: 'manage_subscriptions',
    reasons: ['subscription_not_found', 'subscription_not_active'],
  })
  endTrial(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
  ): Promise<SubscriptionRow> {
    return endTrial(tenant, subscriptionId);
  }
}

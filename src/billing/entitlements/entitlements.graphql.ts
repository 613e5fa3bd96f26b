import {
  Arg,
  Args,
  ArgsType,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { openToCustomers } from '../../graphql/openness.ts';
import { Mutation, Query, type CustomerUse } from '../../graphql/operations.ts';
import { DateTime, Decimal, JSONObject, JSONValue } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { consumeEntitlement } from './consumeEntitlement.ts';
import { checkEntitlement, listEntitlements } from './entitlements.ts';
import type { Entitlement as EntitlementRecord, EntitlementReason as Reason } from './evaluate.ts';
import { Feature } from './features.graphql.ts';
import type { FeatureRow } from './grants.ts';

const EntitlementReason = {
  included: 'included',
  override: 'override',
  overage: 'overage',
  limit_reached: 'limit_reached',
  overage_limit_reached: 'overage_limit_reached',
  not_included: 'not_included',
  no_subscription: 'no_subscription',
  scheduled: 'scheduled',
  incomplete: 'incomplete',
  past_due: 'past_due',
  paused: 'paused',
  cancelled: 'cancelled',
} as const satisfies Record<Reason, Reason>;
registerEnumType(EntitlementReason, {
  name: 'EntitlementReason',
  description: 'Why a customer may use a feature, or may not.',
  valuesConfig: {
    included: { description: 'A product of the customer has it, and the amount is within the limit.' },
    override: { description: 'The customer was given a value, which decides.' },
    overage: { description: 'The amount exceeds a soft limit, which is allowed.' },
    limit_reached: { description: 'The amount exceeds the limit.' },
    overage_limit_reached: { description: 'The amount exceeds a soft limit by more than is allowed.' },
    not_included: { description: 'No product of the customer has it.' },
    no_subscription: { description: 'The customer has no subscription.' },
    scheduled: { description: 'The subscription that has it has not begun.' },
    incomplete: { description: 'The first period of the subscription that has it is not paid.' },
    past_due: { description: 'The subscription that has it is past due, and the grace is over.' },
    paused: { description: 'The subscription that has it is paused.' },
    cancelled: { description: 'The subscription that has it has ended.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: 'What a customer may do with a feature now. Units are null unless it is a limit.',
})
export class Entitlement {
  @Extensions(openToCustomers)
  @Field(() => Feature, { description: 'The feature.' })
  feature!: FeatureRow;

  @Extensions(openToCustomers)
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Extensions(openToCustomers)
  @Field(() => Boolean, { description: 'Whether the amount may be used, 1 unless one is given.' })
  allowed!: boolean;

  @Extensions(openToCustomers)
  @Field(() => JSONValue, {
    nullable: true,
    description:
      'True or false, the value of a config, or the limit; null for none, and for a limit without end.',
  })
  value!: unknown;

  @Extensions(openToCustomers)
  @Field(() => Decimal, { nullable: true, description: 'The limit; null for one without end.' })
  limit!: string | null;

  @Extensions(openToCustomers)
  @Field(() => Decimal, {
    nullable: true,
    description: 'What the meter has counted in the period, or what its usage costs in credits of the type.',
  })
  used!: string | null;

  @Extensions(openToCustomers)
  @Field(() => Decimal, { nullable: true, description: 'What open reservations take from the limit.' })
  reserved!: string | null;

  @Extensions(openToCustomers)
  @Field(() => Decimal, {
    nullable: true,
    description: 'What is left of the limit, at least 0; null for a limit without end.',
  })
  remaining!: string | null;

  @Extensions(openToCustomers)
  @Field(() => Decimal, { nullable: true, description: 'By how much use exceeds the limit.' })
  overage!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, {
    nullable: true,
    description: 'When use is counted from 0 again: with the next period; null if it never is.',
  })
  resetsAt!: string | null;

  @Extensions(openToCustomers)
  @Field(() => EntitlementReason, { description: 'Why.' })
  because!: Reason;
}

/** The customer of a question, by either id. */
@ArgsType()
export class CustomerArgs {
  @Field(() => ID, { nullable: true, description: 'The customer; either this or `associatedId`.' })
  customerId?: string | null;

  @Field(() => String, { nullable: true, description: 'The customer by your id.' })
  associatedId?: string | null;
}

@ArgsType()
class CheckArgs extends CustomerArgs {
  @Field(() => String, { description: 'The key of the feature.' })
  feature!: string;

  @Field(() => Decimal, { nullable: true, description: 'The units to use, 0 or more. Default: 1.' })
  amount?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The meter whose units `amount` has, for a limit of a credit type; without it they are credits.',
  })
  meterId?: string | null;
}

@InputType({ description: 'Use of a feature.' })
class ConsumeEntitlementInput {
  @Field(() => String, {
    description:
      'An id of yours, as that of a usage event, 1 to 255 characters. Sending the same again is safe.',
  })
  id!: string;

  @Field(() => ID, { nullable: true, description: 'The customer; either this or `associatedId`.' })
  customerId?: string | null;

  @Field(() => String, { nullable: true, description: 'The customer by your id.' })
  associatedId?: string | null;

  @Field(() => String, { description: 'The key of the feature.' })
  feature!: string;

  @Field(() => Decimal, {
    description: 'The units that are used, more than 0. For a meter that counts events: those of one event.',
  })
  amount!: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'The meter whose units are used, for a limit of a credit type; not needed if the type has only one.',
  })
  meterId?: string | null;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'The other properties of the usage event; the amount becomes that of the meter.',
  })
  properties?: Record<string, unknown> | null;
}

const ofCustomer = { customerId: 'customers' } as const;
const checkUse: CustomerUse = {
  args: ['customerId', 'feature', 'amount', 'meterId'],
  own: ofCustomer,
};

@Resolver(() => Entitlement)
export class EntitlementResolver {
  @FieldResolver(() => Int, {
    nullable: true,
    description:
      'The highest share of the limit, in percent, of whose use an event has told in the period, or since the use was last below ' +
      'it where no period resets it; null for none.',
  })
  async alertedPercent(
    @CurrentTenant() tenant: TenantScope,
    @Root() { feature, customerId, alertPeriod: periodStart }: EntitlementRecord,
  ): Promise<number | null> {
    if (feature.kind !== 'limit') return null;
    const told = await tenant.read.one('limitAlerts', { customerId, feature: feature.key, periodStart });
    return told?.percent || null;
  }

  @Query(() => Entitlement, {
    nullable: true,
    description:
      'Returns whether a customer may use an amount of a feature, and what is left of it. A customer sees their own.',
    permission: 'read',
    openTo: { customer: checkUse },
    reasons: ['customer_not_found', 'feature_not_found'],
  })
  checkEntitlement(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => CheckArgs) { customerId, associatedId, ...asked }: CheckArgs,
  ): Promise<EntitlementRecord> {
    return checkEntitlement(tenant, { customerId, associatedId }, asked);
  }

  @Query(() => [Entitlement], {
    nullable: true,
    description: 'Returns what a customer may do with each feature, oldest first. A customer sees their own.',
    permission: 'read',
    openTo: { customer: { args: ['customerId'], own: ofCustomer } },
    reasons: ['customer_not_found'],
    work: { cost: 200 },
  })
  entitlements(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => CustomerArgs) { customerId, associatedId }: CustomerArgs,
  ): Promise<EntitlementRecord[]> {
    return listEntitlements(tenant, { customerId, associatedId });
  }

  @Mutation(() => Entitlement, {
    nullable: true,
    description:
      'Records that a customer uses an amount of a feature, as a usage event, unless that is not allowed: then nothing is ' +
      'recorded, and `allowed` is false. It is durable when it is returned. The same `id` again records nothing more.',
    permission: 'manage_subscriptions',
    reasons: ['customer_not_found', 'feature_not_found', 'usage_id_reused'],
  })
  consumeEntitlement(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => ConsumeEntitlementInput, { description: 'The use.' }) input: ConsumeEntitlementInput,
  ): Promise<EntitlementRecord> {
    return consumeEntitlement(tenant, input);
  }
}

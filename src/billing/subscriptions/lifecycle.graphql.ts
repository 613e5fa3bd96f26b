import {
  Arg,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { planChangeReasons } from '../../graphql/reasons.ts';
import { BillLine } from '../invoices/lines.graphql.ts';
import {
  showTaxes,
  taxesField,
  taxesWork,
  taxField,
  TaxTotalType,
  type ShownTaxTotal,
} from '../invoices/taxes.graphql.ts';
import { summarizeTaxes, sumTaxes } from '../pricing/tax.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { DateTime } from '../../graphql/scalars.ts';
import {
  cancelSubscription,
  type CancellationReason,
  uncancelSubscription,
  pauseSubscription,
  resumeSubscription,
} from './lifecycle.ts';
import { previewCancellation } from './cancellationPreview.ts';
import type { BillPreview } from './changes/changePreview.ts';
import { InvoicePreview } from './changes/previews.graphql.ts';
import { previewPlanChange } from './changes/planChangePreview.ts';
import type { PlanChangeQuote } from './changes/planChanges.ts';
import { CancellationReasons, SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

const PlanChangeKind = { upgrade: 'upgrade', downgrade: 'downgrade', unchanged: 'unchanged' } as const;
registerEnumType(PlanChangeKind, {
  name: 'PlanChangeKind',
  description: 'When a plan change takes effect.',
  valuesConfig: {
    upgrade: { description: 'At once, because the yearly price is higher or the interval longer.' },
    downgrade: { description: 'At the end of the paid period.' },
    unchanged: {
      description: 'The current plan: a scheduled change is cancelled.',
    },
  },
});

@ObjectType('PlanChange', { simpleResolvers: true, description: 'The effect of a plan change.' })
class PlanChangeType {
  @Field(() => PlanChangeKind, { description: 'When it takes effect.' })
  kind!: string;

  @Field(() => DateTime, { description: 'When it takes effect.' })
  effectiveAt!: string;

  @Field(() => [BillLine], { description: 'The invoice lines of the change; none for a downgrade.' })
  lines!: BillLine[];

  @Field(() => DateTime, { description: 'The next billing date.' })
  nextBillingDate!: string;
}

const id = { description: 'The subscription.' };

@Resolver(() => PlanChangeType)
export class PlanChangeResolver {
  @FieldResolver(() => Money, { description: 'The amount charged now.' })
  total(@Root() change: PlanChangeQuote): Money {
    return toMoney(change.totalMinor, change.currency);
  }

  @FieldResolver(() => Money, taxField)
  tax(@Root() { lines, currency }: PlanChangeQuote): Money {
    return toMoney(sumTaxes(summarizeTaxes(lines)), currency);
  }

  @Extensions(taxesWork)
  @FieldResolver(() => [TaxTotalType], taxesField)
  taxes(@Root() { lines, currency }: PlanChangeQuote): ShownTaxTotal[] {
    return showTaxes(summarizeTaxes(lines), currency);
  }

  @Query(() => PlanChangeType, {
    nullable: true,
    description: 'Previews a plan change, by the function that performs it.',
    work: { cost: 100 },
    permission: 'read',
    reasons: ['subscription_not_found', 'price_not_found', 'product_not_found', ...planChangeReasons],
  })
  previewPlanChange(
    @CurrentTenant() tenant: TenantScope,
    @Arg('subscriptionId', () => ID, id) subscriptionId: string,
    @Arg('priceId', () => ID, {
      description: 'Another price of the product, or of another product in its group.',
    })
    priceId: string,
    @Arg('at', () => DateTime, {
      nullable: true,
      description: 'The time of the change, not in the past. Default: now.',
    })
    at?: string,
    @Arg('quantity', () => Int, {
      nullable: true,
      description: 'The number of units. Default: the current quantity.',
    })
    quantity?: number,
  ): Promise<PlanChangeQuote> {
    return previewPlanChange(tenant, subscriptionId, priceId, { at, quantity });
  }
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

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Cancels a subscription, now or at the end of its period. If a renewal is past due, its period ' +
      'counts: the charge is still retried, and nothing later is billed. Lines that wait for its next invoice are ' +
      'billed at its end, in a final one (`subscription_end`) that is charged to its payment method or transferred.',
    permission: 'manage_subscriptions',
    reasons: ['subscription_not_found', 'subscription_not_active'],
  })
  cancelSubscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('customerId', () => ID, {
      nullable: true,
      description: 'The customer, verified if given.',
    })
    customerId?: string,
    @Arg('atPeriodEnd', () => Boolean, {
      nullable: true,
      description:
        'Whether to cancel at the end of the period instead of now. A subscription without a paid period is ' +
        'always cancelled now.',
    })
    atPeriodEnd?: boolean,
    @Arg('reason', () => CancellationReasons, { nullable: true, description: 'Why the customer cancels.' })
    reason?: CancellationReason,
    @Arg('comment', () => String, {
      nullable: true,
      description: "The customer's own words, at most 1,000 characters.",
    })
    comment?: string,
  ): Promise<SubscriptionRow> {
    const input = { customerId, atPeriodEnd, reason, comment };
    return tenant.write((unit) => cancelSubscription(unit, subscriptionId, input));
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description: 'Reverts a cancellation at the end of the period.',
    permission: 'manage_subscriptions',
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
    description: 'Pauses billing until `resumeSubscription`.',
    permission: 'manage_subscriptions',
    reasons: ['subscription_not_found', 'subscription_not_active'],
  })
  pauseSubscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
  ): Promise<SubscriptionRow> {
    return tenant.write((unit) => pauseSubscription(unit, subscriptionId));
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

import { Arg, Field, ID, InputType, Int, Resolver } from 'type-graphql';
import { Query, Mutation } from '../../../graphql/operations.ts';
import {
  changePaymentReasons,
  expectedTotalReasons,
  subscriptionChangeReasons,
} from '../../../graphql/reasons.ts';
import { ChangeBillings } from '../../../tenants/changePolicy.graphql.ts';
import { expectedTotalField } from '../../payments/expectedTotal.graphql.ts';
import { parseExpectedTotal } from '../../payments/expectedTotal.ts';
import { MoneyInput } from '../../../graphql/money.ts';
import { CurrentTenant } from '../../../graphql/arguments.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import { previewSubscriptionChange, type BillPreview } from './changePreview.ts';
import { AddOnInput } from './addOns.graphql.ts';
import { InvoicePreview } from './previews.graphql.ts';
import { changeSubscription } from './subscriptionChange.ts';
import { changeUse, previewChangeUse } from '../customerUses.graphql.ts';
import { SubscriptionContract } from '../subscriptions.graphql.ts';
import type { SubscriptionRow } from '../subscriptions.ts';

@InputType({ description: 'A change of a subscription. Omitted fields stay unchanged.' })
class SubscriptionChangeInput {
  @Field(() => ID, {
    nullable: true,
    description: 'Another price of the product, or of another product in its group.',
  })
  priceId?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of units of the main price, within its bounds; 1 for a flat price.',
  })
  quantity?: number | null;

  @Field(() => [AddOnInput], {
    nullable: true,
    description:
      'All add-ons after the change, at most 20; an empty list removes them. One that the subscription has keeps its ' +
      'agreed price.',
  })
  addOns?: AddOnInput[] | null;

  @Field(() => ChangeBillings, {
    nullable: true,
    description:
      "How the change is billed. Default: by the tenant's `changePolicy` for its direction, otherwise by " +
      '`prorateUpgrades` of the group.',
  })
  billing?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'The time from which it is billed: in the current period, after its last change. In the future only for a ' +
      'preview. Default: now.',
  })
  at?: string | null;
}

@InputType({ description: 'A change of a subscription to make. Omitted fields stay unchanged.' })
class ChangeSubscriptionInput extends SubscriptionChangeInput {
  @Field(() => MoneyInput, expectedTotalField)
  expectedTotal?: MoneyInput | null;
}

const id = { description: 'The subscription.' };

@Resolver()
export class SubscriptionChangeResolver {
  @Query(() => InvoicePreview, {
    nullable: true,
    description:
      'Previews a change of a subscription, by the functions that make it. An intent for the price costs the same.',
    work: { cost: 200 },
    permission: 'read',
    openTo: { customer: previewChangeUse },
    reasons: subscriptionChangeReasons,
  })
  previewSubscriptionChange(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('input', () => SubscriptionChangeInput, { description: 'The change.' })
    input: SubscriptionChangeInput,
  ): Promise<BillPreview> {
    return previewSubscriptionChange(tenant, subscriptionId, input);
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Changes the price, quantity or add-ons of a subscription. The amount due now is charged to its payment method; if ' +
      'the charge is declined, nothing changes. While a payment is in progress, for example by a bank transfer, the ' +
      'subscription is returned unchanged.',
    permission: 'manage_subscriptions',
    proposable: true,
    openTo: { customer: changeUse },
    reasons: [...subscriptionChangeReasons, ...changePaymentReasons, ...expectedTotalReasons],
    grants: [
      // The rest of the period is free.
      { path: ['input', 'billing'], needed: 'credit', grants: (billing) => billing === 'none' },
      // An earlier instant credits time that has been used.
      { path: ['input', 'at'], needed: 'credit' },
    ],
  })
  changeSubscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('input', () => ChangeSubscriptionInput, { description: 'The change.' })
    { expectedTotal, ...input }: ChangeSubscriptionInput,
  ): Promise<SubscriptionRow> {
    return changeSubscription(tenant, subscriptionId, input, parseExpectedTotal(expectedTotal));
  }
}

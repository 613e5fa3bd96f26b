import {
  Arg,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { ChangeBillings } from '../account/changePolicy.graphql.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { DateTime } from '../graphql/scalars.ts';
import { declareWork } from '../graphql/work.ts';
import { BillLine } from '../invoicing/lines.graphql.ts';
import {
  showTaxes,
  taxesField,
  taxesWork,
  taxField,
  TaxTotalType,
  type ShownTaxTotal,
} from '../invoicing/taxes.graphql.ts';
import { computeSubtotal, sumDiscounts } from '../pricing/discounts.ts';
import { summarizeTaxes, sumTaxes } from '../pricing/tax.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { previewSubscriptionChange, type ChangePreview, type ExpectedInvoice } from './changePreview.ts';
import { AddOnInput } from './addOns.graphql.ts';
import { changeSubscription } from './subscriptionChange.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';

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
    description: "How the change is billed. Default: by the tenant's `changePolicy`.",
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

@ObjectType('NextInvoice', { simpleResolvers: true, description: 'The first invoice after a change.' })
class NextInvoiceType {
  @Field(() => DateTime, { description: 'The date of the invoice.' })
  date!: string;

  @Field(() => [BillLine], { description: 'Its lines.' })
  lines!: BillLine[];
}

@ObjectType('InvoicePreview', {
  simpleResolvers: true,
  description: 'The effect of a change of a subscription.',
})
class InvoicePreview {
  @Field(() => DateTime, { description: 'When the change takes effect.' })
  effectiveAt!: string;

  @Field(() => [BillLine], { description: 'The invoice lines that are billed now.' })
  lines!: BillLine[];

  @Field(() => NextInvoiceType, {
    nullable: true,
    description: 'The first invoice after the change; null if the subscription ends before.',
  })
  nextInvoice!: NextInvoiceType | null;

  @Field(() => [String], { description: 'Effects that may surprise, for example a total that falls.' })
  warnings!: string[];
}

@Resolver(() => NextInvoiceType)
export class NextInvoiceResolver {
  @FieldResolver(() => Money, { description: 'The amount that is charged.' })
  total(@Root() { totalMinor, currency }: ExpectedInvoice): Money {
    return toMoney(totalMinor, currency);
  }

  @FieldResolver(() => Money, taxField)
  tax(@Root() { lines, currency }: ExpectedInvoice): Money {
    return toMoney(sumTaxes(summarizeTaxes(lines)), currency);
  }

  @Extensions(taxesWork)
  @FieldResolver(() => [TaxTotalType], taxesField)
  taxes(@Root() { lines, currency }: ExpectedInvoice): ShownTaxTotal[] {
    return showTaxes(summarizeTaxes(lines), currency);
  }
}

const id = { description: 'The subscription.' };

@Resolver(() => InvoicePreview)
export class SubscriptionChangeResolver {
  @FieldResolver(() => Money, {
    description: 'The sum of the lines before discounts and balance, as priced.',
  })
  subtotal(@Root() { lines, currency }: ChangePreview): Money {
    return toMoney(computeSubtotal(lines), currency);
  }

  @FieldResolver(() => Money, { description: 'The sum of the discounts.' })
  discount(@Root() { lines, currency }: ChangePreview): Money {
    return toMoney(sumDiscounts(lines), currency);
  }

  @FieldResolver(() => Money, taxField)
  tax(@Root() { lines, currency }: ChangePreview): Money {
    return toMoney(sumTaxes(summarizeTaxes(lines)), currency);
  }

  @Extensions(taxesWork)
  @FieldResolver(() => [TaxTotalType], taxesField)
  taxes(@Root() { lines, currency }: ChangePreview): ShownTaxTotal[] {
    return showTaxes(summarizeTaxes(lines), currency);
  }

  @FieldResolver(() => Money, { description: 'The amount charged now.' })
  total(@Root() { totalMinor, currency }: ChangePreview): Money {
    return toMoney(totalMinor, currency);
  }

  @Extensions(declareWork({ cost: 200 }))
  @Query(() => InvoicePreview, {
    nullable: true,
    description: 'Previews a change of a subscription, by the functions that make it.',
  })
  previewSubscriptionChange(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('input', () => SubscriptionChangeInput, { description: 'The change.' })
    input: SubscriptionChangeInput,
  ): Promise<ChangePreview> {
    return previewSubscriptionChange(tenant, subscriptionId, input);
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Changes the price, quantity or add-ons of a subscription. The amount due now is charged to its payment method; if ' +
      'the charge is declined, nothing changes. While a payment is in progress, for example by a bank transfer, the ' +
      'subscription is returned unchanged.',
  })
  changeSubscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('input', () => SubscriptionChangeInput, { description: 'The change.' })
    input: SubscriptionChangeInput,
  ): Promise<SubscriptionRow> {
    return changeSubscription(tenant, subscriptionId, input);
  }
}

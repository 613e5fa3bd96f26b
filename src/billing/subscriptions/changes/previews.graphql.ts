import {
  Arg,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { openToBrowsers } from '../../../graphql/openness.ts';
import { Query } from '../../../graphql/operations.ts';
import { oneOffReasons, orderReasons } from '../../../graphql/reasons.ts';
import { CurrentTenant } from '../../../graphql/arguments.ts';
import { Money, toMoney } from '../../../graphql/money.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import { WarningType } from '../../../graphql/warnings.ts';
import type { Warning } from '../../../lib/warnings.ts';
import { BillLine, ofPreview } from '../../invoices/lines.graphql.ts';
import { OneOffChargeInput } from '../../invoices/oneOff.graphql.ts';
import { previewInvoice } from '../../invoices/oneOffInvoices.ts';
import {
  showTaxes,
  taxesField,
  taxesWork,
  taxField,
  TaxTotalType,
  type ShownTaxTotal,
} from '../../invoices/taxes.graphql.ts';
import { computeSubtotal, sumDiscounts } from '../../pricing/discounts.ts';
import { summarizeTaxes, sumTaxes } from '../../pricing/tax.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import { CommitmentInput } from '../commitmentInput.graphql.ts';
import { AddOnInput } from './addOns.graphql.ts';
import type { BillPreview, ExpectedInvoice } from './changePreview.ts';
import { previewSubscription } from '../intents/subscriptionPreview.ts';

@ObjectType('NextInvoice', {
  simpleResolvers: true,
  description: 'The next invoice of a preview, if nothing else changes.',
})
class NextInvoiceType {
  @Extensions(openToBrowsers)
  @Field(() => DateTime, { description: 'The date of the invoice.' })
  date!: string;

  @Extensions(openToBrowsers)
  @Extensions(ofPreview)
  @Field(() => [BillLine], { description: 'Its lines.' })
  lines!: Omit<BillLine, 'id'>[];
}

@ObjectType('InvoicePreview', {
  simpleResolvers: true,
  description: 'The invoice that a request would make, and the next one after it. Nothing is changed.',
})
export class InvoicePreview {
  @Extensions(openToBrowsers)
  @Field(() => DateTime, { description: 'When it takes effect: when a change or a new subscription begins.' })
  effectiveAt!: string;

  @Extensions(openToBrowsers)
  @Extensions(ofPreview)
  @Field(() => [BillLine], { description: 'The invoice lines that are billed now.' })
  lines!: Omit<BillLine, 'id'>[];

  @Extensions(openToBrowsers)
  @Field(() => NextInvoiceType, {
    nullable: true,
    description: 'The first invoice after it; null if the subscription ends before, and for one-off charges.',
  })
  nextInvoice!: NextInvoiceType | null;

  @Field(() => [WarningType], {
    description:
      'Effects that may surprise, such as a total that falls, or no tax at home for want of a rate.',
  })
  warnings!: Warning[];
}

@Resolver(() => NextInvoiceType)
export class NextInvoiceResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, { description: 'The amount that is charged.' })
  total(@Root() { totalMinor, currency }: ExpectedInvoice): Money {
    return toMoney(totalMinor, currency);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, taxField)
  tax(@Root() { lines, currency }: ExpectedInvoice): Money {
    return toMoney(sumTaxes(summarizeTaxes(lines)), currency);
  }

  @Extensions(taxesWork)
  @Extensions(openToBrowsers)
  @FieldResolver(() => [TaxTotalType], taxesField)
  taxes(@Root() { lines, currency }: ExpectedInvoice): ShownTaxTotal[] {
    return showTaxes(summarizeTaxes(lines), currency);
  }
}

@InputType({ description: 'A new subscription, as `createSubscriptionIntent` would order it.' })
class PreviewSubscriptionInput {
  @Field(() => ID, {
    nullable: true,
    description: 'The customer. Default: a new customer without an address.',
  })
  customerId?: string | null;

  @Field(() => ID, { description: 'The product.' })
  productId!: string;

  @Field(() => ID, { description: 'A price of the product.' })
  priceId!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of units. Default: the minimum of the price.',
  })
  quantity?: number | null;

  @Field(() => [AddOnInput], { nullable: true, description: 'Add-ons, at most 20.' })
  addOns?: AddOnInput[] | null;

  @Field(() => String, { nullable: true, description: 'A promotion code.' })
  promotionCode?: string | null;

  @Field(() => ID, { nullable: true, description: 'A coupon, instead of a promotion code.' })
  couponId?: string | null;

  @Field(() => Int, { nullable: true, description: 'The days of the trial, 0 for none.' })
  trialDays?: number | null;

  @Field(() => DateTime, { nullable: true, description: 'When the subscription starts. Default: now.' })
  startDate?: string | null;

  @Field(() => CommitmentInput, { nullable: true, description: 'What it is to spend on usage.' })
  commitment?: CommitmentInput | null;
}

const orderArguments = ['productId', 'priceId', 'quantity', 'addOns'].map((field) => `input.${field}`);

@Resolver(() => InvoicePreview)
export class InvoicePreviewResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, {
    description: 'The sum of the lines before discounts and balance, as priced.',
  })
  subtotal(@Root() { lines, currency }: BillPreview): Money {
    return toMoney(computeSubtotal(lines), currency);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, { description: 'The sum of the discounts.' })
  discount(@Root() { lines, currency }: BillPreview): Money {
    return toMoney(sumDiscounts(lines), currency);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, taxField)
  tax(@Root() { lines, currency }: BillPreview): Money {
    return toMoney(sumTaxes(summarizeTaxes(lines)), currency);
  }

  @Extensions(taxesWork)
  @Extensions(openToBrowsers)
  @FieldResolver(() => [TaxTotalType], taxesField)
  taxes(@Root() { lines, currency }: BillPreview): ShownTaxTotal[] {
    return showTaxes(summarizeTaxes(lines), currency);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, { description: 'The amount charged now.' })
  total(@Root() { totalMinor, currency }: BillPreview): Money {
    return toMoney(totalMinor, currency);
  }

  @Query(() => InvoicePreview, {
    nullable: true,
    description:
      'Previews a new subscription: what is due when its payment starts, and the next invoice, by the functions that ' +
      'bill it. Where the customer subscribes to the product or its group already, it previews the plan change.',
    work: { cost: 200 },
    permission: 'read',
    openTo: {
      publishable: { args: orderArguments },
      customer: { args: [...orderArguments, 'input.customerId'], own: { 'input.customerId': 'customers' } },
    },
    reasons: ['customer_not_found', ...orderReasons, 'intent_not_payable'],
  })
  previewSubscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => PreviewSubscriptionInput, { description: 'The order.' })
    input: PreviewSubscriptionInput,
  ): Promise<BillPreview> {
    return previewSubscription(tenant, input);
  }

  @Query(() => InvoicePreview, {
    nullable: true,
    description:
      "Previews the invoice that `createInvoice` would make of one-off charges, with the customer's waiting items, " +
      'discounts, tax and balance.',
    work: { cost: 200 },
    permission: 'read',
    reasons: oneOffReasons,
  })
  async previewInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('customerId', () => ID, { description: 'The customer.' }) customerId: string,
    @Arg('items', () => [OneOffChargeInput], { description: 'The charges, 1 to 100, in one currency.' })
    items: OneOffChargeInput[],
  ): Promise<BillPreview> {
    const { currency, lines, totalMinor, warnings } = await previewInvoice(tenant, customerId, items);
    return { effectiveAt: tenant.now(), currency, lines, totalMinor, nextInvoice: null, warnings };
  }
}

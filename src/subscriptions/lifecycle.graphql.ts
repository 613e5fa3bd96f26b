import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  Float,
  ID,
  Mutation,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { Invoice } from '../invoicing/invoices.graphql.ts';
import type { InvoiceRow } from '../invoicing/invoices.ts';
import { BillLine } from '../invoicing/lines.graphql.ts';
import { tenantAlias } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { Money, toMoney } from '../graphql/money.ts';
import { DateTime } from '../graphql/scalars.ts';
import { takesWork } from '../graphql/work.ts';
import { cancelSubscription, keepSubscription, pauseSubscription, resumeSubscription } from './lifecycle.ts';
import { setPaymentMethod } from './paymentMethodChange.ts';
import { previewPlanChange, type PlanChange } from './planChanges.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import { recordPayment } from './transfers.ts';
import type { SubscriptionRow } from './subscriptions.ts';

const PlanChangeKind = { upgrade: 'upgrade', downgrade: 'downgrade', unchanged: 'unchanged' } as const;
registerEnumType(PlanChangeKind, {
  name: 'PlanChangeKind',
  description: 'How a change of plan takes effect.',
  valuesConfig: {
    upgrade: { description: 'At once: it costs more by the year, or its interval is longer.' },
    downgrade: { description: 'At the end of the period that is paid.' },
    unchanged: {
      description: 'It is the present plan: a change that waits for the end of the period is taken back.',
    },
  },
});

@ObjectType('PlanChange', { simpleResolvers: true, description: 'What a change of plan comes to.' })
class PlanChangeType {
  @Field(() => PlanChangeKind, { description: 'How it takes effect.' })
  kind!: string;

  @Field(() => DateTime, { description: 'When it takes effect.' })
  effectiveAt!: string;

  @Field(() => [BillLine], { description: 'The lines that the change will write; none for a downgrade.' })
  lines!: BillLine[];

  @Field(() => DateTime, { description: 'When the subscription is billed next.' })
  nextBillingDate!: string;
}

const id = { description: 'The subscription.' };

@Resolver(() => PlanChangeType)
export class PlanChangeResolver {
  @FieldResolver(() => Money, { description: 'What is charged now.' })
  total(@Root() change: PlanChange): Money {
    return toMoney(change.totalMinor, change.currency);
  }

  @Extensions(takesWork({ cost: 100 }))
  @Query(() => PlanChangeType, {
    nullable: true,
    description: 'What changing to a price would come to.',
  })
  previewPlanChange(
    @Ctx() context: Context,
    @Arg('subscriptionId', () => ID, id) subscriptionId: string,
    @Arg('priceId', () => ID, {
      description: 'Another price of the product, or a price of another product of its group.',
    })
    priceId: string,
    @Arg('at', () => DateTime, {
      nullable: true,
      description: 'The moment of the change, not in the past; now unless given.',
    })
    at?: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<PlanChange> {
    return previewPlanChange(context.tenant(alias), subscriptionId, priceId, at);
  }
}

@Resolver()
export class SubscriptionChangesResolver {
  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Cancels a subscription, now or at the end of its period. Where a renewal is owed, that is the period which it ' +
      'is for: it is still tried again, and nothing later is billed.',
  })
  cancelSubscription(
    @Ctx() context: Context,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('customerId', () => ID, {
      nullable: true,
      description: 'The customer it must belong to, to be verified.',
    })
    customerId?: string,
    @Arg('atPeriodEnd', () => Boolean, {
      nullable: true,
      description: 'Now unless true; one of which nothing has been paid is always cancelled now.',
    })
    atPeriodEnd?: boolean,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<SubscriptionRow> {
    return context
      .tenant(alias)
      .write((unit) => cancelSubscription(unit, subscriptionId, customerId, atPeriodEnd ?? false));
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description: 'Takes back a cancellation at the end of the period.',
  })
  keepSubscription(
    @Ctx() context: Context,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<SubscriptionRow> {
    return context.tenant(alias).write((unit) => keepSubscription(unit, subscriptionId));
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description: 'Stops billing until it is resumed.',
  })
  pauseSubscription(
    @Ctx() context: Context,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<SubscriptionRow> {
    return context.tenant(alias).write((unit) => pauseSubscription(unit, subscriptionId));
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Goes on with a subscription that is paused, or that billing had set aside; the anchor stays.',
  })
  resumeSubscription(
    @Ctx() context: Context,
    @Arg('id', () => ID, id) subscriptionId: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<SubscriptionRow> {
    return context.tenant(alias).write((unit) => resumeSubscription(unit, subscriptionId));
  }

  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Saves another payment method and charges past-due invoices to it at once. If the payer must confirm it, the ' +
      'error names the URL as `actionUrl`; the method is saved when the provider reports the confirmation.',
  })
  setPaymentMethod(
    @Ctx() context: Context,
    @Arg('subscriptionId', () => ID, id) subscriptionId: string,
    @Arg('paymentMethod', () => String, { description: 'What the payment provider knows the method by.' })
    paymentMethod: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<SubscriptionRow> {
    return setPaymentMethod(context.tenant(alias), subscriptionId, paymentMethod);
  }

  @Mutation(() => Invoice, {
    nullable: true,
    description:
      'Records money that arrived by bank or cash for an open invoice. A subscription that begins with it begins when ' +
      'the money was received.',
  })
  recordPayment(
    @Ctx() context: Context,
    @Arg('invoiceId', () => ID, { description: 'The invoice.' }) invoiceId: string,
    @Arg('reference', () => String, { description: 'Your own reference, 1 to 255 characters.' })
    reference: string,
    @Arg('receivedAt', () => DateTime, { nullable: true, description: 'When it arrived; now unless given.' })
    receivedAt?: string,
    @Arg('amount', () => Float, {
      nullable: true,
      description: "What arrived, in major units; refused unless it is the invoice's total.",
    })
    amount?: number,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<InvoiceRow> {
    return context
      .tenant(alias)
      .write((unit) => recordPayment(unit, invoiceId, { reference, receivedAt, amount }));
  }
}

/** Metadata of intents, subscriptions, invoices and payments: the fields that show them, and the mutations that replace them. */
import { Arg, Extensions, Field, FieldResolver, ID, InputType, Resolver, Root } from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Mutation } from '../../graphql/operations.ts';
import { MoneyInput } from '../../graphql/money.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { JSONObject, textValues } from '../../graphql/scalars.ts';
import type { TextMetadata } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { changeMetadata } from '../../tenancy/metadata.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { Invoice } from '../invoices/invoices.graphql.ts';
import { findInvoice, type InvoiceRow } from '../invoices/invoices.ts';
import { Payment } from '../payments/payments.graphql.ts';
import { findPayment } from '../payments/payments.ts';
import { CommitmentInput } from './commitmentInput.graphql.ts';
import { SubscriptionIntent } from './intents/intents.graphql.ts';
import { findIntent, type IntentRow } from './intents/intents.ts';
import { SubscriptionContract } from './subscriptions.graphql.ts';
import type { SubscriptionRow } from './subscriptions.ts';
import { updateSubscription } from './updateSubscription.ts';

const shown = { description: 'Your own data: text to text.' };
const changes = { description: 'The changes.' };

@InputType()
abstract class MetadataInput {
  @Extensions(textValues)
  @Field(() => JSONObject, {
    nullable: true,
    description: 'Replaces all metadata: text to text, at most 50 keys and 16 KiB as JSON; null empties it.',
  })
  metadata?: TextMetadata | null;
}

@InputType({ description: 'Changes to an intent. Omitted fields stay unchanged.' })
class UpdateIntentInput extends MetadataInput {}

@InputType({ description: 'Changes to a subscription. Omitted fields stay unchanged.' })
class UpdateSubscriptionInput extends MetadataInput {
  @Field(() => MoneyInput, {
    nullable: true,
    description:
      'The amount of usage that is billed as soon as it is reached: more than 0, in the currency of the subscription; null for none.',
  })
  billingThreshold?: MoneyInput | null;

  @Field(() => CommitmentInput, {
    nullable: true,
    description:
      'What it is to spend on usage, from the beginning of the present period on; null for nothing.',
  })
  commitment?: CommitmentInput | null;

  @Field(() => [MoneyInput], {
    nullable: true,
    description:
      'The amounts of usage in a period, before discounts, credits and tax, of which the event `SubscriptionEvent.spend_alert` tells, ' +
      'once each in a period: at most 5, each more than 0, in the currency of the subscription; null or empty for none.',
  })
  spendAlerts?: MoneyInput[] | null;
}

@InputType({ description: 'Changes to an invoice. Omitted fields stay unchanged.' })
class UpdateInvoiceInput extends MetadataInput {}

@InputType({ description: 'Changes to a payment. Omitted fields stay unchanged.' })
class UpdatePaymentInput extends MetadataInput {}

@Resolver(() => SubscriptionIntent)
export class IntentMetadataResolver {
  @Extensions(textValues)
  @FieldResolver(() => JSONObject, shown)
  metadata(@Root() { metadata }: IntentRow): TextMetadata {
    return metadata ?? {};
  }

  @Mutation(() => SubscriptionIntent, {
    nullable: true,
    description:
      'Changes the metadata of an intent, in any status. A subscription that it has started keeps its own.',
    permission: 'manage_subscriptions',
    reasons: ['intent_not_found'],
  })
  updateIntent(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The intent.' }) id: string,
    @Arg('input', () => UpdateIntentInput, changes) input: UpdateIntentInput,
  ): Promise<IntentRow> {
    return tenant.write(async (unit) =>
      changeMetadata(unit, 'intents', await findIntent(unit, id, unit.now), input),
    );
  }
}

@Resolver(() => SubscriptionContract)
export class SubscriptionMetadataResolver {
  @Mutation(() => SubscriptionContract, {
    nullable: true,
    description:
      'Changes the metadata of a subscription, also of one that has ended; invoices issued later have it, too. Changes its ' +
      '`billingThreshold`, its `spendAlerts` and its `commitment`. `changeSubscription` changes its terms.',
    permission: 'manage_subscriptions',
    reasons: ['subscription_not_found', 'subscription_not_active', 'currency_mismatch', ...moneyReasons],
  })
  updateSubscription(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The subscription.' }) id: string,
    @Arg('input', () => UpdateSubscriptionInput, changes) input: UpdateSubscriptionInput,
  ): Promise<SubscriptionRow> {
    return tenant.write((unit) => updateSubscription(unit, id, input));
  }
}

@Resolver(() => Invoice)
export class InvoiceMetadataResolver {
  @Extensions(textValues)
  @FieldResolver(() => JSONObject, shown)
  metadata(@Root() { metadata }: InvoiceRow): TextMetadata {
    return metadata ?? {};
  }

  @Mutation(() => Invoice, {
    nullable: true,
    description:
      'Changes the metadata of an invoice, in any status; payments recorded later have it, too. Its document never shows it.',
    permission: 'manage_invoices',
    reasons: ['invoice_not_found'],
  })
  updateInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The invoice.' }) id: string,
    @Arg('input', () => UpdateInvoiceInput, changes) input: UpdateInvoiceInput,
  ): Promise<InvoiceRow> {
    return tenant.write(async (unit) => changeMetadata(unit, 'invoices', await findInvoice(unit, id), input));
  }
}

@Resolver(() => Payment)
export class PaymentMetadataResolver {
  @Extensions(textValues)
  @FieldResolver(() => JSONObject, shown)
  metadata(@Root() { metadata }: Row<'payments'>): TextMetadata {
    return metadata ?? {};
  }

  @Mutation(() => Payment, {
    nullable: true,
    description: 'Changes the metadata of a payment, in any status.',
    permission: 'manage_invoices',
    reasons: ['payment_not_found'],
  })
  updatePayment(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The payment.' }) id: string,
    @Arg('input', () => UpdatePaymentInput, changes) input: UpdatePaymentInput,
  ): Promise<Row<'payments'>> {
    return tenant.write(async (unit) => changeMetadata(unit, 'payments', await findPayment(unit, id), input));
  }
}

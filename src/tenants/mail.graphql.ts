import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { UrlScalar } from '../graphql/scalars.ts';
import { eventMailKinds, mailKinds } from '../storage/model/mails.ts';

const MailKinds = Object.fromEntries(mailKinds.map((kind) => [kind, kind]));
registerEnumType(MailKinds, {
  name: 'MailKind',
  description: 'A kind of mail to customers.',
  valuesConfig: {
    receipt: { description: 'An invoice was paid; with its PDF.' },
    invoice_issued: {
      description: 'An invoice is to be paid by bank transfer, or is overdue; with its PDF.',
    },
    payment_failed: { description: 'A charge failed, with a link to change the payment method.' },
    payment_method_expiring: { description: 'A card expires soon.' },
    trial_ending: { description: 'A trial ends soon.' },
    renewal_upcoming: { description: 'A plan with a long interval renews soon.' },
    plan_changed: { description: 'A plan was changed, or will change.' },
    cancelled: { description: 'A subscription was cancelled.' },
    cancellation_scheduled: { description: 'A subscription will end with its period.' },
    email_changed: { description: 'The address of the customer was changed; sent to the former one.' },
    refund: { description: 'A refund was paid out; with the PDF of its credit note.' },
    credit_note: {
      description: 'A credit note was issued that refunds no money; with its PDF.',
    },
    subscription_started: { description: 'A subscription started, or is scheduled to start.' },
    subscription_paused: {
      description: 'A subscription was paused; with the day on which it continues, if there is one.',
    },
    subscription_resumed: { description: 'A paused subscription continues, on request or on its day.' },
    usage_alert: { description: 'The use of a limit has reached a share of it.' },
    spend_alert: { description: 'The usage of a subscription has cost an amount of its `spendAlerts`.' },
    credit_alert: { description: 'A credit grant is used to a share of its amount.' },
    portal_code: { description: 'A code to sign in to the portal.' },
    test: { description: 'A test.' },
  },
});
export { MailKinds };

@ObjectType('MailSettings', { simpleResolvers: true, description: 'The mails of a tenant to its customers.' })
export class MailSettingsType {
  @Field(() => String, {
    nullable: true,
    description: 'The name of the sender; null for that of the seller.',
  })
  fromName!: string | null;

  @Field(() => String, { nullable: true, description: 'The address for replies.' })
  replyTo!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Receives all mails of a test tenant, in place of its customers; null: none is sent.',
  })
  testRecipient!: string | null;

  @Field(() => [MailKinds], { description: 'The kinds that are switched off.' })
  disabledKinds!: string[];

  @Field(() => [MailKinds], {
    description: 'The kinds that are switched on, of those that are off by default.',
  })
  enabledKinds!: string[];

  @Field(() => [MailKinds], { description: 'The kinds that report events and are sent.' })
  sentKinds!: string[];

  @Field(() => Int, {
    description: 'Days before the renewal of plans with a long interval on which it is announced.',
  })
  renewalNoticeDays!: number;

  @Field(() => UrlScalar, {
    nullable: true,
    description:
      'The address for reports of bounces and complaints by a mail provider; a secret, null for a read-only key.',
  })
  bounceUrl!: string | null;

  @Field(() => Boolean, { description: 'Whether the customers are written to: there is a mail server.' })
  enabled!: boolean;
}

@InputType({
  description: 'Changes to the mails of a tenant. Omitted fields stay unchanged; null is the default.',
})
export class MailSettingsInput {
  @Field(() => String, {
    nullable: true,
    description: 'The name of the sender, at most 200 characters; null for that of the seller.',
  })
  fromName?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The address for replies; null for that of the branding.',
  })
  replyTo?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Receives all mails of a test tenant, in place of its customers; null: none is sent.',
  })
  testRecipient?: string | null;

  @Field(() => [MailKinds], {
    nullable: true,
    description: `The kinds to switch off, of ${eventMailKinds.map((kind) => `\`${kind}\``).join(', ')}.`,
  })
  disabledKinds?: string[] | null;

  @Field(() => [MailKinds], {
    nullable: true,
    description:
      'The kinds to switch on, of the same. By default `refund`, `credit_note`, `subscription_started`, ' +
      '`subscription_paused`, `subscription_resumed`, `usage_alert`, `spend_alert` and `credit_alert` are off, and `cancellation_scheduled` is on if ' +
      '`cancelled` is. A new tenant has `refund`, `credit_note`, `usage_alert`, `spend_alert` and `credit_alert` switched on.',
  })
  enabledKinds?: string[] | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Days before the renewal of plans with a long interval on which it is announced, 0 to 90; 0 for never, null for 30.',
  })
  renewalNoticeDays?: number | null;
}

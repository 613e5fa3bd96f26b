import {
  Arg,
  Args,
  Ctx,
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
import { Query, Mutation } from '../../graphql/operations.ts';
import { MailKinds } from '../../tenants/mail.graphql.ts';
import { Customer } from '../../billing/customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { shareReads } from '../../graphql/sharedReads.ts';
import { declareWork } from '../../graphql/work.ts';
import { Invoice } from '../../billing/invoices/invoices.graphql.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { MailKind } from '../../storage/model/mails.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import {
  findMailDelivery,
  listMailDeliveries,
  listMailsAbout,
  mailStatuses,
  resendMail,
} from './deliveries.ts';
import { composeMessage, type ShownMail } from './message.ts';
import type { MailRow } from './outbox.ts';
import { sendTestMail } from './preview.ts';
import { sendInvoice } from './sendInvoice.ts';
import { MailLanguages } from './templates.graphql.ts';
import { MailMessage } from './message.graphql.ts';

const MailStatuses = Object.fromEntries(mailStatuses.map((status) => [status, status]));
registerEnumType(MailStatuses, {
  name: 'MailStatus',
  description: 'The status of a mail.',
  valuesConfig: {
    pending: { description: 'Waiting for its next attempt, or for the preceding mail to the same customer.' },
    sent: { description: 'The mail server accepted it, or a test tenant without a test recipient kept it.' },
    failed: { description: 'The mail server refused it for good, or did not accept it for three days.' },
    bounced: { description: 'It was reported as undeliverable or unwanted after it was sent.' },
    cancelled: { description: 'It was not sent; the last attempt says why.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'One attempt to send a mail.' })
class MailAttempt {
  @Field(() => DateTime, { description: 'When it ended.' })
  at!: string;

  @Field(() => Int, { description: 'The duration in milliseconds.' })
  durationMs!: number;

  @Field(() => String, { nullable: true, description: 'The reply of the mail server, if any.' })
  response!: string | null;

  @Field(() => String, { nullable: true, description: 'The error; null after a success.' })
  error!: string | null;
}

@Extensions(refetchBy(({ read }, id) => findMailDelivery(read, id)))
@ObjectType('MailDelivery', {
  implements: Node,
  simpleResolvers: true,
  description: 'A mail to a customer, kept for 90 days.',
})
class MailDelivery extends Node {
  @Field(() => MailKinds, { description: 'The kind.' })
  kind!: string;

  @Field(() => ID, { nullable: true, description: 'The customer; null for a test.' })
  customerId!: string | null;

  @Field(() => String, { description: 'The address.' })
  recipient!: string;

  @Field(() => MailLanguages, { description: 'The language.' })
  language!: string;

  @Field(() => ID, { nullable: true, description: 'The event that it reports, if any.' })
  eventId!: string | null;

  @Field(() => String, { nullable: true, description: 'The subject; null before the first attempt.' })
  subject!: string | null;

  @Field(() => String, { description: 'The `Message-ID`, the same in every attempt.' })
  messageId!: string;

  @Field(() => MailStatuses, { description: 'The status.' })
  status!: string;

  @Field(() => DateTime, { description: 'When it was queued.' })
  createdAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was sent or abandoned.' })
  finishedAt!: string | null;
}

@InputType({ description: 'A test mail.' })
class SendTestMailInput {
  @Field(() => String, { description: 'The address.' })
  to!: string;

  @Field(() => MailKinds, {
    nullable: true,
    description: 'The kind whose sample to send; `test` by default.',
  })
  kind?: string | null;

  @Field(() => MailLanguages, { nullable: true, description: 'The language; `en` by default.' })
  language?: string | null;
}

const MailConnection = defineConnection<MailRow>('MailDelivery', () => MailDelivery);

@Resolver(() => MailDelivery)
export class MailDeliveryResolver {
  @FieldResolver(() => [MailAttempt], { description: 'The last 50 attempts, oldest first.' })
  attempts(@Root() { tries }: MailRow): MailRow['tries'] {
    return tries;
  }

  @Extensions(declareWork({ cost: 200 }))
  @FieldResolver(() => MailMessage, {
    nullable: true,
    description:
      'The content, composed now from the current records, texts and branding by the functions that send it. ' +
      'Sign-in codes and the tokens of links are replaced by `••••••••`, except for callers with the permission ' +
      '`manage_customers` in a test tenant. Null if a record that the mail is about was deleted, or its customer erased.',
  })
  message(@Ctx() context: Context, @Root() mail: MailRow): Promise<ShownMail | null> {
    const mayReveal = context.permissions.includes('manage_customers');
    return composeMessage(context.tenant, shareReads(context), context.publicUrl, mail, mayReveal);
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'The time of the next attempt; null if finished or waiting for the preceding mail.',
  })
  nextAttemptAt(@Root() { dueAt }: MailRow): string | null {
    return dueAt;
  }

  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null once deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: MailRow) {
    return customerId === null ? null : context.byId('customers', customerId);
  }

  @Query(() => MailDelivery, {
    nullable: true,
    description: 'Returns a mail by id.',
    permission: 'read',
    reasons: ['mail_delivery_not_found'],
  })
  mailDelivery(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The mail.' }) id: string,
  ): Promise<MailRow> {
    return findMailDelivery(tenant.read, id);
  }

  @Query(() => MailConnection, {
    nullable: true,
    description: "Lists the tenant's mails.",
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async mailDeliveries(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string,
    @Arg('kind', () => MailKinds, { nullable: true, description: 'Filter by kind.' })
    kind?: MailKind,
    @Arg('status', () => MailStatuses, { nullable: true, description: 'Filter by status.' })
    status?: MailRow['status'],
  ) {
    return new MailConnection(await listMailDeliveries(tenant, { customerId, kind, status }, page));
  }

  @Mutation(() => MailDelivery, {
    nullable: true,
    description: 'Sends a mail again, with the same `Message-ID`. A pending mail is attempted at once.',
    permission: 'manage_customers',
    reasons: ['mail_delivery_not_found'],
  })
  resendMail(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The mail.' }) id: string,
  ): Promise<MailRow> {
    return tenant.write((unit) => resendMail(unit, id));
  }

  @Mutation(() => MailDelivery, {
    nullable: true,
    description:
      'Sends an invoice to its customer by mail, also again: an open one with how to pay it, a paid one as its receipt. ' +
      'Query the delivery for the outcome.',
    permission: 'manage_invoices',
    reasons: ['invoice_not_found', 'invoice_not_finalized', 'invoice_not_open', 'customer_not_found'],
  })
  sendInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The invoice.' }) id: string,
  ): Promise<MailRow> {
    return sendInvoice(tenant, id);
  }

  @Mutation(() => MailDelivery, {
    nullable: true,
    description: 'Sends a mail with invented data. Query the delivery for the outcome.',
    permission: 'manage_settings',
    reasons: [],
  })
  sendTestMail(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => SendTestMailInput, { description: 'The mail.' }) input: SendTestMailInput,
  ): Promise<MailRow> {
    return sendTestMail(tenant, input);
  }
}

@Resolver(() => Invoice)
export class InvoiceMailsResolver {
  @Extensions(declareWork({ cost: 20 }))
  @FieldResolver(() => [MailDelivery], {
    description:
      'The mails that report the invoice to its customer, oldest first. Mails are kept for a time.',
  })
  mails(@Ctx() context: Context, @Root() { id }: Row<'invoices'>): Promise<MailRow[]> {
    return context.load('mails of invoices', id, (ids) => listMailsAbout(context.tenant.read, ids));
  }
}

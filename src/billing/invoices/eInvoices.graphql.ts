import {
  Arg,
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
import type { Context } from '../../graphql/context.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Mutation } from '../../graphql/operations.ts';
import { EInvoiceFormat } from '../../graphql/parties.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { CreditNote } from './creditNotes.graphql.ts';
import { EInvoiceStatusType } from './eInvoiceStatus.graphql.ts';
import { reportEInvoice, sendEInvoice, type EInvoiceRow } from './eInvoices.ts';
import { Invoice } from './invoices.graphql.ts';

@ObjectType({ simpleResolvers: true, description: 'One attempt to send an e-invoice to the access point.' })
class EInvoiceAttempt {
  @Field(() => DateTime, { description: 'When it ended.' })
  at!: string;

  @Field(() => Int, { nullable: true, description: 'The HTTP status of the response, if any.' })
  statusCode!: number | null;

  @Field(() => Int, { description: 'The duration in milliseconds.' })
  durationMs!: number;

  @Field(() => String, { nullable: true, description: 'The error; null after a success.' })
  error!: string | null;
}

@ObjectType('EInvoiceDelivery', {
  simpleResolvers: true,
  description: 'The e-invoice of an invoice or a credit note at the access point of the tenant.',
})
class EInvoiceDelivery {
  @Field(() => EInvoiceStatusType, { description: 'The status.' })
  status!: string;

  @Field(() => EInvoiceFormat, { description: 'The format.' })
  format!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The name that the access point has given it, such as the id of a message in its network.',
  })
  reference!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why it was rejected, or why the last attempt failed.',
  })
  lastError!: string | null;

  @Field(() => DateTime, { description: 'When it was queued first.' })
  createdAt!: string;
}

const EInvoiceDecision = { accepted: 'accepted', rejected: 'rejected' } as const;
registerEnumType(EInvoiceDecision, {
  name: 'EInvoiceDecision',
  description: 'What an access point or a receiver has decided about an e-invoice.',
  valuesConfig: {
    accepted: { description: 'It was accepted.' },
    rejected: { description: 'It was rejected.' },
  },
});

@InputType({ description: 'What an access point or a receiver has decided about an e-invoice.' })
class ReportEInvoiceInput {
  @Field(() => EInvoiceDecision, { description: 'The decision.' })
  status!: keyof typeof EInvoiceDecision;

  @Field(() => String, {
    nullable: true,
    description: 'The name of the e-invoice there, up to 200 characters; null for the known one.',
  })
  reference?: string | null;

  @Field(() => String, { nullable: true, description: 'Why, up to 1,000 characters.' })
  message?: string | null;
}

@Resolver(() => EInvoiceDelivery)
export class EInvoiceDeliveryResolver {
  @FieldResolver(() => ID, { description: 'The invoice or the credit note.' })
  documentId(@Root() { id }: EInvoiceRow): string {
    return id;
  }

  @FieldResolver(() => DateTime, { description: 'When the status was reached.' })
  at(@Root() { statusAt }: EInvoiceRow): string {
    return statusAt;
  }

  @FieldResolver(() => Int, { description: 'The number of attempts since it was queued.' })
  attempts(@Root() { attempt }: EInvoiceRow): number {
    return attempt;
  }

  @Extensions(declareWork({ cost: 0, size: 50 }))
  @FieldResolver(() => [EInvoiceAttempt], { description: 'The last 50 attempts, oldest first.' })
  history(@Root() { tries }: EInvoiceRow): EInvoiceRow['tries'] {
    return tries;
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'The time of the next attempt; null if none follows by itself.',
  })
  nextAttemptAt(@Root() { dueAt }: EInvoiceRow): string | null {
    return dueAt;
  }

  @Mutation(() => EInvoiceDelivery, {
    nullable: true,
    description:
      'Sends the e-invoice of an invoice or a credit note to the access point of the tenant, also again. One that is queued is ' +
      'attempted at once. The idempotency key stays the same, so that the access point recognizes it; one that was rejected gets another.',
    permission: 'manage_invoices',
    reasons: ['invoice_not_found', 'invoice_not_finalized', 'account_not_found'],
  })
  sendEInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The invoice or the credit note.' }) id: string,
  ): Promise<EInvoiceRow> {
    return tenant.write((unit) => sendEInvoice(unit, id));
  }

  @Mutation(() => EInvoiceDelivery, {
    nullable: true,
    description:
      'Records what the access point or the receiver has decided about an e-invoice. One that is queued is not sent any more. A ' +
      'repeated report changes nothing.',
    permission: 'manage_invoices',
    reasons: ['invoice_not_found'],
  })
  reportEInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The invoice or the credit note.' }) id: string,
    @Arg('input', () => ReportEInvoiceInput, { description: 'The decision.' }) input: ReportEInvoiceInput,
  ): Promise<EInvoiceRow> {
    return tenant.write((unit) => reportEInvoice(unit, id, input));
  }
}

const deliveryField = {
  nullable: true,
  description: 'Its e-invoice at the access point of the tenant; null if none was to be sent.',
};

const findDelivery = (context: Context, id: string) => context.byId('eInvoiceDeliveries', id);

@Resolver(() => Invoice)
export class InvoiceEInvoiceResolver {
  @FieldResolver(() => EInvoiceDelivery, deliveryField)
  eInvoiceDelivery(@Ctx() context: Context, @Root() { id, eInvoiceStatus }: Row<'invoices'>) {
    return eInvoiceStatus === null ? null : findDelivery(context, id);
  }
}

@Resolver(() => CreditNote)
export class CreditNoteEInvoiceResolver {
  @FieldResolver(() => EInvoiceDelivery, deliveryField)
  eInvoiceDelivery(@Ctx() context: Context, @Root() { id, eInvoiceStatus }: Row<'creditNotes'>) {
    return eInvoiceStatus === null ? null : findDelivery(context, id);
  }
}

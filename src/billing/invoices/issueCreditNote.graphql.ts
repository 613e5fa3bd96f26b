import { Arg, Field, ID, InputType, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { CreditNoteRow } from './creditNotes.ts';
import { CreditNote, CreditNoteKind } from './creditNotes.graphql.ts';
import { MoneyInput } from '../../graphql/money.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { createCreditNote } from './issueCreditNote.ts';

@InputType({ description: 'The part of an invoice line to credit.' })
class CreditNoteLineInput {
  @Field(() => ID, { description: 'The invoice line.' })
  lineId!: string;

  @Field(() => MoneyInput, {
    description:
      'The amount, more than 0, as the line is priced: without tax, or with it if the price contains it.',
  })
  amount!: MoneyInput;
}

@InputType({ description: 'A credit note. Without `amount` and `lines` it credits all that is left.' })
class CreateCreditNoteInput {
  @Field(() => ID, { description: 'The invoice to credit: open or paid.' })
  invoiceId!: string;

  @Field(() => MoneyInput, {
    nullable: true,
    description: 'The amount with tax, taken from the lines in their order; not with `lines`.',
  })
  amount?: MoneyInput | null;

  @Field(() => [CreditNoteLineInput], { nullable: true, description: 'Parts of lines, 1 to 500.' })
  lines?: CreditNoteLineInput[] | null;

  @Field(() => CreditNoteKind, { description: 'Whether it is refunded, or credited.' })
  kind!: keyof typeof CreditNoteKind;

  @Field(() => String, {
    nullable: true,
    description: 'Why it is issued, 1 to 200 characters: kept and printed.',
  })
  reason?: string | null;

  @Field(() => String, { nullable: true, description: 'Text for the customer, at most 1,000 characters.' })
  memo?: string | null;
}

@Resolver(() => CreditNote)
export class CreateCreditNoteResolver {
  @Mutation(() => CreditNote, {
    nullable: true,
    description:
      'Credits an invoice in whole or in part, never more than is left of it. The last credit note of a line is ' +
      'its remainder, tax included, so that an invoice can be credited to exactly zero.',
    permission: 'refund',
    proposable: true,
    reasons: [
      'invoice_not_found',
      'invoice_not_finalized',
      'invoice_not_paid',
      'invoice_not_open',
      'invoice_line_not_found',
      'credit_too_large',
      'refund_too_large',
      'currency_mismatch',
      ...moneyReasons,
      'payment_failed',
    ],
  })
  createCreditNote(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateCreditNoteInput, { description: 'The credit note.' })
    input: CreateCreditNoteInput,
  ): Promise<CreditNoteRow> {
    return createCreditNote(tenant, input);
  }
}

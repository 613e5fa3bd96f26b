import { Arg, Field, ID, InputType, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { MoneyInput } from '../../graphql/money.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { Invoice } from '../invoices/invoices.graphql.ts';
import type { InvoiceRow } from '../invoices/invoices.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { recordPayment } from './transfers.ts';

@InputType({ description: 'A payment that was received.' })
class RecordPaymentInput {
  @Field(() => String, { description: 'Your reference, 1 to 255 characters.' })
  reference!: string;

  @Field(() => DateTime, { nullable: true, description: 'When the payment was received. Default: now.' })
  receivedAt?: string | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description: "The amount received; must be the invoice's total.",
  })
  amount?: MoneyInput | null;
}

@Resolver()
export class TransferResolver {
  @Mutation(() => Invoice, {
    nullable: true,
    description:
      'Records a payment by bank transfer or cash for an open invoice. A subscription started by it starts ' +
      'when the payment was received.',
    permission: 'manage_invoices',
    proposable: true,
    reasons: ['invoice_not_found', 'invoice_not_open', 'currency_mismatch', ...moneyReasons],
  })
  recordPayment(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The invoice.' }) id: string,
    @Arg('input', () => RecordPaymentInput, { description: 'The payment.' }) input: RecordPaymentInput,
  ): Promise<InvoiceRow> {
    return tenant.write((unit) => recordPayment(unit, id, input));
  }
}

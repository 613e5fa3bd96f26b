import { Arg, Field, ID, InputType, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { expectedTotalReasons } from '../../graphql/reasons.ts';
import { expectedTotalField } from '../payments/expectedTotal.graphql.ts';
import { parseExpectedTotal } from '../payments/expectedTotal.ts';
import { MoneyInput } from '../../graphql/money.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { InvoiceRow } from '../invoices/invoices.ts';
import { Invoice } from '../invoices/invoices.graphql.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { payInvoice } from './invoicePayment.ts';

@InputType({ description: 'What a payment of an invoice must be.' })
class PayInvoiceInput {
  @Field(() => MoneyInput, expectedTotalField)
  expectedTotal?: MoneyInput | null;
}

@Resolver(() => Invoice)
export class InvoicePaymentResolver {
  @Mutation(() => Invoice, {
    nullable: true,
    description:
      "Charges an open invoice now: the customer's default payment method for one-off charges, the payment method " +
      'of its subscription otherwise, even if its retries have stopped.',
    permission: 'manage_invoices',
    openTo: {
      customer: { args: ['id', 'input.expectedTotal'], action: 'pay_invoice', own: { id: 'invoices' } },
    },
    reasons: [
      'invoice_not_found',
      'invoice_not_open',
      'payment_failed',
      'currency_mismatch',
      ...expectedTotalReasons,
    ],
  })
  payInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The invoice.' }) id: string,
    @Arg('input', () => PayInvoiceInput, { nullable: true, description: 'What is verified.' })
    input?: PayInvoiceInput | null,
  ): Promise<InvoiceRow> {
    return payInvoice(tenant, id, { expected: parseExpectedTotal(input?.expectedTotal) });
  }
}

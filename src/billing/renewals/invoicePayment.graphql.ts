import { Arg, ID, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { InvoiceRow } from '../invoices/invoices.ts';
import { Invoice } from '../invoices/invoices.graphql.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { payInvoice } from './invoicePayment.ts';

@Resolver(() => Invoice)
export class InvoicePaymentResolver {
  @Mutation(() => Invoice, {
    nullable: true,
    description:
      "Charges an open invoice now: the customer's default payment method for one-off charges, the payment method " +
      'of its subscription otherwise, even if its retries have stopped.',
    permission: 'manage_invoices',
    reasons: ['invoice_not_found', 'invoice_not_open', 'payment_failed'],
  })
  payInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The invoice.' }) id: string,
  ): Promise<InvoiceRow> {
    return payInvoice(tenant, id);
  }
}

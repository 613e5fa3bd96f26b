import { Arg, ID, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { InvoiceRow } from '../invoices/invoices.ts';
import { Invoice } from '../invoices/invoices.graphql.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { finalizeInvoiceNow } from './invoiceFinalization.ts';

@Resolver(() => Invoice)
export class FinalizationResolver {
  @Mutation(() => Invoice, {
    nullable: true,
    description:
      'Finalizes an invoice before its grace ends: it gets its document number, and its document no longer ' +
      'changes. A draft is taxed by the details that the customer has now, the balance pays, and the rest is ' +
      'collected; if a charge is declined, the invoice stays open.',
    permission: 'manage_invoices',
    proposable: true,
    reasons: ['invoice_not_found', 'invoice_not_draft'],
  })
  finalizeInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The invoice.' }) id: string,
  ): Promise<InvoiceRow> {
    return finalizeInvoiceNow(tenant, id);
  }
}

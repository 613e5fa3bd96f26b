import { Arg, Float, ID, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { Invoice } from '../invoices/invoices.graphql.ts';
import type { InvoiceRow } from '../invoices/invoices.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { recordPayment } from './transfers.ts';

@Resolver()
export class TransferResolver {
  @Mutation(() => Invoice, {
    nullable: true,
    description:
      'Records a payment by bank transfer or cash for an open invoice. A subscription started by it starts ' +
      'when the payment was received.',
    permission: 'manage_invoices',
    reasons: ['invoice_not_found', 'invoice_not_open', 'amount_precision'],
  })
  recordPayment(
    @CurrentTenant() tenant: TenantScope,
    @Arg('invoiceId', () => ID, { description: 'The invoice.' }) invoiceId: string,
    @Arg('reference', () => String, { description: 'Your reference, 1 to 255 characters.' })
    reference: string,
    @Arg('receivedAt', () => DateTime, {
      nullable: true,
      description: 'When the payment was received. Default: now.',
    })
    receivedAt?: string,
    @Arg('amount', () => Float, {
      nullable: true,
      description: "The amount received in major units; must be the invoice's total.",
    })
    amount?: number,
  ): Promise<InvoiceRow> {
    return tenant.write((unit) => recordPayment(unit, invoiceId, { reference, receivedAt, amount }));
  }
}

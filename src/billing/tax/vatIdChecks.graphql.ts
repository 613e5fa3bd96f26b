import { Arg, ID, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { Customer } from '../customers/customers.graphql.ts';
import type { CustomerRow } from '../customers/customers.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { checkVatIdNow } from './vatIdChecks.ts';

@Resolver(() => Customer)
export class VatIdCheckResolver {
  // VIES is called.
  @Mutation(() => Customer, {
    nullable: true,
    description:
      'Asks VIES about the VAT id of a customer now, and returns the customer with the answer. Does not ask if the tenant ' +
      'does not check VAT ids, or if no tax depends on it. Drafts that wait for the answer are finalized soon afterwards.',
    work: { cost: 1000 },
    permission: 'manage_customers',
    reasons: ['customer_not_found'],
  })
  checkVatId(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The customer.' }) id: string,
  ): Promise<CustomerRow> {
    return checkVatIdNow(tenant, id);
  }
}

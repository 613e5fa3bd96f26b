import { Arg, Extensions, ID, Resolver } from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { live } from '../../graphql/buildSchema.ts';
import { Query } from '../../graphql/operations.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { Entitlement } from './entitlements.graphql.ts';
import type { Entitlement as EntitlementRecord } from './evaluate.ts';
import { followEntitlements } from './followEntitlements.ts';

@Resolver()
export class LiveEntitlementResolver {
  @Extensions(live)
  @Query(() => Entitlement, {
    nullable: true,
    description:
      'Sends what a customer may do with each feature, and then each that changes: by use, a plan, an override, or the ' +
      'passing of time, which is noticed after five seconds at the latest.',
    permission: 'read',
    reasons: ['customer_not_found'],
  })
  entitlementChanged(
    @CurrentTenant() tenant: TenantScope,
    @Arg('customerId', () => ID, { description: 'The customer.' }) customerId: string,
  ): Promise<AsyncIterable<EntitlementRecord>> {
    return followEntitlements(tenant, customerId);
  }
}

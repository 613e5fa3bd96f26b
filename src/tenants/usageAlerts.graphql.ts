import { FieldResolver, Int, Resolver, Root } from 'type-graphql';
import type { TenantRow } from '../tenancy/tenants.ts';
import { Tenant } from './tenants.graphql.ts';

@Resolver(() => Tenant)
export class UsageAlertResolver {
  @FieldResolver(() => [Int], {
    description:
      'The shares of limits, in percent, of whose use events tell, for features that name none themselves.',
  })
  usageAlertPercents(@Root() { usageAlertPercents }: TenantRow): number[] {
    return usageAlertPercents ?? [];
  }
}

import { Arg, Field, InputType, Resolver } from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import { Mutation } from '../graphql/operations.ts';
import { resetTenant } from '../tenancy/resetTenant.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { TenantRow } from '../tenancy/tenants.ts';
import { Tenant } from './tenants.graphql.ts';

@InputType({ description: 'The reset of a test tenant.' })
class ResetTenantInput {
  @Field(() => String, { description: 'The alias of the tenant, to confirm.' })
  confirmation!: string;
}

@Resolver(() => Tenant)
export class ResetTenantResolver {
  @Mutation(() => Tenant, {
    nullable: true,
    description:
      'Removes all business records of a test tenant, with their history, so that it begins again. Its settings, keys, ' +
      'operators, accounts, tax rates, mail texts, webhook endpoints and clock stay. Refused for live tenants.',
    work: { cost: 1000 },
    permission: 'manage_settings',
    reasons: [],
  })
  resetTenant(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => ResetTenantInput, { description: 'The confirmation.' }) input: ResetTenantInput,
  ): Promise<TenantRow> {
    return tenant.write((unit) => resetTenant(unit, input));
  }
}

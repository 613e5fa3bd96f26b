import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { Tenant } from '../../tenants/tenants.graphql.ts';
import type { Context } from '../../graphql/context.ts';
import { CountryCode } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { TenantRow } from '../../tenancy/tenants.ts';
import { findUntaxedHome } from './untaxedHome.ts';

@Resolver(() => Tenant)
export class UntaxedHomeResolver {
  @Extensions(declareWork({ cost: 10 }))
  @FieldResolver(() => CountryCode, {
    nullable: true,
    description:
      'The country of the seller, if customers there are billed without tax because no tax rate is in force for it; null ' +
      'once there is one, or once the seller states `chargesNoTax`. Member states of the European Union have rates.',
  })
  async untaxedCountry(@Ctx() { tenant }: Context, @Root() row: TenantRow): Promise<string | null> {
    return (await findUntaxedHome(tenant.read, row, tenant.now())) ?? null;
  }
}

import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Tenant } from '../../tenants/tenants.graphql.ts';
import type { Context } from '../../graphql/context.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import type { TenantRow } from '../../tenancy/tenants.ts';
import { dependsOnOldRates, findCheckedUntil } from './standardRates.ts';

@Resolver(() => Tenant)
export class StandardRatesResolver {
  @FieldResolver(() => DateScalar, {
    description:
      'The date until which the standard rates of the European Union that apply (`standardTaxRates`) were checked: those that are ' +
      'built in, or those of a file that renewed them.',
  })
  standardTaxRatesCheckedUntil(@Root() { renewedRates }: TenantRow): string {
    return findCheckedUntil(renewedRates);
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether that was more than a year ago, and the seller is in the European Union. Renew them by `perennial vat-rates`, or by a ' +
      'newer release.',
  })
  standardTaxRatesOutdated(@Ctx() { tenant }: Context, @Root() row: TenantRow): boolean {
    return dependsOnOldRates(row, tenant.serviceNow());
  }
}

import { Arg, Ctx, Extensions, Mutation, Resolver } from 'type-graphql';
import { tenantAlias } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { DateTime } from '../graphql/scalars.ts';
import { takesWork } from '../graphql/work.ts';
import { Tenant } from '../tenants/tenants.graphql.ts';
import type { TenantRow } from '../tenants/tenants.ts';
import { advanceClock } from './testClock.ts';

@Resolver()
export class TestClockResolver {
  @Extensions(takesWork({ cost: 5000 }))
  @Mutation(() => Tenant, {
    nullable: true,
    description:
      'Moves the time of a test tenant forward and performs, in order, all that falls due on the way; ' +
      'from the first call on, the tenant owns its time.',
  })
  advanceClock(
    @Ctx() context: Context,
    @Arg('to', () => DateTime, { description: 'The new time; never before the present one.' }) to: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<TenantRow> {
    return advanceClock(context.tenant(alias), to);
  }
}

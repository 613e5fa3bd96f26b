import { Ctx, FieldResolver, Resolver } from 'type-graphql';
import { Me } from '../me.graphql.ts';
import type { Context } from '../../graphql/context.ts';
import type { OperatorRole } from '../../storage/model/operators.ts';
import type { Permission } from '../../tenancy/permissions.ts';
import { Operator, OperatorRoleEnum, PermissionEnum } from './operatorTypes.graphql.ts';
import type { OperatorRow } from './sessions.ts';

/** The operator as a caller. */
@Resolver(() => Me)
export class MeOperatorResolver {
  @FieldResolver(() => Operator, { nullable: true, description: 'The operator; null for an API key.' })
  operator(@Ctx() { client }: Context): OperatorRow | null {
    return client?.signedIn?.operator ?? null;
  }

  @FieldResolver(() => OperatorRoleEnum, {
    nullable: true,
    description: 'The role of the operator in the tenant; null for an API key.',
  })
  role(@Ctx() { client }: Context): OperatorRole | null {
    return client?.role ?? null;
  }

  @FieldResolver(() => [PermissionEnum], { description: 'What the caller may do in the tenant.' })
  permissions(@Ctx() { permissions }: Context): readonly Permission[] {
    return permissions;
  }
}

import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { Group } from '../catalog/groups.graphql.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { associatedId, tenantAlias } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { deleteCustomer, deleteGroup } from './departures.ts';

@Resolver()
export class DepartureResolver {
  @Mutation(() => Customer, {
    nullable: true,
    description: 'Removes a customer for good and cancels their subscriptions.',
  })
  deleteCustomer(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The customer.' }) id: string,
    @Arg('associatedId', () => String, associatedId) associated?: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ) {
    return context.tenant(alias).write((unit) => deleteCustomer(unit, id, associated));
  }

  @Mutation(() => Group, {
    nullable: true,
    description:
      'Removes a group for good with its products and prices, and cancels the subscriptions to them.',
  })
  deleteGroup(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The group.' }) id: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ) {
    return context.tenant(alias).write((unit) => deleteGroup(unit, id));
  }
}

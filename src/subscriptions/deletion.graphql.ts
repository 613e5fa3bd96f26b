import { Arg, ID, Mutation, Resolver } from 'type-graphql';
import { Group } from '../catalog/groups.graphql.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { associatedId, CurrentTenant } from '../graphql/arguments.ts';
import { deleteCustomer, deleteGroup } from './deletion.ts';
import { eraseCustomer } from './erasure.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

@Resolver()
export class DepartureResolver {
  @Mutation(() => Customer, {
    nullable: true,
    description:
      'Removes a customer for good and cancels their subscriptions. Invoices, payments and traces stay, and the traces ' +
      'show names and e-mail address; `eraseCustomer` replaces those, before the deletion or after it.',
  })
  deleteCustomer(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The customer.' }) id: string,
    @Arg('associatedId', () => String, associatedId) associated?: string,
  ) {
    return tenant.write((unit) => deleteCustomer(unit, id, associated));
  }

  @Mutation(() => Customer, {
    nullable: true,
    description:
      'Replaces personal data of a customer by a mark: names, e-mail address, associatedId and metadata in the ' +
      'customer, its traces, deliveries and intents, and in answers kept for repeated requests. Amounts and dates ' +
      'stay. A deleted customer can be erased, too. Cannot be undone.',
  })
  eraseCustomer(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The customer.' }) id: string,
    @Arg('associatedId', () => String, associatedId) associated?: string,
  ) {
    return eraseCustomer(tenant, id, associated);
  }

  @Mutation(() => Group, {
    nullable: true,
    description:
      'Removes a group for good with its products and prices, and cancels the subscriptions to them.',
  })
  deleteGroup(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The group.' }) id: string,
  ) {
    return tenant.write((unit) => deleteGroup(unit, id));
  }
}

import { Arg, ID, Mutation, Resolver } from 'type-graphql';
import { Group } from '../catalog/groups.graphql.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { associatedId, CurrentTenant } from '../graphql/arguments.ts';
import { deleteCustomer, deleteGroup } from './deletion.ts';
import { eraseCustomer } from './erasure.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

@Resolver()
export class DeletionResolver {
  @Mutation(() => Customer, {
    nullable: true,
    description:
      'Deletes a customer permanently and cancels their subscriptions. Invoices, payments and traces stay, ' +
      'and the traces contain names and email address; `eraseCustomer` removes those, before or after the ' +
      'deletion.',
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
      "Erases a customer's personal data: names, email address, associatedId and metadata in the customer, " +
      'its traces, deliveries and intents, and in responses stored for idempotency keys. Amounts and dates ' +
      'stay. Also works for a deleted customer. Cannot be undone.',
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
      'Deletes a group permanently with its products and prices, and cancels the subscriptions to them.',
  })
  deleteGroup(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The group.' }) id: string,
  ) {
    return tenant.write((unit) => deleteGroup(unit, id));
  }
}

import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { Mutation } from '../graphql/operations.ts';
import { Group } from '../billing/catalog/groups.graphql.ts';
import { Customer } from '../billing/customers/customers.graphql.ts';
import type { CustomerRow } from '../billing/customers/customers.ts';
import { associatedId, CurrentTenant } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { DateTime } from '../graphql/scalars.ts';
import { declareWork } from '../graphql/work.ts';
import { findRetained } from '../billing/invoices/retention.ts';
import { deleteCustomer, deleteGroup } from './deletion.ts';
import { eraseCustomer } from './erasure.ts';
import { isErased } from '../billing/customers/erasedData.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

const RetentionReason = { tax_records: 'tax_records' } as const;
registerEnumType(RetentionReason, {
  name: 'RetentionReason',
  description: 'Why data of an erased customer is kept.',
  valuesConfig: {
    tax_records: {
      description:
        'The law demands to keep issued invoices and credit notes (GDPR, article 17(3)(b)), for the years that the ' +
        'tenant has set.',
    },
  },
});

@ObjectType('RetainedDocuments', {
  simpleResolvers: true,
  description:
    'The documents that are kept of an erased customer, unchanged, for callers with `read_documents`.',
})
class RetainedDocumentsType {
  @Field(() => Int, { description: 'How many invoices and credit notes are kept.' })
  documents!: number;

  @Field(() => DateTime, {
    description: 'When the last of them is erased. Each goes by itself when its time has come.',
  })
  until!: string;

  @Field(() => RetentionReason, { description: 'Why they are kept.' })
  reason!: string;
}

@Resolver(() => Customer)
export class RetainedDocumentsResolver {
  @Extensions(declareWork({ cost: 1 }))
  @FieldResolver(() => RetainedDocumentsType, {
    nullable: true,
    description: 'What is kept of an erased customer, why and until when; null if nothing is.',
  })
  async retained(
    @Ctx() { tenant }: Context,
    @Root() customer: CustomerRow,
  ): Promise<RetainedDocumentsType | null> {
    if (!isErased(customer)) return null;
    const retained = await findRetained(tenant.read, customer.id);
    return retained && { ...retained, reason: RetentionReason.tax_records };
  }
}

@InputType({ description: 'What is verified of a customer to delete.' })
class DeleteCustomerInput {
  @Field(() => String, associatedId)
  associatedId?: string | null;
}

@InputType({ description: 'What is verified of a customer to erase.' })
class EraseCustomerInput {
  @Field(() => String, associatedId)
  associatedId?: string | null;
}

const verified = { nullable: true, description: 'What is verified.' };

@Resolver()
export class DeletionResolver {
  @Mutation(() => Customer, {
    nullable: true,
    description:
      'Deletes a customer permanently and cancels their subscriptions. Invoices, payments and traces stay, ' +
      'and the traces contain names and email address; `eraseCustomer` removes those, before or after the ' +
      'deletion.',
    permission: 'erase',
    proposable: true,
    reasons: ['customer_not_found', 'associated_id_mismatch'],
  })
  deleteCustomer(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The customer.' }) id: string,
    @Arg('input', () => DeleteCustomerInput, verified) input?: DeleteCustomerInput | null,
  ) {
    return tenant.write((unit) => deleteCustomer(unit, id, input?.associatedId));
  }

  @Mutation(() => Customer, {
    nullable: true,
    description:
      "Erases a customer's personal data: names, email address, associatedId and metadata in the customer, " +
      'its traces, deliveries and intents, and in responses stored for idempotency keys. Amounts and dates ' +
      'stay, and issued documents until their retention ends (`Customer.retained`). Also works for a deleted ' +
      'customer. Cannot be undone.',
    permission: 'erase',
    proposable: true,
    reasons: ['customer_not_found', 'associated_id_mismatch', 'customer_has_subscriptions'],
  })
  eraseCustomer(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The customer.' }) id: string,
    @Arg('input', () => EraseCustomerInput, verified) input?: EraseCustomerInput | null,
  ) {
    return eraseCustomer(tenant, id, input?.associatedId);
  }

  @Mutation(() => Group, {
    nullable: true,
    description:
      'Deletes a group permanently with its products and prices, and cancels the subscriptions to them.',
    permission: 'manage_catalog',
    proposable: true,
    reasons: ['group_not_found'],
  })
  deleteGroup(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The group.' }) id: string,
  ) {
    return tenant.write((unit) => deleteGroup(unit, id));
  }
}

import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Extensions, FieldResolver, ID, Info, Resolver, Root } from 'type-graphql';
import { CurrentTenant, searchFilter } from '../../graphql/arguments.ts';
import { ConnectionArgs } from '../../graphql/connections.ts';
import { openToCustomers } from '../../graphql/openness.ts';
import { Query, Mutation, type CustomerUse } from '../../graphql/operations.ts';
import { TaxIdObject } from '../../graphql/parties.ts';
import { listUnread } from '../../graphql/selectedFields.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findPortalSettings } from '../../tenants/portalSettings.ts';
import {
  CreateCustomerInput,
  Customer,
  CustomerConnection,
  fieldsOfColumns,
  UpdateCustomerInput,
  UpsertCustomerInput,
  VatIdCheckStatus,
} from './customers.graphql.ts';
import {
  createCustomer,
  findCustomerByEither,
  listCustomers,
  updateCustomer,
  upsertCustomer,
  type CustomerRow,
} from './customers.ts';

const customerId = { description: 'The id of the customer.' };

/** What customers change of themselves: neither metadata nor what decides the tax besides the address and the tax ids. */
const updateUse: CustomerUse = {
  args: [
    'id',
    ...['firstName', 'lastName', 'companyName', 'address', 'taxIds', 'locale'].map(
      (field) => `input.${field}`,
    ),
  ],
  action: 'update_customer',
  own: { id: 'customers' },
  findForbidden: ({ record }) => (findPortalSettings(record).details ? undefined : 'input'),
};

@Resolver(() => Customer)
export class CustomerResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => [TaxIdObject], { description: 'Tax ids, printed on documents.' })
  taxIds(@Root() { taxIds }: CustomerRow): TaxIdObject[] {
    return taxIds ?? [];
  }

  @FieldResolver(() => Boolean, { description: 'Whether the customer pays no tax.' })
  taxExempt(@Root() { taxExempt }: CustomerRow): boolean {
    return taxExempt ?? false;
  }

  @Query(() => Customer, {
    nullable: true,
    description: 'Returns a customer by id.',
    permission: 'read',
    reasons: ['customer_not_found'],
  })
  customer(
    @CurrentTenant() tenant: TenantScope,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { ...customerId, nullable: true }) id?: string,
    @Arg('associatedId', () => String, {
      nullable: true,
      description: "The customer's id in your own system. Exactly one of it and `id` is given.",
    })
    associated?: string,
  ): MaybePromise<CustomerRow> {
    const either = { id, associatedId: associated };
    return findCustomerByEither(tenant.read, either, listUnread(info, fieldsOfColumns));
  }

  @Query(() => CustomerConnection, {
    nullable: true,
    description: 'Lists customers.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async customers(
    @CurrentTenant() tenant: TenantScope,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('email', () => String, { nullable: true, description: 'Filter by email address; exact match.' })
    email?: string,
    @Arg('associatedId', () => String, {
      nullable: true,
      description: "Filter by the customer's id in your own system.",
    })
    associated?: string,
    @Arg('vatIdStatus', () => VatIdCheckStatus, {
      nullable: true,
      description:
        'Filter by the last answer of VIES about their VAT id; `unavailable` has those that VIES has not been asked about yet.',
    })
    vatIdStatus?: 'valid' | 'invalid' | 'unavailable',
    @Arg('search', () => String, searchFilter('their name, company, e-mail address or ids')) search?: string,
  ) {
    const leaveOut = listUnread(info, fieldsOfColumns);
    const filter = { email, associatedId: associated, vatIdStatus, search };
    return new CustomerConnection(await listCustomers(tenant, filter, page, leaveOut));
  }

  @Mutation(() => Customer, {
    nullable: true,
    description: 'Creates a customer.',
    permission: 'manage_customers',
    reasons: ['associated_id_exists', 'tax_rate_not_found'],
  })
  createCustomer(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateCustomerInput, { description: 'The customer.' }) input: CreateCustomerInput,
  ): Promise<CustomerRow> {
    return tenant.write((unit) => createCustomer(unit, input));
  }

  @Mutation(() => Customer, {
    nullable: true,
    description:
      'Creates a customer, or changes the one with this `associatedId`. Repeating it changes nothing, and several at once make ' +
      'one customer.',
    permission: 'manage_customers',
    reasons: ['tax_rate_not_found'],
  })
  upsertCustomer(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => UpsertCustomerInput, { description: 'The customer.' }) input: UpsertCustomerInput,
  ): Promise<CustomerRow> {
    return tenant.write((unit) => upsertCustomer(unit, input));
  }

  @Mutation(() => Customer, {
    nullable: true,
    description:
      'Changes the address of mail, names, metadata and the details for tax and documents of a customer. They hold for documents that are ' +
      'finalized from then on.',
    permission: 'manage_customers',
    openTo: { customer: updateUse },
    reasons: ['customer_not_found', 'associated_id_mismatch', 'tax_rate_not_found'],
  })
  updateCustomer(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, customerId) id: string,
    @Arg('input', () => UpdateCustomerInput, { description: 'The changes.' })
    { associatedId: associated, ...changes }: UpdateCustomerInput,
  ): Promise<CustomerRow> {
    return tenant.write((unit) => updateCustomer(unit, id, associated, changes));
  }
}

import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Info,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { openToCustomers } from '../../graphql/openness.ts';
import { Query, Mutation, type CustomerUse } from '../../graphql/operations.ts';
import { findPortalSettings } from '../../tenants/portalSettings.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import { listUnread } from '../../graphql/selectedFields.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { AddressType, EInvoiceFormat, PartyIdentifier, TaxIdObject } from '../../graphql/parties.ts';
import { DateTime, EmailAddress, JSONObject, textValues } from '../../graphql/scalars.ts';
import { CurrentTenant, searchFilter } from '../../graphql/arguments.ts';
import { CreateCustomerInput, UpdateCustomerInput, UpsertCustomerInput } from './customerInput.graphql.ts';
import {
  createCustomer,
  findCustomer,
  findCustomerByEither,
  listCustomers,
  updateCustomer,
  upsertCustomer,
  type CustomerRow,
} from './customers.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

export const VatIdCheckStatus = { valid: 'valid', invalid: 'invalid', unavailable: 'unavailable' } as const;
registerEnumType(VatIdCheckStatus, {
  name: 'VatIdCheckStatus',
  description: 'What VIES answered about a VAT id.',
  valuesConfig: {
    valid: { description: 'It is registered for trade between member states.' },
    invalid: { description: 'It is not registered.' },
    unavailable: { description: 'VIES or the member state did not answer; VIES is asked again.' },
  },
});

@ObjectType('VatIdCheck', { description: 'The last answer of VIES about a VAT id.' })
class VatIdCheckObject {
  @Field(() => String, { description: 'The VAT id.' })
  value!: string;

  @Field(() => VatIdCheckStatus, { description: 'The answer.' })
  status!: string;

  @Field(() => DateTime, { description: 'When VIES answered, or first did not.' })
  checkedAt!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The consultation number, which proves the check; VIES gives one if the seller has a VAT id.',
  })
  consultation!: string | null;
}

@Extensions(refetchBy(({ read }, id) => findCustomer(read, id)))
@ObjectType('Customer', {
  implements: Node,
  simpleResolvers: true,
  description: 'A customer of the tenant.',
})
export class Customer extends Node {
  @Extensions(openToCustomers)
  @Field(() => String, { description: "The customer's id in the client's own system; unique per tenant." })
  associatedId!: string;

  @Extensions(openToCustomers)
  @Field(() => String, { description: 'Given name.' })
  firstName!: string;

  @Extensions(openToCustomers)
  @Field(() => String, { description: 'Family name.' })
  lastName!: string;

  @Extensions(openToCustomers)
  @Field(() => EmailAddress, { description: "The customer's email address." })
  email!: string;

  @Field(() => String, { description: 'The tenant that the customer belongs to.' })
  tenantAlias!: string;

  @Extensions(textValues)
  @Field(() => JSONObject, { description: "The client's own data: text to text." })
  metadata!: Record<string, string>;

  @Extensions(openToCustomers)
  @Field(() => String, { nullable: true, description: 'The name of their company, for documents.' })
  companyName!: string | null;

  @Extensions(openToCustomers)
  @Field(() => AddressType, { nullable: true, description: 'The address, which decides the tax.' })
  address!: AddressType | null;

  @Extensions(openToCustomers)
  @Field(() => String, {
    nullable: true,
    description: 'The language of documents, a BCP 47 tag; null for English.',
  })
  locale!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The tax rate of the customer, which precedes that of their address.',
  })
  taxRateId!: string | null;

  @Field(() => String, { nullable: true, description: 'The reference that they want on e-invoices (BT-10).' })
  buyerReference!: string | null;

  @Field(() => PartyIdentifier, {
    nullable: true,
    description: 'Where they receive e-invoices (BT-49); null for their e-mail address.',
  })
  electronicAddress!: PartyIdentifier | null;

  @Field(() => PartyIdentifier, { nullable: true, description: 'Their entry in a register (BT-47).' })
  legalRegistration!: PartyIdentifier | null;

  @Field(() => EInvoiceFormat, {
    nullable: true,
    description: 'The format of the documents that mails attach; null for PDF.',
  })
  documentFormat!: string | null;

  @Field(() => VatIdCheckObject, {
    nullable: true,
    description: 'What VIES answered about their VAT id; null if it was not asked.',
  })
  vatIdCheck!: VatIdCheckObject | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { description: 'When the customer was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the customer was last changed.' })
  updatedAt!: string;
}

export const CustomerConnection = defineConnection<CustomerRow>('Customer', () => Customer);

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

/** The columns that queries read only for these fields. */
const fieldsOfColumns = {
  metadata: ['metadata'],
  updatedAt: ['updatedAt'],
  companyName: ['companyName'],
  address: ['address', 'locationEvidence'],
  taxIds: ['taxIds'],
  taxExempt: ['taxExempt'],
  locale: ['locale'],
  taxRateId: ['taxRateId'],
  vatIdCheck: ['vatIdCheck'],
  buyerReference: ['buyerReference'],
  electronicAddress: ['electronicAddress'],
  legalRegistration: ['legalRegistration'],
  documentFormat: ['documentFormat'],
  locationEvidence: ['locationEvidence'],
  mailBlockedAt: ['mailBlockedAt'],
  mailBlockedReason: ['mailBlockedReason'],
  // `Customer.defaultPaymentMethod` reads the whole record.
  defaultPaymentMethodId: [],
  vatIdCheckDueAt: [],
  vatIdStatus: [],
} as const;

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

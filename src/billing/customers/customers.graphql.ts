import { Extensions, Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { associatedId } from '../../graphql/arguments.ts';
import { openToCustomers } from '../../graphql/openness.ts';
import { defineConnection } from '../../graphql/connections.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import {
  AddressInput,
  AddressType,
  EInvoiceFormat,
  PartyIdentifier,
  PartyIdentifierInput,
  TaxIdInput,
} from '../../graphql/parties.ts';
import { DateTime, EmailAddress, JSONObject, textValues } from '../../graphql/scalars.ts';
import { findCustomer, type CustomerRow } from './customers.ts';

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

/** The columns that queries read only for these fields. */
export const fieldsOfColumns = {
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

@InputType()
abstract class CustomerDetailsInput {
  @Field(() => String, { nullable: true, description: 'The name of their company, at most 200 characters.' })
  companyName?: string | null;

  @Field(() => AddressInput, {
    nullable: true,
    description: 'The address, which decides the tax. It is replaced as a whole; null removes it.',
  })
  address?: AddressInput | null;

  @Field(() => [TaxIdInput], { nullable: true, description: 'All tax ids, at most 5; null removes them.' })
  taxIds?: TaxIdInput[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'The language of documents, a BCP 47 tag such as `de` or `fr-CA`; null for English.',
  })
  locale?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the customer pays no tax, for a reason that the seller can prove. Default: false.',
  })
  taxExempt?: boolean | null;

  @Field(() => ID, {
    nullable: true,
    description: 'A tax rate for the customer, which precedes that of their address; null removes it.',
  })
  taxRateId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The reference that they want on e-invoices, such as a Leitweg-ID, at most 200 characters.',
  })
  buyerReference?: string | null;

  @Field(() => PartyIdentifierInput, {
    nullable: true,
    description: 'Where they receive e-invoices, by a scheme of the list EAS; null removes it.',
  })
  electronicAddress?: PartyIdentifierInput | null;

  @Field(() => PartyIdentifierInput, {
    nullable: true,
    description: 'Their entry in a register of ISO 6523; null removes it.',
  })
  legalRegistration?: PartyIdentifierInput | null;

  @Field(() => EInvoiceFormat, {
    nullable: true,
    description:
      'The format of the documents that mails attach; null for PDF. An e-invoice comes beside the PDF. Invoices that ' +
      'you create or finalize are refused while it would lack something, which `eInvoiceReadiness` tells.',
  })
  documentFormat?: string | null;
}

@InputType({ description: 'A customer to create.' })
export class CreateCustomerInput extends CustomerDetailsInput {
  @Field(() => EmailAddress, { description: "The customer's email address." })
  email!: string;

  @Field(() => String, { description: 'Given name, 1 to 200 characters.' })
  firstName!: string;

  @Field(() => String, { description: 'Family name, 1 to 200 characters.' })
  lastName!: string;

  @Field(() => String, { description: "The customer's id in your own system; unique per tenant." })
  associatedId!: string;

  @Extensions(textValues)
  @Field(() => JSONObject, {
    nullable: true,
    description: 'Your own data: text to text, at most 50 keys and 16 KiB as JSON.',
  })
  metadata?: Record<string, string> | null;
}

@InputType({ description: 'Changes to a customer. Omitted fields stay unchanged.' })
export class UpdateCustomerInput extends CustomerDetailsInput {
  @Field(() => String, associatedId)
  associatedId?: string | null;

  @Field(() => EmailAddress, {
    nullable: true,
    description:
      "The customer's email address. A mail reports the change to the former one; a block of it ends.",
  })
  email?: string;

  @Field(() => String, { nullable: true, description: 'Given name, 1 to 200 characters.' })
  firstName?: string;

  @Field(() => String, { nullable: true, description: 'Family name, 1 to 200 characters.' })
  lastName?: string;

  @Extensions(textValues)
  @Field(() => JSONObject, {
    nullable: true,
    description: 'Replaces all metadata, within the same limits; null empties it.',
  })
  metadata?: Record<string, string> | null;
}

@InputType({
  description:
    'A customer to create, or to change if there is one with the `associatedId`. Omitted fields of an existing customer stay ' +
    'unchanged; a new one needs `email`, `firstName` and `lastName`.',
})
export class UpsertCustomerInput extends UpdateCustomerInput {
  @Field(() => String, { description: "The customer's id in your own system; unique per tenant." })
  override associatedId!: string;
}

import { Extensions, Field, ID, InputType } from 'type-graphql';
import { associatedId } from '../../graphql/arguments.ts';
import { AddressInput, EInvoiceFormat, PartyIdentifierInput, TaxIdInput } from '../../graphql/parties.ts';
import { EmailAddress, JSONObject, textValues } from '../../graphql/scalars.ts';

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

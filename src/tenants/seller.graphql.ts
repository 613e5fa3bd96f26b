import { Extensions, Field, InputType, ObjectType } from 'type-graphql';
import { declareLength } from '../graphql/rules/inputSizes.ts';
import {
  AddressInput,
  AddressType,
  PartyIdentifier,
  PartyIdentifierInput,
  TaxIdInput,
  TaxIdObject,
} from '../graphql/parties.ts';
import { BankAccount, BankAccountInput } from './bankAccount.graphql.ts';
import { TaxExemptionInput, TaxExemptionObject } from './taxExemption.graphql.ts';

const contactName = { description: 'The name of a person or a department.' };
const phone = { description: 'The telephone number.' };
const contactEmail = { description: 'The e-mail address.' };

@ObjectType('SellerContact', {
  simpleResolvers: true,
  description: 'Whom buyers may ask about an invoice (BG-6).',
})
class SellerContactObject {
  @Field(() => String, contactName)
  name!: string;

  @Field(() => String, phone)
  phone!: string;

  @Field(() => String, contactEmail)
  email!: string;
}

@InputType({ description: 'Whom buyers may ask about an invoice, as XRechnung requires it.' })
class SellerContactInput {
  @Field(() => String, contactName)
  name!: string;

  @Field(() => String, phone)
  phone!: string;

  @Field(() => String, contactEmail)
  email!: string;
}

const recoveryFee = { nullable: true, description: 'The fee for recovery (PMT).' };
const latePenalties = { nullable: true, description: 'The penalties for late payment (PMD).' };
const earlyPaymentDiscount = { nullable: true, description: 'The discount for early payment (AAB).' };

@ObjectType('PaymentNotes', {
  simpleResolvers: true,
  description: 'What French e-invoices say about late and early payment.',
})
class PaymentNotesObject {
  @Field(() => String, recoveryFee)
  recoveryFee?: string | null;

  @Field(() => String, latePenalties)
  latePenalties?: string | null;

  @Field(() => String, earlyPaymentDiscount)
  earlyPaymentDiscount?: string | null;
}

@InputType({
  description:
    'What French e-invoices say about late and early payment, each at most 200 characters. What is omitted has the terms of the ' +
    'Code de commerce: 40 €, the rate of the ECB and 10 points, and no discount.',
})
class PaymentNotesInput {
  @Field(() => String, recoveryFee)
  recoveryFee?: string | null;

  @Field(() => String, latePenalties)
  latePenalties?: string | null;

  @Field(() => String, earlyPaymentDiscount)
  earlyPaymentDiscount?: string | null;
}

@ObjectType('Seller', {
  simpleResolvers: true,
  description: 'The seller on documents. Tax is charged if it has an address and no exemption.',
})
export class SellerType {
  @Field(() => String, { description: 'The name of the company, as its register has it.' })
  legalName!: string;

  @Field(() => AddressType, { nullable: true, description: 'The address; without one no tax is charged.' })
  address!: AddressType | null;

  @Field(() => [TaxIdObject], { description: 'Tax ids.' })
  taxIds!: TaxIdObject[];

  @Field(() => String, { nullable: true, description: 'The entry in the commercial register.' })
  registration!: string | null;

  @Field(() => BankAccount, { nullable: true, description: 'The bank account of the tenant.' })
  bankAccount!: BankAccount | null;

  @Field(() => Boolean, { description: 'Whether the seller states that it owes no tax in its country.' })
  chargesNoTax!: boolean;

  @Field(() => TaxExemptionObject, {
    nullable: true,
    description: 'The exemption under which no sale is taxed; null if sales are taxed.',
  })
  taxExemption!: TaxExemptionObject | null;

  @Field(() => SellerContactObject, { nullable: true, description: 'Whom buyers may ask about an invoice.' })
  contact!: SellerContactObject | null;

  @Field(() => PartyIdentifier, {
    nullable: true,
    description: 'The electronic address of the seller on e-invoices (BT-34).',
  })
  electronicAddress!: PartyIdentifier | null;

  @Field(() => PartyIdentifier, {
    nullable: true,
    description:
      'The entry in a register with a scheme (BT-30), which e-invoices name instead of `registration`.',
  })
  legalRegistration!: PartyIdentifier | null;

  @Field(() => PaymentNotesObject, {
    nullable: true,
    description: 'The notes of French e-invoices that differ from the law; null if none does.',
  })
  paymentNotes!: PaymentNotesObject | null;

  @Field(() => String, { nullable: true, description: 'Text at the end of each document.' })
  footer!: string | null;

  @Field(() => String, { nullable: true, description: 'The SHA-256 of the logo, in hexadecimal.' })
  logoId!: string | null;
}

/** 200 KiB in base64. */
const longestLogo = 273_068;

@InputType({
  description:
    'The seller on documents. Fields other than `logo`, `bankAccount` and `taxExemption` are replaced.',
})
export class SellerInput {
  @Field(() => String, { description: 'The name of the company, 1 to 200 characters.' })
  legalName!: string;

  @Field(() => AddressInput, { nullable: true, description: 'The address; without one no tax is charged.' })
  address?: AddressInput | null;

  @Field(() => [TaxIdInput], { nullable: true, description: 'Tax ids, at most 5.' })
  taxIds?: TaxIdInput[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'The entry in the commercial register, such as `Amtsgericht Berlin HRB 1234`.',
  })
  registration?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'States that the seller owes no tax in its country, for example because it is not registered: ends the warnings for ' +
      'a country without a tax rate. Rates apply all the same.',
  })
  chargesNoTax?: boolean | null;

  @Field(() => TaxExemptionInput, {
    nullable: true,
    description:
      'Exempts the seller: nothing is taxed anywhere, whatever the customer or the rates. Numbered documents stay as they ' +
      'are. Omitted, it stays unchanged, and null removes it.',
  })
  taxExemption?: TaxExemptionInput | null;

  @Field(() => SellerContactInput, {
    nullable: true,
    description: 'Whom buyers may ask about an invoice; XRechnung requires it.',
  })
  contact?: SellerContactInput | null;

  @Field(() => PartyIdentifierInput, {
    nullable: true,
    description: 'The electronic address of the seller, by a scheme of the list EAS.',
  })
  electronicAddress?: PartyIdentifierInput | null;

  @Field(() => PartyIdentifierInput, {
    nullable: true,
    description: 'The entry in a register of ISO 6523, such as SIRENE (0002) or KvK (0106).',
  })
  legalRegistration?: PartyIdentifierInput | null;

  @Field(() => PaymentNotesInput, {
    nullable: true,
    description: 'The notes of French e-invoices that differ from the law.',
  })
  paymentNotes?: PaymentNotesInput | null;

  @Field(() => BankAccountInput, {
    nullable: true,
    description: 'The bank account of the tenant; omitted, it stays unchanged, and null removes it.',
  })
  bankAccount?: BankAccountInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'Text at the end of each document, at most 1,000 characters.',
  })
  footer?: string | null;

  @Extensions(declareLength(longestLogo))
  @Field(() => String, {
    nullable: true,
    description:
      'A PNG or JPEG image of at most 200 KiB, in base64; omitted, the logo stays unchanged, and null removes it.',
  })
  logo?: string | null;
}

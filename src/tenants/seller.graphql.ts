import { Extensions, Field, InputType, ObjectType } from 'type-graphql';
import { declareLength } from '../graphql/rules/inputSizes.ts';
import { AddressInput, AddressType, TaxIdInput, TaxIdObject } from '../graphql/parties.ts';
import { BankAccount, BankAccountInput } from './bankAccount.graphql.ts';

@ObjectType('Seller', {
  simpleResolvers: true,
  description: 'The seller on documents. Tax is charged if it has an address.',
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

  @Field(() => String, { nullable: true, description: 'Text at the end of each document.' })
  footer!: string | null;

  @Field(() => String, { nullable: true, description: 'The SHA-256 of the logo, in hexadecimal.' })
  logoId!: string | null;
}

/** 200 KiB in base64. */
const longestLogo = 273_068;

@InputType({
  description: 'The seller on documents. Fields other than `logo` and `bankAccount` are replaced.',
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

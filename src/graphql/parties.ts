/** Addresses and tax ids, of sellers and customers. */
import 'reflect-metadata';
import { Extensions, Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { mailedFormats } from '../documents/record.ts';
import { CountryCode } from './scalars.ts';
import { openToCustomers } from './openness.ts';

const TaxIdType = {
  eu_vat: 'eu_vat',
  gb_vat: 'gb_vat',
  ch_vat: 'ch_vat',
  no_vat: 'no_vat',
  us_ein: 'us_ein',
  other: 'other',
} as const;
registerEnumType(TaxIdType, {
  name: 'TaxIdType',
  description: 'A type of tax ids.',
  valuesConfig: {
    eu_vat: { description: 'A VAT id of a member state of the European Union, such as `DE111111125`.' },
    gb_vat: {
      description:
        'A VAT id of the United Kingdom, which begins with `GB`, or with `XI` for goods of Northern Ireland.',
    },
    ch_vat: { description: 'A UID of Switzerland.' },
    no_vat: { description: 'An organization number of Norway.' },
    us_ein: { description: 'An employer identification number of the United States.' },
    other: { description: 'Any other number, printed as it is given.' },
  },
});

@ObjectType('Address', { simpleResolvers: true, description: 'A postal address.' })
export class AddressType {
  @Extensions(openToCustomers)
  @Field(() => String, { nullable: true, description: 'Street and number, or a post-office box.' })
  line1!: string | null;

  @Extensions(openToCustomers)
  @Field(() => String, { nullable: true, description: 'A second line, such as a floor.' })
  line2!: string | null;

  @Extensions(openToCustomers)
  @Field(() => String, { nullable: true, description: 'The city.' })
  city!: string | null;

  @Extensions(openToCustomers)
  @Field(() => String, { nullable: true, description: 'The postal code.' })
  postalCode!: string | null;

  @Extensions(openToCustomers)
  @Field(() => String, { nullable: true, description: 'The state or province.' })
  region!: string | null;

  @Extensions(openToCustomers)
  @Field(() => CountryCode, { description: 'The country, ISO 3166-1 alpha-2 in upper case.' })
  country!: string;
}

const line = { nullable: true, description: 'At most 200 characters.' };

@InputType({ description: 'A postal address.' })
export class AddressInput {
  @Field(() => String, line)
  line1?: string | null;

  @Field(() => String, line)
  line2?: string | null;

  @Field(() => String, line)
  city?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'It decides the tax of some territories and tax rates.',
  })
  postalCode?: string | null;

  @Field(() => String, { nullable: true, description: 'The state or province, such as `CA`.' })
  region?: string | null;

  @Field(() => CountryCode, { description: 'The country, ISO 3166-1 alpha-2, such as `DE`.' })
  country!: string;
}

@ObjectType('TaxId', { simpleResolvers: true, description: 'A tax id.' })
export class TaxIdObject {
  @Extensions(openToCustomers)
  @Field(() => TaxIdType, { description: 'Its type.' })
  type!: keyof typeof TaxIdType;

  @Extensions(openToCustomers)
  @Field(() => String, { description: 'The id as it is printed.' })
  value!: string;
}

@InputType({ description: 'A tax id. Its form and its check digits are verified.' })
export class TaxIdInput {
  @Field(() => TaxIdType, { description: 'Its type.' })
  type!: keyof typeof TaxIdType;

  @Field(() => String, { description: 'The id; spaces, dots and hyphens of VAT ids are removed.' })
  value!: string;
}

const scheme = { description: 'The code of the scheme, such as `0088` or `9930`.' };
const identifier = { description: 'The identifier, at most 100 characters.' };

@ObjectType('PartyIdentifier', {
  simpleResolvers: true,
  description: 'An identifier and its scheme: an electronic address, or an entry in a register.',
})
export class PartyIdentifier {
  @Field(() => String, scheme)
  scheme!: string;

  @Field(() => String, identifier)
  value!: string;
}

@InputType({
  description:
    'An identifier and its scheme. Electronic addresses have a code of the list EAS, registers one of ISO 6523 ICD, such as ' +
    '0002 (SIRENE), 0106 (KvK), 0190 (OIN), 0208 (Belgium) or 0060 (D-U-N-S).',
})
export class PartyIdentifierInput {
  @Field(() => String, scheme)
  scheme!: string;

  @Field(() => String, identifier)
  value!: string;
}

export const EInvoiceFormat = Object.fromEntries(mailedFormats.map((format) => [format, format]));
registerEnumType(EInvoiceFormat, {
  name: 'EInvoiceFormat',
  description: 'A format of electronic invoices.',
  valuesConfig: {
    factur_x: { description: 'Factur-X, ZUGFeRD: a PDF with XML inside.' },
    factur_x_fr: { description: 'Factur-X by the rules of France (AFNOR XP Z12-012).' },
    ubl_fr: { description: 'UBL by the rules of France (AFNOR XP Z12-012).' },
    xrechnung: { description: 'XRechnung 3.0 as UBL.' },
    xrechnung_cii: { description: 'XRechnung 3.0 as Cross Industry Invoice.' },
    peppol_bis_3: { description: 'Peppol BIS Billing 3.0.' },
    ubl: { description: 'EN 16931 as UBL 2.1.' },
    cii: { description: 'EN 16931 as Cross Industry Invoice.' },
  },
});

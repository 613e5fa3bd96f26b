import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';

const TaxExemptionKind = { small_business: 'small_business', other: 'other' } as const;
registerEnumType(TaxExemptionKind, {
  name: 'TaxExemptionKind',
  description: 'Why a seller charges no tax.',
  valuesConfig: {
    small_business: {
      description:
        'As a small business: § 19 UStG in Germany, art. 293 B CGI in France, the KOR in the Netherlands.',
    },
    other: { description: 'For what it sells, such as medical or educational services.' },
  },
});

const reference = 'The provision, such as `§ 19 UStG`.';
const text =
  'A sentence in the words of the law, which documents in all languages have besides; null for none.';
const code = 'The code of the list VATEX in e-invoices (BT-121); null for none.';

@ObjectType('TaxExemption', {
  simpleResolvers: true,
  description: 'An exemption of the seller, under which no sale is taxed.',
})
export class TaxExemptionObject {
  @Field(() => TaxExemptionKind, { description: 'The kind.' })
  kind!: string;

  @Field(() => String, { description: reference })
  reference!: string;

  @Field(() => String, { nullable: true, description: text })
  text!: string | null;

  @Field(() => String, { nullable: true, description: code })
  code!: string | null;
}

@InputType({ description: 'An exemption of the seller, under which no sale is taxed.' })
export class TaxExemptionInput {
  @Field(() => TaxExemptionKind, { description: 'The kind.' })
  kind!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The provision, at most 100 characters. Default: that for small businesses in Austria, France, Germany and the ' +
      'Netherlands; it must be given for others.',
  })
  reference?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'A sentence in the words of the law, at most 200 characters. Default: the words that France asks for.',
  })
  text?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'A code of the list VATEX for exempt sales. Default: `VATEX-FR-FRANCHISE` for a small business in France.',
  })
  code?: string | null;
}

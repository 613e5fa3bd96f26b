import { Field, InputType, ObjectType } from 'type-graphql';

@ObjectType('BankAccount', {
  simpleResolvers: true,
  description: 'The bank account that payers transfer money to, as shown on the payment page.',
})
export class BankAccount {
  @Field(() => String, { description: 'The account holder.' })
  accountHolder!: string;

  @Field(() => String, { nullable: true, description: 'The IBAN.' })
  iban?: string | null;

  @Field(() => String, { nullable: true, description: 'The account number, where there is no IBAN.' })
  accountNumber?: string | null;

  @Field(() => String, { nullable: true, description: "The bank's BIC (SWIFT code)." })
  bic?: string | null;

  @Field(() => String, { nullable: true, description: "The bank's name." })
  bankName?: string | null;

  @Field(() => String, { nullable: true, description: 'Further instructions for payers.' })
  instructions?: string | null;
}

@InputType({ description: 'A bank account. An IBAN or an account number is required.' })
export class BankAccountInput {
  @Field(() => String, { description: 'The account holder, 1 to 200 characters.' })
  accountHolder!: string;

  @Field(() => String, { nullable: true, description: 'The IBAN; its check digits are verified.' })
  iban?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The account number, where there is no IBAN; at most 200 characters.',
  })
  accountNumber?: string | null;

  @Field(() => String, { nullable: true, description: "The bank's BIC (SWIFT code), 8 or 11 characters." })
  bic?: string | null;

  @Field(() => String, { nullable: true, description: "The bank's name, at most 200 characters." })
  bankName?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Further instructions for payers, at most 1,000 characters.',
  })
  instructions?: string | null;
}

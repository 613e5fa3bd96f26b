import type { MaybePromise } from '../lib/maybePromise.ts';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { DateTime } from '../graphql/scalars.ts';
import { updateTenant } from '../tenancy/settings.ts';
import type { TenantRow } from '../tenancy/tenants.ts';
import { providerNamesOf } from '../providers/registry.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

const PaymentProvider = { manual: 'manual', sandbox: 'sandbox', stripe: 'stripe' } as const;
registerEnumType(PaymentProvider, {
  name: 'PaymentProvider',
  description: 'A payment provider: the system or the person that takes a payment.',
  valuesConfig: {
    manual: { description: 'Bank transfer or cash: an operator records the money.' },
    sandbox: { description: 'Test methods with which no money moves; for test tenants alone.' },
    stripe: { description: 'Stripe.' },
  },
});

@ObjectType('BankAccount', {
  simpleResolvers: true,
  description: 'The account that payers transfer money to, as the payment page shows it.',
})
class BankAccount {
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

  @Field(() => String, { nullable: true, description: 'Anything else that a payer must know.' })
  instructions?: string | null;
}

@ObjectType('Tenant', {
  simpleResolvers: true,
  description: 'Whose billing it is: every record belongs to one tenant, and a key speaks for one.',
})
export class Tenant {
  @Field(() => String, { description: 'The name by which requests verify the tenant; it never changes.' })
  alias!: string;

  @Field(() => String, { description: 'A name for people.' })
  name!: string;

  @Field(() => String, { description: 'The IANA time zone that billing cycles are counted in.' })
  timezone!: string;

  @Field(() => Boolean, {
    description: 'Whether it is a test tenant: it pays with sandbox methods, and may be given a clock.',
  })
  test!: boolean;

  @Field(() => BankAccount, { nullable: true, description: 'Where payers transfer money to, if it is set.' })
  bankAccount!: BankAccount | null;

  @Field(() => [Int], {
    description: 'The days after the first try on which a failed charge is tried again.',
  })
  retryDays!: number[];

  @Field(() => DateTime, { description: 'When the tenant was created.' })
  createdAt!: string;
}

@InputType({ description: 'A bank account: an IBAN or an account number is needed.' })
class BankAccountInput {
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
    description: 'Anything else that a payer must know, at most 1,000 characters.',
  })
  instructions?: string | null;
}

@InputType({ description: 'What of a tenant may change; a field left out stays as it is.' })
class UpdateTenantInput {
  @Field(() => String, { nullable: true, description: 'A name for people, 1 to 200 characters.' })
  name?: string;

  @Field(() => [Int], {
    nullable: true,
    description:
      'Days after the first try, rising, each 1 to 60, at most 10; none cancels at the first failure.',
  })
  retryDays?: number[];

  @Field(() => [PaymentProvider], {
    nullable: true,
    description:
      'Which providers new payments may use: stripe, manual, both or none; null for all that the server has. ' +
      'Methods that customers have already stay as they are.',
  })
  paymentProviders?: string[] | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Days after its issue until an invoice paid by hand is due, 0 to 365; null for 0.',
  })
  paymentTermsDays?: number | null;

  @Field(() => BankAccountInput, {
    nullable: true,
    description: 'Where payers transfer money to; replaced whole, and null removes it.',
  })
  bankAccount?: BankAccountInput | null;
}

@Resolver(() => Tenant)
export class TenantResolver {
  @FieldResolver(() => DateTime, { description: "The tenant's now." })
  clock(@Ctx() context: Context, @Root() tenant: TenantRow): string {
    return tenant.clockAt ?? context.tenant.now();
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether it owns its time: a test tenant with a clock. The others follow real time.',
  })
  ownsClock(@Root() tenant: TenantRow): boolean {
    return tenant.clockAt !== null;
  }

  @FieldResolver(() => [PaymentProvider], { description: 'The providers that new payments may use.' })
  paymentProviders(@Ctx() context: Context, @Root() tenant: TenantRow): string[] {
    return providerNamesOf(context.tenant.payments, tenant);
  }

  @FieldResolver(() => Int, {
    description:
      'Days after its issue until an invoice paid by hand is due; then its subscription is past due.',
  })
  paymentTermsDays(@Root() tenant: TenantRow): number {
    return tenant.paymentTermsDays ?? 0;
  }

  @Query(() => Tenant, { nullable: true, description: 'The tenant that the key speaks for.' })
  tenant(@CurrentTenant() tenant: TenantScope): MaybePromise<TenantRow | undefined> {
    // Not the record that the key was checked with, which may be a moment old.
    return tenant.read.one('tenants', {});
  }

  @Mutation(() => Tenant, { nullable: true, description: 'Changes the tenant.' })
  updateTenant(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => UpdateTenantInput, { description: 'The changes.' }) input: UpdateTenantInput,
  ): Promise<TenantRow> {
    return tenant.write((unit) => updateTenant(unit, input));
  }
}

import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  InputType,
  Mutation,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { DateTime } from '../graphql/scalars.ts';
import { declareWork } from '../graphql/work.ts';
import { listProviderNames } from '../providers/registry.ts';
import { accountProviders, type AccountProvider, type AccountRow } from '../tenancy/accounts.ts';
import type { TenantRow } from '../tenancy/tenants.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { configureAccount, listAccounts, removeAccount, testAccount } from './accounts.ts';
import { PaymentProvider } from './paymentProvider.graphql.ts';
import { Tenant } from './tenants.graphql.ts';

const AccountProviders = { stripe: 'stripe', mollie: 'mollie', smtp: 'smtp' } as const;
registerEnumType(AccountProviders, {
  name: 'AccountProvider',
  description: 'A payment provider or mail server at which a tenant can have its own account.',
  valuesConfig: {
    stripe: { description: 'Stripe.' },
    mollie: { description: 'Mollie.' },
    smtp: { description: 'A mail server.' },
  },
});

@ObjectType('AccountSetting', { simpleResolvers: true, description: 'A setting of an account.' })
class AccountSetting {
  @Field(() => String, { description: 'The name, as in the input.' })
  name!: string;

  @Field(() => String, {
    description: 'The value. Of a key only its last four characters, of a password nothing.',
  })
  value!: string;
}

@ObjectType('Account', {
  simpleResolvers: true,
  description:
    "The tenant's own account at a payment provider or mail server. It replaces that of the server.",
})
class Account {
  @Field(() => DateTime, {
    nullable: true,
    description: 'When a call with the account last failed; null since one succeeded.',
  })
  failedAt!: string | null;

  @Field(() => String, { nullable: true, description: 'The failure.' })
  failure!: string | null;
}

@InputType({ description: 'An account at Stripe.' })
class StripeAccountInput {
  @Field(() => String, {
    description: 'A secret key (`sk_…`) or restricted key (`rk_…`); test keys for test tenants.',
  })
  secretKey!: string;

  @Field(() => String, {
    description: 'The signing secret (`whsec_…`) of the webhook endpoint, whose URL is `callbackUrl`.',
  })
  webhookSecret!: string;

  @Field(() => String, { nullable: true, description: 'The publishable key (`pk_…`), for card fields.' })
  publishableKey?: string | null;
}

@InputType({ description: 'An account at Mollie.' })
class MollieAccountInput {
  @Field(() => String, { description: 'An API key: `live_…`, or `test_…` for test tenants.' })
  apiKey!: string;
}

@InputType({ description: 'A mail server.' })
class SmtpAccountInput {
  @Field(() => String, {
    description:
      'The address: `smtps://user:password@host:port`, or `smtp://…` for STARTTLS. User name and password are ' +
      'percent-encoded.',
  })
  url!: string;

  @Field(() => String, { description: 'The address in `From`.' })
  fromAddress!: string;
}

@InputType({ description: 'The account to configure: exactly one field.' })
class ConfigureAccountInput {
  @Field(() => StripeAccountInput, { nullable: true, description: 'An account at Stripe.' })
  stripe?: StripeAccountInput | null;

  @Field(() => MollieAccountInput, { nullable: true, description: 'An account at Mollie.' })
  mollie?: MollieAccountInput | null;

  @Field(() => SmtpAccountInput, { nullable: true, description: 'A mail server.' })
  smtp?: SmtpAccountInput | null;
}

const mostSettings = 4;

@Resolver(() => Tenant)
export class TenantAccountsResolver {
  @FieldResolver(() => [PaymentProvider], { description: 'The payment providers available to new payments.' })
  async paymentProviders(@Ctx() context: Context, @Root() tenant: TenantRow): Promise<string[]> {
    return listProviderNames(await context.tenant.loadProviders(), tenant);
  }

  @Extensions(declareWork({ cost: 10, size: accountProviders.length }))
  @FieldResolver(() => [Account], {
    description: "The tenant's own accounts at payment providers and mail servers.",
  })
  accounts(@Ctx() { tenant }: Context): Promise<AccountRow[]> {
    return listAccounts(tenant.read);
  }
}

@Resolver(() => Account)
export class AccountResolver {
  @FieldResolver(() => AccountProviders, { description: 'The provider.' })
  provider(@Root() { id }: AccountRow): string {
    return id;
  }

  @Extensions(declareWork({ cost: 0, size: mostSettings }))
  @FieldResolver(() => [AccountSetting], { description: 'The settings. Secrets are never returned.' })
  settings(@Root() { settings }: AccountRow): AccountSetting[] {
    return Object.entries(settings).map(([name, value]) => ({ name, value }));
  }

  @FieldResolver(() => DateTime, { description: 'When the account was last configured.' })
  configuredAt(@Root() { updatedAt }: AccountRow): string {
    return updatedAt;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'The address for the webhooks of the provider; null for a mail server.',
  })
  callbackUrl(@Ctx() { publicUrl }: Context, @Root() { id, tenantAlias }: AccountRow): string | null {
    return id === 'smtp' ? null : `${publicUrl}/callbacks/${id}/${tenantAlias}`;
  }

  @Mutation(() => Account, {
    nullable: true,
    description:
      "Sets the tenant's own account at a payment provider or mail server, as a whole. Secrets are stored encrypted and " +
      'never returned. Saved payment methods belong to the account with which they were saved.',
  })
  configureAccount(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => ConfigureAccountInput, { description: 'The account.' }) input: ConfigureAccountInput,
  ): Promise<AccountRow> {
    return configureAccount(tenant, input);
  }

  @Mutation(() => Account, {
    nullable: true,
    description: "Removes the tenant's own account; that of the server is used from then on, if it has one.",
  })
  removeAccount(
    @CurrentTenant() tenant: TenantScope,
    @Arg('provider', () => AccountProviders, { description: 'The provider.' }) provider: AccountProvider,
  ): Promise<AccountRow> {
    return removeAccount(tenant, provider);
  }

  @Mutation(() => Account, {
    nullable: true,
    description:
      "Calls the provider, or signs in at the mail server, with the tenant's own account. Moves and sends nothing; " +
      '`failure` is the outcome.',
  })
  testAccount(
    @CurrentTenant() tenant: TenantScope,
    @Arg('provider', () => AccountProviders, { description: 'The provider.' }) provider: AccountProvider,
  ): Promise<AccountRow> {
    return testAccount(tenant, provider);
  }
}

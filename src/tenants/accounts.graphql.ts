import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  InputType,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  type ClassType,
} from 'type-graphql';
import { Mutation } from '../graphql/operations.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { DateTime, UrlScalar } from '../graphql/scalars.ts';
import { declareWork } from '../graphql/work.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import { chargingProviders } from '../providers/list.ts';
import { listProviderNames } from '../providers/registry.ts';
import type { AccountProvider, AccountRow } from './providerAccounts.ts';
import type { TenantRow } from '../tenancy/tenants.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { configureAccount, listAccounts, removeAccount, testAccount } from './accounts.ts';
import { PaymentProvider } from './paymentProvider.graphql.ts';
import { Tenant } from './tenants.graphql.ts';

const AccountProviders = Object.fromEntries(
  [...chargingProviders.map(({ name }) => name), 'smtp'].map((name) => [name, name]),
);
registerEnumType(AccountProviders, {
  name: 'AccountProvider',
  description: 'A payment provider or mail server at which a tenant can have its own account.',
  valuesConfig: Object.fromEntries([
    ...chargingProviders.map(({ name, description }) => [name, { description }]),
    ['smtp', { description: 'A mail server.' }],
  ]),
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

/** Declares the input of an account at a payment provider, with the fields of its descriptor. */
function declareAccountInput({ name, title, secrets, settings }: ProviderDescriptor): ClassType {
  class AccountInput {
    [field: string]: string | null | undefined;
  }
  const declare = (field: string, description: string, nullable: boolean) =>
    Field(() => String, { description, nullable })(AccountInput.prototype, field);
  for (const [field, { description }] of Object.entries(secrets)) declare(field, description, false);
  for (const [field, { description }] of Object.entries(settings)) declare(field, description, true);
  const description = `An account at ${title}.`;
  InputType(`${name[0]!.toUpperCase()}${name.slice(1)}AccountInput`, { description })(AccountInput);
  return AccountInput;
}

@InputType({ description: 'A mail server.' })
class SmtpAccountInput {
  @Field(() => UrlScalar, {
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
  @Field(() => SmtpAccountInput, { nullable: true, description: 'A mail server.' })
  smtp?: SmtpAccountInput | null;
}

for (const provider of chargingProviders) {
  const AccountInput = declareAccountInput(provider);
  const options = { nullable: true, description: `An account at ${provider.title}.` };
  Field(() => AccountInput, options)(ConfigureAccountInput.prototype, provider.name);
}

@InputType({ description: 'The account to remove.' })
class RemoveAccountInput {
  @Field(() => AccountProviders, { description: 'The provider.' })
  provider!: AccountProvider;
}

@InputType({ description: 'The account to test.' })
class TestAccountInput {
  @Field(() => AccountProviders, { description: 'The provider.' })
  provider!: AccountProvider;
}

const mostSettings = 4;

@Resolver(() => Tenant)
export class TenantAccountsResolver {
  @FieldResolver(() => [PaymentProvider], { description: 'The payment providers available to new payments.' })
  async paymentProviders(@Ctx() context: Context, @Root() tenant: TenantRow): Promise<string[]> {
    return listProviderNames(await context.tenant.loadProviders(), tenant);
  }

  @Extensions(declareWork({ cost: 10, size: chargingProviders.length + 1 }))
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

  @FieldResolver(() => UrlScalar, {
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
    permission: 'manage_accounts',
    reasons: [],
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
    permission: 'manage_accounts',
    reasons: ['account_not_found', 'account_in_use'],
  })
  removeAccount(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => RemoveAccountInput, { description: 'The account.' })
    { provider }: RemoveAccountInput,
  ): Promise<AccountRow> {
    return removeAccount(tenant, provider);
  }

  @Mutation(() => Account, {
    nullable: true,
    description:
      "Calls the provider, or signs in at the mail server, with the tenant's own account. Moves and sends nothing; " +
      '`failure` is the outcome.',
    permission: 'manage_accounts',
    reasons: ['account_not_found'],
  })
  testAccount(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => TestAccountInput, { description: 'The account.' }) { provider }: TestAccountInput,
  ): Promise<AccountRow> {
    return testAccount(tenant, provider);
  }
}

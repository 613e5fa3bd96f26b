import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  type ClassType,
} from 'type-graphql';
import { Mutation } from '../graphql/operations.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { EInvoiceFormat } from '../graphql/parties.ts';
import { DateTime, UrlScalar } from '../graphql/scalars.ts';
import { declareWork } from '../graphql/work.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import { chargingProviders } from '../providers/list.ts';
import { listProviderNames } from '../providers/registry.ts';
import type { AccountProvider, AccountRow } from './providerAccounts.ts';
import type { TenantRow } from '../tenancy/tenants.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { configureAccount, listAccounts, removeAccount, testAccount } from './accounts.ts';
import { createCallbackSecret, type AccountWithSecret } from './callbackSecret.ts';
import { PaymentProvider } from './paymentProvider.graphql.ts';
import { Tenant } from './tenants.graphql.ts';

const AccountProviders = Object.fromEntries(
  [...chargingProviders.map(({ name }) => name), 'smtp', 'access_point'].map((name) => [name, name]),
);
registerEnumType(AccountProviders, {
  name: 'AccountProvider',
  description:
    'A payment provider, mail server or access point of e-invoices at which a tenant can have its own account.',
  valuesConfig: Object.fromEntries([
    ...chargingProviders.map(({ name, description }) => [name, { description }]),
    ['smtp', { description: 'A mail server.' }],
    ['access_point', { description: 'An access point, to which e-invoices are sent.' }],
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
    "The tenant's own account at a payment provider, mail server or access point. It replaces that of the server.",
})
class Account {
  @Field(() => DateTime, {
    nullable: true,
    description: 'When a call with the account last failed; null since one succeeded.',
  })
  failedAt!: string | null;

  @Field(() => String, { nullable: true, description: 'The failure.' })
  failure!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when reports may also be signed with the previous callback secret.',
  })
  previousCallbackSecretUntil!: string | null;
}

@ObjectType('CreatedCallbackSecret', {
  simpleResolvers: true,
  description: 'An account and the new secret of its callbacks.',
})
class CreatedCallbackSecret {
  @Field(() => Account, { description: 'The account.' })
  account!: AccountRow;
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

@InputType({ description: 'An access point, to which e-invoices are sent by HTTP.' })
class AccessPointAccountInput {
  @Field(() => UrlScalar, {
    description: 'The address that takes e-invoices by `POST`. `https`; of a test tenant also `http`.',
  })
  url!: string;

  @Field(() => String, { description: 'The secret, sent as `Authorization: Bearer …` or in `header`.' })
  secret!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The header that has the secret alone; null for a bearer token.',
  })
  header?: string | null;

  @Field(() => [EInvoiceFormat], {
    description:
      'The formats that it takes. Documents of customers with one of them as `documentFormat` are sent.',
  })
  formats!: string[];
}

@InputType({ description: 'The account to configure: exactly one field.' })
class ConfigureAccountInput {
  @Field(() => AccessPointAccountInput, { nullable: true, description: 'An access point of e-invoices.' })
  accessPoint?: AccessPointAccountInput | null;

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

@InputType({ description: 'The secret to create.' })
class CreateCallbackSecretInput {
  @Field(() => AccountProviders, {
    description: 'The account: `access_point`. Payment providers give theirs.',
  })
  provider!: AccountProvider;

  @Field(() => Int, {
    nullable: true,
    description:
      'The seconds for which the secret before it is taken, too; from 0 to 604,800. Default: 86,400.',
  })
  overlapSeconds?: number | null;
}

@InputType({ description: 'The account to test.' })
class TestAccountInput {
  @Field(() => AccountProviders, { description: 'The provider.' })
  provider!: AccountProvider;
}

const mostSettings = 5;
/** Besides those at payment providers. */
const otherAccounts = 2;

@Resolver(() => Tenant)
export class TenantAccountsResolver {
  @FieldResolver(() => [PaymentProvider], { description: 'The payment providers available to new payments.' })
  async paymentProviders(@Ctx() context: Context, @Root() tenant: TenantRow): Promise<string[]> {
    return listProviderNames(await context.tenant.loadProviders(), tenant);
  }

  @Extensions(declareWork({ cost: 10, size: chargingProviders.length + otherAccounts }))
  @FieldResolver(() => [Account], {
    description: "The tenant's own accounts at payment providers, mail servers and access points.",
  })
  accounts(@Ctx() { tenant }: Context): Promise<AccountRow[]> {
    return listAccounts(tenant.read);
  }
}

@Resolver(() => CreatedCallbackSecret)
export class CallbackSecretResolver {
  @FieldResolver(() => String, {
    description: 'The secret (`whsec_…`), shown once and stored encrypted.',
  })
  secret(@Ctx() context: Context, @Root() { sealedSecret }: AccountWithSecret): string {
    return context.tenant.reveal(sealedSecret);
  }

  @Mutation(() => CreatedCallbackSecret, {
    nullable: true,
    description:
      'Creates the secret with which the access point signs what it reports to `callbackUrl`, and returns it, which is not shown again. ' +
      'The one before it is taken for a while, too.',
    permission: 'manage_accounts',
    reasons: ['account_not_found'],
  })
  createCallbackSecret(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateCallbackSecretInput, { description: 'The secret.' })
    input: CreateCallbackSecretInput,
  ): Promise<AccountWithSecret> {
    return createCallbackSecret(tenant, input);
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
    description:
      'The address for the webhooks of the provider, or for the signed reports of the access point; null for a mail server.',
  })
  callbackUrl(@Ctx() { publicUrl }: Context, @Root() { id, tenantAlias }: AccountRow): string | null {
    return id !== 'smtp' ? `${publicUrl}/callbacks/${id}/${tenantAlias}` : null;
  }

  @Mutation(() => Account, {
    nullable: true,
    description:
      "Sets the tenant's own account at a payment provider, mail server or access point, as a whole. Secrets are stored encrypted and " +
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
    description:
      "Removes the tenant's own account; that of the server is used from then on, if it has one. E-invoices that wait for an access point " +
      'stay queued until there is one again.',
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
      "Calls the provider or the access point, or signs in at the mail server, with the tenant's own account. Moves and sends nothing; " +
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

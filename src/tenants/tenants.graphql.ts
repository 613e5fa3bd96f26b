import type { MaybePromise } from '../lib/maybePromise.ts';
import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  InputType,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { Query, Mutation } from '../graphql/operations.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import { declareWork } from '../graphql/work.ts';
import { refuse } from '../lib/errors.ts';
import type { Context } from '../graphql/context.ts';
import { Currency, DateTime } from '../graphql/scalars.ts';
import { canBePaid } from './waysToPay.ts';
import { findDunningPolicy } from './dunningPolicy.ts';
import { buildBounceToken, findMailSettings, listSentKinds } from './mailSettings.ts';
import { findChangePolicy, findPaymentTermsDays, findRetentionYears, updateTenant } from './settings.ts';
import { CreditVouchers } from './creditVouchers.graphql.ts';
import { BankAccount, BankAccountInput } from './bankAccount.graphql.ts';
import { ChangePolicyType, ChangePolicyInput } from './changePolicy.graphql.ts';
import { PortalSettingsInput, PortalSettingsType } from './portalSettings.graphql.ts';
import { DunningPolicyInput, DunningPolicyType } from './dunningPolicy.graphql.ts';
import { BrandingInput, BrandingType } from './branding.graphql.ts';
import { MailSettingsInput, MailSettingsType } from './mail.graphql.ts';
import { listChoosable } from '../providers/list.ts';
import { PaymentProvider } from './paymentProvider.graphql.ts';
import { SellerInput, SellerType } from './seller.graphql.ts';
import { UsageAlertsInput } from './usageAlertsInput.graphql.ts';
import { TrialEndWithoutMethod, VatIdCheckPolicy } from './tenantEnums.graphql.ts';
import { parseFavicon } from './branding.ts';
import { findPortalSettings } from './portalSettings.ts';
import { parseSellerLogo } from './seller.ts';
import type { TenantRow } from '../tenancy/tenants.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

@ObjectType('Tenant', {
  simpleResolvers: true,
  description: 'A tenant: every record and every API key belongs to one.',
})
export class Tenant {
  @Field(() => String, { description: 'The identifier of the tenant; never changes.' })
  alias!: string;

  @Field(() => String, { description: 'The display name.' })
  name!: string;

  @Field(() => BankAccount, { nullable: true, description: 'The bank account for transfers, if set.' })
  bankAccount!: BankAccount | null;

  @Field(() => Int, {
    nullable: true,
    description: 'For how many days after their bill usage events are kept; null for ever.',
  })
  usageRetentionDays!: number | null;

  @Field(() => [Int], {
    description: 'The retry schedule of a failed charge: days after the first attempt.',
  })
  retryDays!: number[];

  @Field(() => BrandingType, {
    nullable: true,
    description: 'How the pages and mails for customers look, if set.',
  })
  branding!: BrandingType | null;

  @Field(() => VatIdCheckPolicy, {
    nullable: true,
    description:
      'Whether reverse charge needs a VAT id that VIES has confirmed, and what a bill does until then.',
  })
  vatIdCheck!: string | null;

  @Field(() => Currency, {
    nullable: true,
    description: 'The currency that forms begin with, if set. Prices and invoices have their own.',
  })
  defaultCurrency!: string | null;

  @Field(() => Currency, {
    nullable: true,
    description:
      'The currency in which the seller owes tax, if it was chosen; `homeCurrency` has that of its country otherwise.',
  })
  taxCurrency!: string | null;

  @Field(() => DateTime, { description: 'When the tenant was created.' })
  createdAt!: string;
}

const allowedOrigins =
  'The origins of the pages that may use publishable keys and sessions of customers, such as `https://shop.example`';

@InputType({ description: 'Changes to a tenant. Omitted fields stay unchanged.' })
class UpdateTenantInput extends UsageAlertsInput {
  @Field(() => String, { nullable: true, description: 'The display name, 1 to 200 characters.' })
  name?: string;

  @Field(() => [Int], {
    nullable: true,
    description:
      'Days after the first attempt, ascending, each 1 to 60, at most 10. With an empty list, the first failure ' +
      'is the last.',
  })
  retryDays?: number[];

  @Field(() => DunningPolicyInput, {
    nullable: true,
    description: 'What happens to subscriptions whose charges fail; null for the defaults.',
  })
  dunning?: DunningPolicyInput | null;

  @Field(() => [PaymentProvider], {
    nullable: true,
    description:
      `The payment providers available to new payments: any of ${listChoosable('and')}; null for all that the ` +
      'server or the tenant has. Existing payment methods stay unchanged.',
  })
  paymentProviders?: string[] | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Days from issue to the due date of an invoice paid manually, 0 to 365; null for 14.',
  })
  paymentTermsDays?: number | null;

  @Field(() => BankAccountInput, {
    nullable: true,
    description: 'The bank account for transfers. It is replaced as a whole; null removes it.',
  })
  bankAccount?: BankAccountInput | null;

  @Field(() => TrialEndWithoutMethod, {
    nullable: true,
    description:
      'What happens to a subscription whose trial ends without a payment method; null for `cancel`.',
  })
  trialEndWithoutMethod?: string | null;

  @Field(() => CreditVouchers, {
    nullable: true,
    description: 'The kind of voucher that paid credit grants are from then on; null for `multi_purpose`.',
  })
  creditVouchers?: string | null;

  @Field(() => ChangePolicyInput, {
    nullable: true,
    description: 'How changes of subscriptions are billed; null for the defaults.',
  })
  changePolicy?: ChangePolicyInput | null;

  @Field(() => SellerInput, {
    nullable: true,
    description: 'The seller on documents; null removes it. With an address, tax is charged from then on.',
  })
  seller?: SellerInput | null;

  @Field(() => BrandingInput, {
    nullable: true,
    description: 'How the pages and mails for customers look; null for the standard looks.',
  })
  branding?: BrandingInput | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Hours from the creation of an invoice to its finalization, 0 to 720; null for 0.',
  })
  invoiceGraceHours?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'How long issued documents are kept when their customer is erased: years after the year of issue, 0 to 30; null for ' +
      '10. With 0 they are erased at once. A change affects later erasures.',
  })
  documentRetentionYears?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'For how many days after their bill usage events are kept, 1 to 3650; null for ever. What meters have counted stays. Events that ' +
      'are gone cannot be listed, exported or taken back.',
  })
  usageRetentionDays?: number | null;

  @Field(() => PortalSettingsInput, {
    nullable: true,
    description: 'The settings of the portal; null sets all defaults.',
  })
  portal?: PortalSettingsInput | null;

  @Field(() => MailSettingsInput, {
    nullable: true,
    description: 'The mails to customers; null for the defaults.',
  })
  mail?: MailSettingsInput | null;

  @Field(() => VatIdCheckPolicy, {
    nullable: true,
    description:
      'Asks VIES, the register of the European Commission, about VAT ids before bills are charged in reverse; null does ' +
      'not. The server must have the address of VIES (`--vies-url`).',
  })
  vatIdCheck?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      `${allowedOrigins}; at most 50, https, or http on localhost. They are compared as a whole: no patterns, no path. Null ` +
      'and an empty list allow none.',
  })
  allowedOrigins?: string[] | null;

  @Field(() => Currency, {
    nullable: true,
    description: 'The currency that forms begin with; null for none.',
  })
  defaultCurrency?: string | null;

  @Field(() => Currency, {
    nullable: true,
    description:
      'The currency in which the seller owes tax: documents in others show it in this one, too. `createInvoice` and ' +
      '`finalizeInvoice` are refused without a rate then. Null for that of the country, if the law there asks for it.',
  })
  taxCurrency?: string | null;
}

@Resolver(() => Tenant)
export class TenantResolver {
  @FieldResolver(() => String, { description: 'The IANA time zone of billing cycles.' })
  timeZone(@Root() { timezone }: TenantRow): string {
    return timezone;
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether it is a test tenant, which uses sandbox payment methods and can have its own clock.',
  })
  isTest(@Root() { test }: TenantRow): boolean {
    return test;
  }

  @FieldResolver(() => [String], { description: `${allowedOrigins}.` })
  allowedOrigins(@Root() tenant: TenantRow): string[] {
    return tenant.allowedOrigins ?? [];
  }

  @FieldResolver(() => DateTime, { description: "The tenant's current time." })
  clock(@Ctx() context: Context, @Root() tenant: TenantRow): string {
    return tenant.clockAt ?? context.tenant.now();
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether the tenant has its own clock (test tenants only). Others use real time.',
  })
  ownsClock(@Root() tenant: TenantRow): boolean {
    return tenant.clockAt !== null;
  }

  @FieldResolver(() => Int, {
    description:
      'Payment terms of invoices paid manually: days from issue to the due date, after which the ' +
      'subscription is past due.',
  })
  paymentTermsDays(@Root() tenant: TenantRow): number {
    return findPaymentTermsDays(tenant);
  }

  @FieldResolver(() => TrialEndWithoutMethod, {
    description: 'What happens to a subscription whose trial ends without a payment method.',
  })
  trialEndWithoutMethod(@Root() tenant: TenantRow): string {
    return tenant.trialEndWithoutMethod ?? TrialEndWithoutMethod.cancel;
  }

  @FieldResolver(() => CreditVouchers, { description: 'The kind of voucher that paid credit grants are.' })
  creditVouchers(@Root() tenant: TenantRow): string {
    return tenant.creditVouchers ?? CreditVouchers.multi_purpose;
  }

  @FieldResolver(() => ChangePolicyType, {
    description: 'How changes of subscriptions are billed unless the request says otherwise.',
  })
  changePolicy(@Root() tenant: TenantRow): ChangePolicyType {
    return findChangePolicy(tenant);
  }

  @FieldResolver(() => DunningPolicyType, {
    description: 'What happens to subscriptions whose charges fail.',
  })
  dunning(@Root() tenant: TenantRow): DunningPolicyType {
    return { retryDays: tenant.retryDays, ...findDunningPolicy(tenant) };
  }

  @FieldResolver(() => SellerType, { nullable: true, description: 'The seller on documents, if set.' })
  seller(@Root() { seller, bankAccount }: TenantRow): SellerType | null {
    const unsaid = {
      chargesNoTax: false,
      contact: null,
      electronicAddress: null,
      legalRegistration: null,
      taxExemption: null,
      paymentNotes: null,
    };
    return seller && { ...unsaid, ...seller, bankAccount };
  }

  @FieldResolver(() => Int, {
    description: 'Hours from the creation of an invoice to its finalization.',
  })
  invoiceGraceHours(@Root() tenant: TenantRow): number {
    return tenant.invoiceGraceHours ?? 0;
  }

  @FieldResolver(() => Int, {
    description: 'For how many years after that of issue documents are kept when their customer is erased.',
  })
  documentRetentionYears(@Root() tenant: TenantRow): number {
    return findRetentionYears(tenant);
  }

  @FieldResolver(() => PortalSettingsType, { description: 'The settings of the customer portal.' })
  portal(@Root() tenant: TenantRow): PortalSettingsType {
    return findPortalSettings(tenant);
  }

  @FieldResolver(() => MailSettingsType, { description: 'The mails to customers.' })
  mail(
    @Ctx() { tenant: scope, publicUrl, permissions }: Context,
    @Root() tenant: TenantRow,
  ): MailSettingsType {
    const { alias, cursorSecret } = tenant;
    const bounceUrl = `${publicUrl}/callbacks/mail/${alias}?token=${buildBounceToken(cursorSecret)}`;
    return {
      ...findMailSettings(tenant),
      sentKinds: listSentKinds(tenant),
      bounceUrl: permissions.includes('manage_settings') ? bounceUrl : null,
      enabled: scope.mailer.isOn(tenant),
    };
  }

  @Extensions(declareWork({ cost: 10 }))
  @FieldResolver(() => Boolean, {
    description:
      'Whether its customers have a way to pay: a payment provider, the test cards of a test tenant, or a bank account for ' +
      'transfers. Without one, links to pay are refused.',
  })
  canBePaid(@CurrentTenant() tenant: TenantScope, @Root() record: TenantRow): Promise<boolean> {
    return canBePaid({ loadProviders: () => tenant.loadProviders(), record });
  }

  @Query(() => Tenant, {
    nullable: true,
    description: 'Returns the tenant of the API key.',
    permission: 'read',
    reasons: ['query_timeout'],
  })
  tenant(@CurrentTenant() tenant: TenantScope): MaybePromise<TenantRow | undefined> {
    // Not `tenant.record`, which is cached with the API key and may be outdated.
    return tenant.read.one('tenants', {});
  }

  // A logo and an icon are decoded.
  @Mutation(() => Tenant, {
    nullable: true,
    description: 'Changes the tenant.',
    work: { cost: 1000 },
    permission: 'manage_settings',
    reasons: [],
  })
  async updateTenant(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => UpdateTenantInput, { description: 'The changes.' }) input: UpdateTenantInput,
  ): Promise<TenantRow> {
    if (input.vatIdCheck && !tenant.vatRegister)
      refuse('validation_failed', {
        path: 'vatIdCheck',
        message: 'needs a server with the address of VIES (--vies-url)',
      });
    const logo = await parseSellerLogo(input.seller);
    const favicon = await parseFavicon(input.branding);
    return tenant.write((unit) => updateTenant(unit, input, { logo, favicon }));
  }
}

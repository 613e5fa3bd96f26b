import {
  Arg,
  Extensions,
  Field,
  FieldResolver,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { TaxCategory } from '../../billing/tax/categories.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { CountryCode, Currency, DateTime, Decimal } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import type { AccountingSettings, RevenueAccount } from '../../storage/model/accounting.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { TenantRow } from '../../tenancy/tenants.ts';
import { Tenant } from '../../tenants/tenants.graphql.ts';
import { TaxTreatments } from '../tax/taxEnums.graphql.ts';
import { exportAccounting, type AccountingFormat, type ExportPart } from './accountingExport.ts';
import { findDebtorAccount, findMoneyAccount, readAccounting } from './charts.ts';
import { setAccounting } from './settings.ts';

const AccountingChart = { skr03: 'skr03', skr04: 'skr04', own: 'own' } as const;
registerEnumType(AccountingChart, {
  name: 'AccountingChart',
  description: 'A chart of accounts.',
  valuesConfig: {
    skr03: { description: "DATEV's SKR03." },
    skr04: { description: "DATEV's SKR04." },
    own: { description: 'Another chart: sales are booked on 200 unless `revenueAccounts` says otherwise.' },
  },
});

const AccountingFormats = {
  datev: 'datev',
  xero: 'xero',
  quickbooks: 'quickbooks',
  quickbooks_credits: 'quickbooks_credits',
} as const;
registerEnumType(AccountingFormats, {
  name: 'AccountingFormat',
  description: 'A file for an accounting program.',
  valuesConfig: {
    datev: {
      description:
        "DATEV's Buchungsstapel (EXTF 700, category 21, version 13) in Windows-1252, of documents in euros. Its period lies in one " +
        'fiscal year.',
    },
    xero: { description: 'The CSV of sales invoices of Xero; credit notes have amounts below 0.' },
    quickbooks: { description: 'The CSV of invoices of QuickBooks Online, without credit notes.' },
    quickbooks_credits: {
      description: 'The credit notes in the columns of `quickbooks`, with amounts above 0.',
    },
  },
});

const text = {
  treatment: { nullable: true, description: 'The treatment; null for any.' },
  category: { nullable: true, description: 'The category; null for any.' },
  percent: { nullable: true, description: 'The rate in percent; null for any.' },
  country: { nullable: true, description: 'The country whose tax applies; null for any.' },
  account: {
    description: 'The account of the sales: letters, digits, points and hyphens; digits for DATEV.',
  },
  taxKey: {
    nullable: true,
    description:
      'The BU-Schlüssel of DATEV, the name of a tax rate of Xero, or a tax code of QuickBooks. Null for none in DATEV; elsewhere ' +
      '`20%`, or `No VAT` for 0.',
  },
  taxAccount: {
    nullable: true,
    description:
      'The account of the tax in DATEV, which is then booked apart; null where it is computed from the account or the key.',
  },
};

@ObjectType('RevenueAccount', { simpleResolvers: true, description: 'Where the sales of a kind are booked.' })
class RevenueAccountType {
  @Field(() => TaxTreatments, text.treatment)
  treatment?: string | null;

  @Field(() => TaxCategory, text.category)
  category?: string | null;

  @Field(() => Decimal, text.percent)
  percent?: string | null;

  @Field(() => CountryCode, text.country)
  country?: string | null;

  @Field(() => String, text.account)
  account!: string;

  @Field(() => String, text.taxKey)
  taxKey?: string | null;

  @Field(() => String, text.taxAccount)
  taxAccount?: string | null;
}

@InputType({ description: 'Where the sales of a kind are booked.' })
class RevenueAccountInput {
  @Field(() => TaxTreatments, text.treatment)
  treatment?: RevenueAccount['treatment'] | null;

  @Field(() => TaxCategory, text.category)
  category?: RevenueAccount['category'] | null;

  @Field(() => Decimal, text.percent)
  percent?: string | null;

  @Field(() => CountryCode, text.country)
  country?: string | null;

  @Field(() => String, text.account)
  account!: string;

  @Field(() => String, text.taxKey)
  taxKey?: string | null;

  @Field(() => String, text.taxAccount)
  taxAccount?: string | null;
}

@ObjectType('AccountingSettings', {
  simpleResolvers: true,
  description: 'How sales are booked in the files of `accountingExport`.',
})
class AccountingSettingsType {
  @Field(() => AccountingChart, { description: 'The chart of accounts. Default: `skr04`.' })
  chart!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of the consultant in DATEV (Berater); null for none.',
  })
  consultantNumber!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of the client in DATEV (Mandant); null for none.',
  })
  clientNumber!: number | null;

  @Field(() => String, {
    description: 'The month and the day on which the fiscal year begins. Default: `01-01`.',
  })
  fiscalYearStart!: string;

  @Field(() => Int, {
    description: 'The digits of an account in DATEV; those of debtors have one more. Default: 4.',
  })
  accountLength!: number;

  @Field(() => String, {
    nullable: true,
    description: 'The key of the metadata of customers that has their account; null for none.',
  })
  debtorMetadataKey!: string | null;

  @Extensions(declareWork({ cost: 0, size: 10 }))
  @Field(() => [RevenueAccountType], {
    description: 'Accounts that come before those of the chart; the first that matches is used.',
  })
  revenueAccounts!: RevenueAccount[];
}

@InputType({ description: 'How sales are booked. Omitted fields get their defaults.' })
class SetAccountingInput {
  @Field(() => AccountingChart, { nullable: true, description: 'The chart of accounts. Default: `skr04`.' })
  chart?: AccountingSettings['chart'] | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of the consultant in DATEV: 1001 to 9,999,999.',
  })
  consultantNumber?: number | null;

  @Field(() => Int, { nullable: true, description: 'The number of the client in DATEV: 1 to 99,999.' })
  clientNumber?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The month and the day on which the fiscal year begins. Default: `01-01`.',
  })
  fiscalYearStart?: string | null;

  @Field(() => Int, { nullable: true, description: 'The digits of an account in DATEV, 4 to 8. Default: 4.' })
  accountLength?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The account of the debtors without one of their own. Default: `10000`, with more zeros for longer accounts.',
  })
  debtorAccount?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The key of the metadata of customers that has their account. A value that is no account does not count.',
  })
  debtorMetadataKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The account of payments. Default: `1360` in SKR03, `1460` in SKR04.',
  })
  moneyAccount?: string | null;

  @Field(() => [RevenueAccountInput], {
    nullable: true,
    description: 'Accounts that come before those of the chart, up to 100; the first that matches is used.',
  })
  revenueAccounts?: RevenueAccountInput[] | null;
}

@Resolver(() => AccountingSettingsType)
export class AccountingSettingsResolver {
  @FieldResolver(() => String, { description: 'The account of the debtors without one of their own.' })
  debtorAccount(@Root() settings: AccountingSettings): string {
    return findDebtorAccount(settings);
  }

  @FieldResolver(() => String, { description: 'The account of payments.' })
  moneyAccount(@Root() settings: AccountingSettings): string {
    return findMoneyAccount(settings);
  }
}

@InputType({ description: 'The file and its period.' })
class AccountingExportInput {
  @Field(() => AccountingFormats, { description: 'The format.' })
  format!: AccountingFormat;

  @Field(() => DateTime, { description: 'The start of the period: a date, or an instant.' })
  from!: string;

  @Field(() => DateTime, { description: 'The end, exclusive.' })
  until!: string;

  @Field(() => String, {
    nullable: true,
    description: "The IANA time zone of dates. Default: the tenant's.",
  })
  timeZone?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether a file for DATEV has payments, refunds and disputes, too. Default: false.',
  })
  payments?: boolean | null;
}

@ObjectType('CurrencyDocuments', {
  simpleResolvers: true,
  description: 'A number of documents in a currency.',
})
class CurrencyDocuments {
  @Field(() => Currency, { description: 'The currency.' })
  currency!: string;

  @Field(() => Int, { description: 'The number of documents.' })
  documents!: number;
}

@ObjectType('AccountingExport', {
  simpleResolvers: true,
  description: 'A part of a file for an accounting program: join the bytes of all parts.',
})
class AccountingExport {
  @Field(() => String, { description: 'The name of the file.' })
  fileName!: string;

  @Field(() => String, { description: 'Its media type, with its encoding.' })
  contentType!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next part, for `after`; null at the end of the file.',
  })
  nextCursor!: string | null;

  @Extensions(declareWork({ cost: 0, size: 5 }))
  @Field(() => [CurrencyDocuments], {
    description: 'The documents in other currencies, which a file for DATEV leaves out; with the first part.',
  })
  otherCurrencies!: ExportPart['otherCurrencies'];
}

@Resolver(() => AccountingExport)
export class AccountingExportResolver {
  @FieldResolver(() => String, { description: 'The bytes, in base64.' })
  base64(@Root() { bytes }: ExportPart): string {
    return bytes.toString('base64');
  }

  @Query(() => AccountingExport, {
    nullable: true,
    description:
      'Returns the next part of a file for an accounting program: the documents that `taxReport` counts, in the order of issue, about ' +
      '1,000 at a time.',
    work: { cost: 500 },
    permission: 'export_data',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  accountingExport(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => AccountingExportInput, { description: 'The file.' }) input: AccountingExportInput,
    @Arg('after', () => String, { nullable: true, description: '`nextCursor` of the part before.' })
    after?: string | null,
  ): Promise<ExportPart> {
    return exportAccounting(tenant, input, after);
  }
}

@Resolver(() => Tenant)
export class AccountingResolver {
  @FieldResolver(() => AccountingSettingsType, {
    description: 'How sales are booked by accounting programs.',
  })
  accounting(@Root() row: TenantRow): AccountingSettings {
    return readAccounting(row);
  }

  @Mutation(() => Tenant, {
    nullable: true,
    description: 'Replaces how sales are booked in the files for accounting programs.',
    permission: 'manage_settings',
    reasons: [],
  })
  setAccounting(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => SetAccountingInput, { description: 'The settings.' }) input: SetAccountingInput,
  ): Promise<TenantRow> {
    return tenant.write((unit) => setAccounting(unit, input));
  }
}

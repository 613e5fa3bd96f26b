/** Where sales are booked: the accounts of DATEV's standard charts SKR03 and SKR04, and a tenant's own before them. */
import type { AccountingSettings, RevenueAccount } from '../../storage/model/accounting.ts';
import type { TaxTermsOfPlace } from '../tax/taxTerms.ts';

type Chart = AccountingSettings['chart'];

interface ChartAccounts {
  revenue: readonly RevenueAccount[];
  money: string;
}

/**
 * The accounts by chart: those of 19 and 7 % are automatic, their tax is computed from the amount. Sales at another rate, and
 * tax of countries outside of the European Union, have the tax on an account of its own.
 */
const listRevenue = (account: Record<RevenueName, string>): readonly RevenueAccount[] => [
  { treatment: 'domestic', category: 'S', percent: '19', account: account.standard },
  { treatment: 'domestic', category: 'S', percent: '7', account: account.reduced },
  { treatment: 'domestic', category: 'AE', account: account.domesticReverseCharge },
  { treatment: 'domestic', category: 'Z', account: account.zero },
  { treatment: 'domestic', category: 'E', account: account.exempt },
  { treatment: 'domestic', category: 'S', account: account.other, taxAccount: account.tax },
  { treatment: 'intra_community', category: 'K', account: account.goodsInUnion },
  { treatment: 'intra_community', account: account.servicesInUnion },
  { treatment: 'one_stop_shop', account: account.oneStopShop },
  { category: 'G', account: account.exports },
  { treatment: 'foreign', account: account.elsewhere, taxAccount: account.foreignTax },
  { account: account.other, taxAccount: account.tax },
];

type RevenueName =
  | 'standard'
  | 'reduced'
  | 'zero'
  | 'domesticReverseCharge'
  | 'exempt'
  | 'other'
  | 'tax'
  | 'goodsInUnion'
  | 'servicesInUnion'
  | 'oneStopShop'
  | 'exports'
  | 'elsewhere'
  | 'foreignTax';

const charts: Record<Chart, ChartAccounts> = {
  skr03: {
    money: '1360',
    revenue: [
      ...listRevenue({
        standard: '8400',
        reduced: '8300',
        zero: '8290',
        domesticReverseCharge: '8337',
        exempt: '8100',
        other: '8200',
        tax: '1770',
        goodsInUnion: '8125',
        servicesInUnion: '8336',
        oneStopShop: '8331',
        exports: '8120',
        elsewhere: '8338',
        foreignTax: '1768',
      }),
    ],
  },
  skr04: {
    money: '1460',
    revenue: [
      ...listRevenue({
        standard: '4400',
        reduced: '4300',
        zero: '4290',
        domesticReverseCharge: '4337',
        exempt: '4100',
        other: '4200',
        tax: '3800',
        goodsInUnion: '4125',
        servicesInUnion: '4336',
        oneStopShop: '4331',
        exports: '4120',
        elsewhere: '4338',
        foreignTax: '3818',
      }),
    ],
  },
  // The account of sales that Xero's and QuickBooks' charts begin with.
  own: { money: '1000', revenue: [{ account: '200' }] },
};

/** The account of small businesses: § 19 UStG. */
const smallBusiness: Record<Chart, string | undefined> = { skr03: '8195', skr04: '4185', own: undefined };

const defaultLength = 4;

/** The settings of a tenant that has chosen none. */
export const defaultAccounting: AccountingSettings = {
  chart: 'skr04',
  consultantNumber: null,
  clientNumber: null,
  fiscalYearStart: '01-01',
  accountLength: defaultLength,
  debtorAccount: null,
  debtorMetadataKey: null,
  moneyAccount: null,
  revenueAccounts: [],
};

/** Returns the settings of a tenant. */
export const readAccounting = (tenant: { accounting: AccountingSettings | null }): AccountingSettings =>
  tenant.accounting ?? defaultAccounting;

/** Returns the account of sales: the tenant's own, else that of the chart. */
export function findRevenueAccount(
  { chart, revenueAccounts, accountLength }: AccountingSettings,
  terms: TaxTermsOfPlace | null,
): RevenueAccount {
  const own = revenueAccounts.find((each) => matches(each, terms));
  if (own) return own;
  const exempt = smallBusiness[chart];
  const found =
    terms?.reason === 'exempt_seller' && exempt
      ? { account: exempt }
      : charts[chart].revenue.find((each) => matches(each, terms))!;
  const lengthen = (account: string) => lengthenAccount(account, chart, accountLength);
  return {
    ...found,
    account: lengthen(found.account),
    ...(found.taxAccount && { taxAccount: lengthen(found.taxAccount) }),
  };
}

/** Longer accounts have zeros at their end: 8400 is 840000 with six digits. */
const lengthenAccount = (account: string, chart: Chart, length: number): string =>
  chart === 'own' ? account : account.padEnd(length, '0');

/** Sales without tax terms, of a seller without an address, match only what names no terms. */
function matches(
  { treatment, category, percent, country }: RevenueAccount,
  terms: TaxTermsOfPlace | null,
): boolean {
  return (
    (treatment === undefined || terms?.treatment === treatment) &&
    (category === undefined || terms?.category === category) &&
    (percent === undefined || (terms !== null && Number(terms.percent) === Number(percent))) &&
    (country === undefined || terms?.country === country)
  );
}

/** Returns the account of payments. */
export const findMoneyAccount = ({ moneyAccount, chart, accountLength }: AccountingSettings): string =>
  moneyAccount ?? lengthenAccount(charts[chart].money, chart, accountLength);

/** Returns the account of the debtors without one of their own: 10000 with four digits for other accounts. */
export const findDebtorAccount = ({ debtorAccount, accountLength }: AccountingSettings): string =>
  debtorAccount ?? `1${'0'.repeat(accountLength)}`;

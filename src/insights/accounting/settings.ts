/** The settings of exports to accounting programs. */
import * as z from 'zod';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { parseInput } from '../../lib/validation.ts';
import type { AccountingSettings, RevenueAccount } from '../../storage/model/accounting.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { defaultAccounting } from './charts.ts';

const longestAccount = 20;
const longestKey = 50;
const mostRevenueAccounts = 100;

const account = z
  .string()
  .regex(/^[A-Za-z0-9._-]+$/, 'must consist of letters, digits, points and hyphens')
  .max(longestAccount);
const oneLine = z
  .string()
  .trim()
  .min(1)
  .max(longestKey)
  .regex(/^[^\p{Cc}]*$/u, 'must be one line');

const revenueAccount = z.object({
  treatment: z.enum(['domestic', 'one_stop_shop', 'intra_community', 'foreign']).nullish(),
  category: z.enum(['S', 'Z', 'E', 'AE', 'K', 'G', 'O']).nullish(),
  percent: z.string().nullish(),
  country: z.string().nullish(),
  account,
  taxKey: oneLine.nullish(),
  taxAccount: account.nullish(),
});

const settings = z.object({
  chart: z.enum(['skr03', 'skr04', 'own']).nullish(),
  consultantNumber: z.int().min(1001).max(9_999_999).nullish(),
  clientNumber: z.int().min(1).max(99_999).nullish(),
  fiscalYearStart: z
    .string()
    .regex(/^(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$/, 'must be a month and a day: 01-01')
    .nullish(),
  accountLength: z.int().min(4).max(8).nullish(),
  debtorAccount: account.nullish(),
  debtorMetadataKey: oneLine.nullish(),
  moneyAccount: account.nullish(),
  revenueAccounts: z.array(revenueAccount).max(mostRevenueAccounts).nullish(),
});

/** Replaces the settings; what is omitted gets its default. Error: `validation_failed`. */
export function setAccounting(unit: UnitOfWork, input: unknown): MaybePromise<Row<'tenants'>> {
  const { revenueAccounts, ...given } = parseInput(settings, input);
  const accounting: AccountingSettings = {
    ...defaultAccounting,
    ...dropNulls(given),
    revenueAccounts: (revenueAccounts ?? []).map((each) => dropNulls(each) as RevenueAccount),
  };
  return unit.change('tenants', unit.tenant, { accounting });
}

const dropNulls = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== undefined)) as {
    [Key in keyof T]?: NonNullable<T[Key]>;
  };

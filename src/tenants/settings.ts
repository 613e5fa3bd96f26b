import * as z from 'zod';
import { isCurrency } from '../lib/money.ts';
import { parseInput, name } from '../lib/validation.ts';
import type { CheckedLogo } from '../documents/logo.ts';
import { choosableNames, listChoosable } from '../providers/list.ts';
import type { ChangePolicy } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { allowedOrigins } from './allowedOrigins.ts';
import { bankAccount } from './bankAccount.ts';
import { branding, changeBranding } from './branding.ts';
import { changePortalSettings, portalChanges } from './portalSettings.ts';
import { changeDunningPolicy, dunningDays, dunningPolicy } from './dunningPolicy.ts';
import { changeMailSettings, mailSettings } from './mailSettings.ts';
import { changeSeller, seller } from './seller.ts';
import { alertPercents } from './usageAlerts.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

const maxTermsDays = 365;
const maxGraceHours = 720;
/** No law demands more of invoices; the longest, of real estate, demand up to 30. */
const maxRetentionYears = 30;
const maxUsageDays = 3650;

const paymentProviders = z
  .array(z.enum(choosableNames, `must be ${listChoosable('or')}; the sandbox comes with test tenants`))
  .refine((names) => new Set(names).size === names.length, 'must name each provider once');

const changeBilling = z.enum(['charge_now', 'next_invoice', 'period_end', 'reset', 'none']).nullish();

const changePolicy = z.object({
  increase: changeBilling,
  decrease: changeBilling,
  planUpgrade: changeBilling,
  planDowngrade: changeBilling,
});

/** How changes of subscriptions are billed unless the tenant or the request says otherwise. */
const defaultPolicy: ChangePolicy = {
  increase: 'charge_now',
  decrease: 'period_end',
  planUpgrade: null,
  planDowngrade: 'period_end',
};

/** Returns how a tenant bills changes of subscriptions. */
export const findChangePolicy = ({ changePolicy: own }: Pick<Row<'tenants'>, 'changePolicy'>): ChangePolicy =>
  own ?? defaultPolicy;

/** As at Stripe Billing: an invoice is not overdue on the day of its issue. */
const defaultTermsDays = 14;

/** Returns the days from issue to the due date of an invoice paid manually. */
export const findPaymentTermsDays = ({
  paymentTermsDays,
}: Pick<Row<'tenants'>, 'paymentTermsDays'>): number => paymentTermsDays ?? defaultTermsDays;

/** France demands ten years, Germany eight; no member state demands more of an ordinary invoice than Croatia, eleven. */
const defaultRetentionYears = 10;

/** Returns for how many years after that of issue documents are kept; 0 if they are erased with their customer. */
export const findRetentionYears = ({
  documentRetentionYears,
}: Pick<Row<'tenants'>, 'documentRetentionYears'>): number => documentRetentionYears ?? defaultRetentionYears;

/** A currency in any letter case. */
export const currencyCode = z
  .string()
  .toLowerCase()
  .refine(isCurrency, 'must be a currency code of ISO 4217, such as eur');

const tenantChanges = z.object({
  name: name.optional(),
  retryDays: dunningDays.optional(),
  dunning: dunningPolicy.nullish(),
  paymentProviders: paymentProviders.nullish(),
  paymentTermsDays: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(maxTermsDays, `must be at most ${maxTermsDays}`)
    .nullish(),
  bankAccount: bankAccount.nullish(),
  trialEndWithoutMethod: z.enum(['cancel', 'pause']).nullish(),
  vatIdCheck: z.enum(['draft', 'rate', 'accept']).nullish(),
  changePolicy: changePolicy.nullish(),
  seller: seller.nullish(),
  branding: branding.nullish(),
  portal: portalChanges.nullish(),
  invoiceGraceHours: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(maxGraceHours, `must be at most ${maxGraceHours}`)
    .nullish()
    // None is stored as null.
    .transform((hours) => hours || (hours === 0 ? null : hours)),
  usageRetentionDays: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(maxUsageDays, `must be at most ${maxUsageDays}`)
    .nullish(),
  usageAlertPercents: alertPercents
    .nullish()
    // None is stored as null.
    .transform((percents) => (percents?.length === 0 ? null : percents)),
  documentRetentionYears: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(maxRetentionYears, `must be at most ${maxRetentionYears}`)
    .nullish(),
  mail: mailSettings.nullish(),
  allowedOrigins: allowedOrigins.nullish(),
  defaultCurrency: currencyCode.nullish(),
  taxCurrency: currencyCode.nullish(),
  creditVouchers: z.enum(['multi_purpose', 'single_purpose']).nullish(),
});

/** The images of a request: the logo of the seller, and the icon of the branding. */
interface CheckedImages {
  logo?: CheckedLogo;
  favicon?: CheckedLogo;
}

/**
 * Changes a tenant's settings: name, retry days, dunning, payment providers, payment terms, bank account, the end of
 * trials, the change policy, the seller, the branding, the portal, the mails, the check of VAT ids, the origins of pages,
 * the currencies of forms and of the tax, the kind of sold credit, and when invoices are finalized. Omitted fields are unchanged; null clears all but the first two. `images` are checked. Error:
 * `validation_failed`.
 */
export async function updateTenant(
  unit: UnitOfWork,
  input: unknown,
  images: CheckedImages = {},
): Promise<Row<'tenants'>> {
  const {
    changePolicy: policy,
    dunning,
    seller: wanted,
    branding: look,
    portal,
    mail,
    ...changes
  } = parseInput(tenantChanges, input);
  return unit.change('tenants', unit.tenant, {
    ...changes,
    ...changeTenantPolicy(unit.tenant, policy),
    ...changeDunningPolicy(unit.tenant, dunning),
    ...changeMailSettings(unit.tenant, mail),
    ...(await changeSeller(unit, wanted, images.logo)),
    ...(await changeBranding(unit, look, images.favicon)),
    ...(await changePortalSettings(unit, portal)),
  });
}

/** Returns the policy with the given directions changed; null among them is the default. */
function changeTenantPolicy(
  tenant: Row<'tenants'>,
  policy: z.output<typeof changePolicy> | null | undefined,
): Pick<Row<'tenants'>, 'changePolicy'> | undefined {
  if (policy === undefined) return undefined;
  if (policy === null) return { changePolicy: null };
  const changed = { ...findChangePolicy(tenant) };
  for (const direction of Object.keys(defaultPolicy) as (keyof ChangePolicy)[]) {
    const billing = policy[direction];
    if (billing !== undefined) Object.assign(changed, { [direction]: billing ?? defaultPolicy[direction] });
  }
  return { changePolicy: changed };
}

import * as z from 'zod';
import { parseInput, name } from '../lib/validation.ts';
import type { CheckedLogo } from '../documents/logo.ts';
import type { ChangePolicy } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { bankAccount } from './bankAccount.ts';
import { changeMailSettings, mailSettings } from './mailSettings.ts';
import { changeSeller, seller } from './seller.ts';
import type { UnitOfWork } from './unitOfWork.ts';

const maxTermsDays = 365;
const maxRetryDay = 60;
const maxGraceHours = 720;

const paymentProviders = z
  .array(z.enum(['stripe', 'manual'], 'must be stripe or manual; the sandbox comes with test tenants'))
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
  planUpgrade: 'charge_now',
  planDowngrade: 'period_end',
};

/** Returns how a tenant bills changes of subscriptions. */
export const findChangePolicy = ({ changePolicy: own }: Pick<Row<'tenants'>, 'changePolicy'>): ChangePolicy =>
  own ?? defaultPolicy;

const tenantChanges = z.object({
  name: name.optional(),
  retryDays: z
    .array(z.number().int().min(1).max(maxRetryDay))
    .max(10, 'must be at most 10')
    .refine((days) => days.every((day, index) => index === 0 || day > days[index - 1]!), 'must rise')
    .optional(),
  paymentProviders: paymentProviders.nullish(),
  paymentTermsDays: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(maxTermsDays, `must be at most ${maxTermsDays}`)
    .nullish(),
  bankAccount: bankAccount.nullish(),
  trialEndWithoutMethod: z.enum(['cancel', 'pause']).nullish(),
  changePolicy: changePolicy.nullish(),
  seller: seller.nullish(),
  invoiceGraceHours: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(maxGraceHours, `must be at most ${maxGraceHours}`)
    .nullish()
    // None is stored as null.
    .transform((hours) => hours || (hours === 0 ? null : hours)),
  mail: mailSettings.nullish(),
});

/**
 * Changes a tenant's settings: name, retry days, payment providers, payment terms, bank account, the end of trials, the
 * change policy, the seller, the mails, and when invoices are finalized. Omitted fields are unchanged; null clears all but the first
 * two. `logo` is that of the seller, checked. Error: `validation_failed`.
 */
export async function updateTenant(
  unit: UnitOfWork,
  input: unknown,
  logo?: CheckedLogo,
): Promise<Row<'tenants'>> {
  const { changePolicy: policy, seller: wanted, mail, ...changes } = parseInput(tenantChanges, input);
  return unit.change('tenants', unit.tenant, {
    ...changes,
    ...changeTenantPolicy(unit.tenant, policy),
    ...changeMailSettings(unit.tenant, mail),
    ...(await changeSeller(unit, wanted, logo)),
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
    if (billing !== undefined) changed[direction] = billing ?? defaultPolicy[direction];
  }
  return { changePolicy: changed };
}

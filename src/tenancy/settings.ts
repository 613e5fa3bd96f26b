import * as z from 'zod';
import { parseInput, name } from '../lib/validation.ts';
import type { ChangePolicy } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { UnitOfWork } from './unitOfWork.ts';

const maxTermsDays = 365;
const maxRetryDay = 60;
const lineLength = 200;
const instructionsLength = 1000;

const line = z.string().trim().max(lineLength, `must be at most ${lineLength} characters`);
/** Optional text; an empty string is stored as null. */
const optionalLine = line.nullish().transform((text) => text || null);

/** An IBAN is valid if its digits, with each letter written as two digits, are 1 modulo 97 (ISO 13616). */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) return false;
  const digits = (text.slice(4) + text.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(parseInt(letter, 36)),
  );
  return BigInt(digits) % 97n === 1n;
}

const bankAccount = z
  .object({
    accountHolder: line.min(1, 'must not be empty'),
    iban: optionalLine
      .transform((text) => text?.replaceAll(' ', '').toUpperCase() ?? null)
      .refine((text) => text === null || isIban(text), 'must be an IBAN; its check digits do not fit'),
    accountNumber: optionalLine,
    bic: optionalLine
      .transform((text) => text?.toUpperCase() ?? null)
      .refine(
        (text) => text === null || /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text),
        'must be a BIC of 8 or 11 characters',
      ),
    bankName: optionalLine,
    instructions: z
      .string()
      .trim()
      .max(instructionsLength, `must be at most ${instructionsLength} characters`)
      .nullish()
      .transform((text) => text || null),
  })
  .refine(({ iban, accountNumber }) => iban !== null || accountNumber !== null, {
    path: ['iban'],
    message: 'is required unless accountNumber is given',
  });

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
  changePolicy: changePolicy.nullish(),
  trialEndWithoutMethod: z.enum(['cancel', 'pause']).nullish(),
});

/**
 * Changes a tenant's settings: name, retry days, payment providers, payment terms, bank account, change policy and the
 * end of trials.
 * Omitted fields are unchanged; null clears the last five. Error: `validation_failed`.
 */
export async function updateTenant(unit: UnitOfWork, input: unknown): Promise<Row<'tenants'>> {
  const { changePolicy: policy, ...changes } = parseInput(tenantChanges, input);
  return unit.change('tenants', unit.tenant, { ...changes, ...changeTenantPolicy(unit.tenant, policy) });
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

import * as z from 'zod';
import type { DunningPolicy } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';

const maxDay = 60;
const maxDays = 10;
const maxGraceDays = 365;

/** Days after a first failure: ascending, each 1 to 60, at most 10. */
export const dunningDays = z
  .array(z.number().int().min(1).max(maxDay))
  .max(maxDays, `must be at most ${maxDays}`)
  .refine((days) => days.every((day, index) => index === 0 || day > days[index - 1]!), 'must rise');

/** Changes to a dunning policy; null sets the default. */
export const dunningPolicy = z.object({
  finalAction: z.enum(['cancel', 'pause', 'leave']).nullish(),
  accessGraceDays: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(maxGraceDays, `must be at most ${maxGraceDays}`)
    .nullish(),
  mailDays: dunningDays.nullish(),
});

const defaultPolicy: DunningPolicy = { finalAction: 'cancel', accessGraceDays: null, mailDays: [] };

/** Returns what happens to a tenant's subscriptions whose charges fail. */
export const findDunningPolicy = ({ dunning }: Pick<Row<'tenants'>, 'dunning'>): DunningPolicy =>
  dunning ?? defaultPolicy;

/** Returns the tenant's policy with the given fields changed; null resets it as a whole. */
export function changeDunningPolicy(
  tenant: Pick<Row<'tenants'>, 'dunning'>,
  changes: z.output<typeof dunningPolicy> | null | undefined,
): Partial<Pick<Row<'tenants'>, 'dunning'>> {
  if (changes === undefined) return {};
  if (changes === null) return { dunning: null };
  const before = findDunningPolicy(tenant);
  const { finalAction = before.finalAction, accessGraceDays = before.accessGraceDays } = changes;
  const { mailDays = before.mailDays } = changes;
  return {
    dunning: {
      finalAction: finalAction ?? defaultPolicy.finalAction,
      accessGraceDays,
      mailDays: mailDays ?? defaultPolicy.mailDays,
    },
  };
}

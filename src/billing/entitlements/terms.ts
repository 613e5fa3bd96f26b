/** What a product or an override gives of a feature, as a client states it. */
import * as z from 'zod';
import { formatDecimal, type ExactDecimal } from '../../lib/decimal.ts';
import { refuse } from '../../lib/errors.ts';
import { isGiven, metadata } from '../../lib/validation.ts';
import type { EntitlementTerms } from '../../storage/model/entitlements.ts';
import { readValue } from '../usage/usageEvent.ts';
import type { FeatureRow } from './grants.ts';

const mostPriority = 100;

/** The fields of terms, in inputs. */
export const termFields = {
  value: z.unknown(),
  soft: z.boolean().nullish(),
  overageLimit: z.string().nullish(),
};

/** The fields of terms of a product, in inputs. */
export const productTermFields = {
  ...termFields,
  timesQuantity: z.boolean().nullish(),
  priority: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be 0 or more')
    .max(mostPriority, `must be at most ${mostPriority}`)
    .nullish(),
};

type TermInput = z.output<z.ZodObject<typeof termFields>> &
  Partial<z.output<z.ZodObject<typeof productTermFields>>>;

/** Returns the terms of a feature. Error: `validation_failed`. */
export function readTerms({ kind }: Pick<FeatureRow, 'kind'>, input: TermInput): EntitlementTerms {
  const { soft, overageLimit, timesQuantity, priority } = input;
  if (kind !== 'limit')
    for (const [path, given] of Object.entries({ soft, overageLimit, timesQuantity }))
      if (isGiven(given) && given !== false)
        refuse('validation_failed', { path, message: 'must not be given unless the feature is a limit' });
  if (kind !== 'config' && isGiven(priority) && priority !== 0)
    refuse('validation_failed', {
      path: 'priority',
      message: 'must not be given unless the feature is a config',
    });
  if (isGiven(overageLimit) && soft !== true)
    refuse('validation_failed', { path: 'overageLimit', message: 'must not be given unless soft is true' });
  return {
    value: readers[kind](input.value),
    ...(soft && { soft }),
    ...(isGiven(overageLimit) && { overageLimit: readUnits('overageLimit', overageLimit) }),
    ...(timesQuantity && { timesQuantity }),
    ...(priority && { priority }),
  };
}

const readers: Record<FeatureRow['kind'], (value: unknown) => unknown> = {
  boolean: (value) => {
    if (typeof value === 'boolean') return value;
    return refuse('validation_failed', { path: 'value', message: 'must be true or false' });
  },
  config: readConfig,
  limit: (value) => (isGiven(value) ? readUnits('value', value) : null),
};

function readConfig(value: unknown): unknown {
  if (!isGiven(value)) refuse('validation_failed', { path: 'value', message: 'must not be null' });
  // The limits are those of metadata.
  const result = metadata.safeParse({ value });
  if (result.success) return value;
  const [issue] = result.error.issues;
  return refuse('validation_failed', { path: 'value', message: issue!.message });
}

function readUnits(path: string, given: unknown): string {
  const units: ExactDecimal | undefined =
    typeof given === 'string' || typeof given === 'number' ? readValue(given) : undefined;
  if (units && units.digits >= 0n) return formatDecimal(units);
  return refuse('validation_failed', {
    path,
    message: 'must be a decimal of 0 or more, with at most 18 digits before the point and 12 after it',
  });
}

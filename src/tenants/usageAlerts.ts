/** The shares of limits of whose use events tell: those of a feature, otherwise those of the tenant. */
import * as z from 'zod';
import type { Row } from '../storage/model/rowTypes.ts';

const mostAlerts = 5;

/** Shares in percent; they are kept from the lowest to the highest, each once. */
export const alertPercents = z
  .array(z.number().int('must be a whole number').min(1, 'must be 1 or more').max(100, 'must be at most 100'))
  .max(mostAlerts, `must be at most ${mostAlerts}`)
  .transform((percents) => [...new Set(percents)].toSorted((a, b) => a - b));

/** Returns the shares of a feature, or of the tenant for one that names none. */
export const findAlertPercents = (
  feature: Pick<Row<'features'>, 'alertPercents'>,
  tenant: Pick<Row<'tenants'>, 'usageAlertPercents'>,
): readonly number[] => feature.alertPercents ?? tenant.usageAlertPercents ?? [];

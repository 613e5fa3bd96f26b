import { mapMaybe, type MaybePromise } from '../../lib/maybePromise.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { recordMovements } from './recordMovements.ts';
import { recordSums } from './recordSums.ts';

/** Keeps the records of revenue. Until those of earlier releases are rebuilt, nothing is written. */
export const recordRevenue = (unit: UnitOfWork): MaybePromise<void> =>
  unit.tenant.revenueSince === null ? undefined : mapMaybe(recordMovements(unit), () => recordSums(unit));

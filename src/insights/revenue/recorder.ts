import { mapMaybe } from '../../lib/maybePromise.ts';
import type { RevenueRecorder } from '../../tenancy/service.ts';
import { recordMovements } from './recordMovements.ts';
import { recordSums } from './recordSums.ts';

/** Creates what keeps the records of revenue. Until those of earlier releases are rebuilt, nothing is written. */
export const createRevenueRecorder = (): RevenueRecorder => ({
  record: (unit) =>
    unit.tenant.revenueSince === null ? undefined : mapMaybe(recordMovements(unit), () => recordSums(unit)),
});

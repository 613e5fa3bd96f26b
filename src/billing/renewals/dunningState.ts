import type { DunningPolicy } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { findDunningPolicy } from '../../tenants/dunningPolicy.ts';
import { computeRetries } from '../pricing/retrySchedule.ts';

/** How an unpaid invoice is collected. */
export interface DunningState {
  firstFailedAt: string;
  attempts: number;
  /** Null if no retry is scheduled. */
  nextRetryAt: string | null;
  retriesStoppedReason: string | null;
  finalAction: DunningPolicy['finalAction'];
  finalAt: string;
}

type PastDue = Pick<Row<'subscriptions'>, 'dueAt' | 'cancelAtPeriodEnd' | 'retriesStoppedReason'> & {
  pastDueSince: string;
};

/** Describes the dunning of a past-due subscription whose invoice was tried so often. */
export function describeDunning(
  { pastDueSince, dueAt, cancelAtPeriodEnd, retriesStoppedReason }: PastDue,
  attempts: number,
  tenant: Pick<Row<'tenants'>, 'retryDays' | 'dunning'>,
): DunningState {
  const { finalAt } = computeRetries(tenant.retryDays, pastDueSince);
  return {
    firstFailedAt: pastDueSince,
    attempts,
    nextRetryAt: retriesStoppedReason === null ? dueAt : null,
    retriesStoppedReason,
    finalAction: cancelAtPeriodEnd ? 'cancel' : findDunningPolicy(tenant).finalAction,
    finalAt,
  };
}

import type { Row } from '../../storage/model/rowTypes.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { endExpired } from './credits.ts';

type Credit = Row<'balanceEntries'>;

const pageSize = 100;

/** Matches credits with a remainder that expire within a range of instants. */
export const matchExpiring = (range: { after?: string; to: string }) => ({
  expiresAt: range,
  remainingMinor: { isPositive: true as const },
});

/**
 * Ends the remainders of credits that have expired by an instant, and records the event `credit_expired` for each; what a grant
 * keeps rolls over. The part that a payment in progress has reserved stays until the payment ends. Returns the number of credits; 0 once none
 * is left, otherwise a further call may find more.
 */
export async function expireCredits(tenant: SteppedTenant, until: string): Promise<number> {
  let past: string[] | undefined;
  for (;;) {
    const page = await tenant.read.many('balanceEntries', {
      where: matchExpiring({ to: until }),
      orderBy: ['expiresAt', 'id'],
      past,
      limit: pageSize,
    });
    if (page.length === 0) return 0;
    const expired = await tenant.writeStep((unit) => expireEach(unit, page));
    if (expired > 0 || page.length < pageSize) return expired;
    const { expiresAt, id } = page.at(-1)!;
    past = [expiresAt!, id];
  }
}

async function expireEach(unit: UnitOfWork, credits: Credit[]): Promise<number> {
  let expired = 0;
  for (const { id } of credits) if (await endExpired(unit, id)) expired += 1;
  return expired;
}

/** The audit of recurring revenue: its movements, and what is recorded on subscriptions. */
import { findMrrState, hasDefinition, measureMrr, definitions } from '../../billing/pricing/mrr.ts';
import type { Row } from '../../storage/model/rowTypes.ts';

type Movement = Row<'mrrMovements'>;
type Subscription = Row<'subscriptions'>;

/** A contradiction in the records of a customer. */
interface Fault {
  subject: string;
  found: string;
}

/**
 * Audits the records of one customer: under each definition, the movements of a currency must follow from each other, have
 * the kinds that their amounts imply, and sum up to what is recorded on the subscriptions; and what is recorded must
 * have the state of its subscription. `movements` are in the order of their ids.
 */
function auditRevenue(customerId: string, subscriptions: Subscription[], movements: Movement[]): Fault[] {
  const faults: Fault[] = subscriptions.flatMap(auditState);
  const currencies = new Set([
    ...movements.map(({ currency }) => currency),
    ...subscriptions.flatMap(({ mrr }) => mrr?.currency ?? []),
  ]);
  for (const currency of currencies) {
    const recorded = subscriptions.map(({ mrr }) => mrr).filter((mrr) => mrr?.currency === currency);
    const own = movements.filter((movement) => movement.currency === currency);
    for (const [number, definition] of definitions.entries()) {
      const expectedMinor = recorded.reduce((sum, mrr) => sum + measureMrr(mrr, definition), 0n);
      const moved = own.filter((movement) => hasDefinition(movement.definitions, number));
      const fault = followMovements(
        customerId,
        moved,
        expectedMinor,
        `${currency} under definition ${number}`,
      );
      if (fault) faults.push(fault);
    }
  }
  return faults;
}

function auditState({ mrr, ...subscription }: Subscription): Fault[] {
  const state = findMrrState(subscription);
  const isEqual =
    mrr === null || state === null
      ? mrr === state
      : mrr.state === state.state &&
        Boolean(mrr.paused) === Boolean(state.paused) &&
        Boolean(mrr.cancelling) === Boolean(state.cancelling);
  return isEqual ? [] : [{ subject: subscription.id, found: 'has recorded MRR of another state' }];
}

function followMovements(
  subject: string,
  movements: Movement[],
  expectedMinor: bigint,
  which: string,
): Fault | undefined {
  let totalMinor = 0n;
  let since: string | undefined;
  for (const { id, amountMinor, mrrAfterMinor, kind, cohortAt, at } of movements) {
    const beforeMinor = totalMinor;
    totalMinor += amountMinor;
    if (totalMinor !== mrrAfterMinor || totalMinor < 0n)
      return { subject: id, found: `does not follow from the movement before it, in ${which}` };
    const expected =
      beforeMinor === 0n
        ? since === undefined
          ? 'new'
          : 'reactivation'
        : totalMinor === 0n
          ? 'churn'
          : amountMinor > 0n
            ? 'expansion'
            : 'contraction';
    if (kind !== expected)
      return { subject: id, found: `is ${kind}, but should be ${expected}, in ${which}` };
    since ??= at;
    if (cohortAt !== since)
      return { subject: id, found: `has another cohort than its customer, in ${which}` };
  }
  if (totalMinor === expectedMinor) return undefined;
  return {
    subject,
    found: `has movements that sum up to ${totalMinor}, but subscriptions with ${expectedMinor}, in ${which}`,
  };
}

/** Audits the records of many customers. */
export function auditRevenueOfAll(
  customerIds: string[],
  subscriptions: Subscription[],
  movements: Movement[],
): Fault[] {
  const [ownSubscriptions, ownMovements] = [groupByCustomer(subscriptions), groupByCustomer(movements)];
  return customerIds.flatMap((id) =>
    auditRevenue(id, ownSubscriptions.get(id) ?? [], ownMovements.get(id) ?? []),
  );
}

function groupByCustomer<R extends { customerId: string }>(rows: R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const group = groups.get(row.customerId);
    if (group) group.push(row);
    else groups.set(row.customerId, [row]);
  }
  return groups;
}

/** Movements of recurring revenue: how a change of a subscription moves the MRR of its customer. */
import type { RecordedMrr } from '../../storage/model/revenue.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { definitions, hasDefinition, measureMrr } from './mrr.ts';

type Kind = Row<'mrrMovements'>['kind'];

/** The MRR of a customer in one currency: by the number of the definition. */
export interface CustomerMrr {
  totals: bigint[];
  /** When the customer first had MRR; undefined before. */
  since: (string | undefined)[];
}

/** A change of the recorded MRR of a subscription. */
export interface MrrChange {
  at: string;
  before: RecordedMrr | null;
  after: RecordedMrr | null;
}

/** A movement without the ids of its records. */
export type Movement = Pick<
  Row<'mrrMovements'>,
  | 'at'
  | 'kind'
  | 'amountMinor'
  | 'mrrAfterMinor'
  | 'subscriptions'
  | 'definitions'
  | 'isStandard'
  | 'cohortAt'
>;

/** Returns the MRR of a customer in a currency from that of the subscriptions and the first movements. */
export function sumCustomerMrr(
  recorded: (RecordedMrr | null)[],
  first: Pick<Movement, 'at' | 'definitions'>[],
): CustomerMrr {
  return {
    totals: definitions.map((definition) =>
      recorded.reduce((total, each) => total + measureMrr(each, definition), 0n),
    ),
    since: definitions.map(
      (_, number) => first.find((movement) => hasDefinition(movement.definitions, number))?.at,
    ),
  };
}

/**
 * Returns the movements of a change, and applies them to the MRR of the customer. Kinds count by customer: the first MRR
 * is new, the last one lost is churn, that of a former payer a reactivation, and all else expansion or contraction.
 */
export function computeMovements(customer: CustomerMrr, { at, before, after }: MrrChange): Movement[] {
  const movements = new Map<string, Movement>();
  for (const [number, definition] of definitions.entries()) {
    const [was, is] = [measureMrr(before, definition), measureMrr(after, definition)];
    if (was === is) continue;
    const amountMinor = is - was;
    const totalMinor = customer.totals[number]!;
    const mrrAfterMinor = totalMinor + amountMinor;
    const kind = findKind(totalMinor, mrrAfterMinor, customer.since[number] !== undefined);
    const cohortAt = (customer.since[number] ??= at);
    customer.totals[number] = mrrAfterMinor;
    const subscriptions = Number(is > 0n) - Number(was > 0n);
    const key = [kind, amountMinor, mrrAfterMinor, subscriptions, cohortAt].join(' ');
    const movement = movements.get(key) ?? {
      at,
      kind,
      amountMinor,
      mrrAfterMinor,
      subscriptions,
      definitions: 0,
      isStandard: number === 0,
      cohortAt,
    };
    movement.definitions += 2 ** number;
    movements.set(key, movement);
  }
  return [...movements.values()];
}

function findKind(beforeMinor: bigint, afterMinor: bigint, hasPaidBefore: boolean): Kind {
  if (beforeMinor === 0n) return hasPaidBefore ? 'reactivation' : 'new';
  if (afterMinor === 0n) return 'churn';
  return afterMinor > beforeMinor ? 'expansion' : 'contraction';
}

/** Whether two records of MRR are equal. */
export const isSameMrr = (a: RecordedMrr | null, b: RecordedMrr | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.currency === b.currency &&
    a.list === b.list &&
    a.net === b.net &&
    a.state === b.state &&
    a.paused === b.paused &&
    a.cancelling === b.cancelling);

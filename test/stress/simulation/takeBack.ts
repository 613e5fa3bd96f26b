import type { Reversal, ReversalCallback } from '../../../src/providers/provider.ts';
import { recordReversal } from '../../../src/billing/invoices/reversals.ts';
import type { Random } from '../../../src/lib/random.ts';
import type { DisputeStatus } from '../../../src/storage/model/common.ts';
import type { TenantScope } from '../../../src/tenancy/tenantScope.ts';

/** Money that the bank has moved, once and for all. */
export interface Movement {
  kind: 'charge' | 'refund';
  /** The idempotency key of the try. */
  key: string;
  reference: string;
  tenantAlias: string;
  amountMinor: bigint;
  currency: string;
  /** The reference of the charge that a refund gives back. */
  of?: string;
}

/** Money that the bank took back without a request of the service: a refund at its desk, or a dispute. */
export interface Taken {
  /** The idempotency key of the charge. */
  of: string;
  tenantAlias: string;
  reversal: Reversal;
}

/** What the bank takes back by itself, and its reports about it, which come late, twice or in another order. */
export interface Desk {
  taken: Map<string, Taken>;
  /** What is taken of a charge at present, in minor units. */
  sumTaken(of: string): bigint;
  /** Refunds some charge of a tenant, opens its dispute, or continues one. */
  takeBack(tenantAlias: string): void;
  /** Delivers reports to a tenant: some, or all of them in order. */
  deliver(tenant: TenantScope, all?: boolean): Promise<void>;
}

const nextStatuses: Partial<Record<DisputeStatus, DisputeStatus[]>> = {
  inquiry: ['inquiry_closed', 'needs_response'],
  needs_response: ['under_review', 'won', 'lost'],
  under_review: ['won', 'lost'],
};

/** Whether a reversal has the money at present. */
const isTaken = ({ type, status }: Reversal): boolean =>
  type === 'refund'
    ? status !== 'declined'
    : status === 'needs_response' || status === 'under_review' || status === 'lost';

/** Opens the desk of a bank; `computeLeft` returns what refunds of the service have left of a charge. */
export function openDesk(
  random: Random,
  movements: Map<string, Movement>,
  computeLeft: (of: string) => bigint,
): Desk {
  const taken = new Map<string, Taken>();
  let reports: Taken[] = [];
  const sumTaken = (of: string) =>
    [...taken.values()].reduce(
      (sum, each) => (each.of === of && isTaken(each.reversal) ? sum + each.reversal.amountMinor : sum),
      0n,
    );
  const note = (each: Taken) => {
    taken.set(each.reversal.reference, each);
    reports.push(each);
  };
  const continueDispute = (each: Taken) => {
    if (each.reversal.type !== 'dispute') return;
    // An inquiry takes nothing: a refund meanwhile settles it.
    const isSettled = computeLeft(each.of) - sumTaken(each.of) < each.reversal.amountMinor;
    const next =
      each.reversal.status === 'inquiry' && isSettled
        ? ['inquiry_closed' as const]
        : nextStatuses[each.reversal.status];
    if (next) note({ ...each, reversal: { ...each.reversal, status: random.pick(next) } });
  };
  const begin = ({ key: of, tenantAlias, amountMinor: chargedMinor, currency }: Movement) => {
    const leftMinor = computeLeft(of) - sumTaken(of);
    const isOpen = [...taken.values()].some((each) => each.of === of && each.reversal.type === 'dispute');
    if (leftMinor <= 0n || isOpen) return;
    const reference = `taken_${taken.size + 1}`;
    if (random.chance(0.5)) {
      const partMinor = BigInt(random.whole(1, Number(chargedMinor)));
      const amountMinor = random.chance(0.4) || partMinor > leftMinor ? leftMinor : partMinor;
      const reversal = { type: 'refund', status: 'succeeded', reference, amountMinor, currency } as const;
      note({ of, tenantAlias, reversal });
      return;
    }
    const status = random.pick(['inquiry', 'needs_response', 'needs_response'] as const);
    const details = {
      reason: 'fraudulent',
      evidenceDueAt: null,
      reference,
      amountMinor: leftMinor,
      currency,
    };
    note({ of, tenantAlias, reversal: { type: 'dispute', status, ...details } });
  };
  const toCallback = ({ of, tenantAlias, reversal }: Taken): ReversalCallback => ({
    kind: 'reversal',
    tenantAlias,
    idempotencyKey: of,
    chargeReference: `bank_${of}`,
    reversal,
  });
  return {
    taken,
    sumTaken,
    takeBack: (tenantAlias) => {
      const disputes = [...taken.values()].filter(
        (each) => each.tenantAlias === tenantAlias && each.reversal.type === 'dispute',
      );
      if (disputes.length > 0 && random.chance(0.5)) return continueDispute(random.pick(disputes));
      const charges = [...movements.values()].filter(
        (each) => each.kind === 'charge' && each.tenantAlias === tenantAlias,
      );
      if (charges.length > 0) begin(random.pick(charges));
    },
    deliver: async (tenant, all = false) => {
      const own = reports.filter(({ tenantAlias }) => tenantAlias === tenant.alias);
      const ordered = all ? own : own.toSorted(() => random.fraction() - 0.5);
      for (const each of ordered) {
        if (!all && random.chance(0.3)) continue;
        const reference = `bank_${each.of}`;
        const isKnown = async () =>
          (await tenant.read.many('payments', { where: { reference, kind: 'charge' }, limit: 1 })).length > 0;
        // The report of a charge whose own outcome is not known yet is repeated later, as by a provider.
        if (!(await isKnown())) continue;
        for (let times = random.chance(0.2) ? 2 : 1; times > 0; times--)
          await tenant.write((unit) => recordReversal(unit, 'bank', toCallback(each)));
        reports = reports.filter((other) => other !== each);
      }
    },
  };
}

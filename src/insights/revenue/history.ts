/** The states that subscriptions had, as their traces show them. */
import { toMinor } from '../../lib/money.ts';
import type { Row, TenantTable } from '../../storage/model/rowTypes.ts';
import { restoreAddOns, type ShownAddOn, type ShownMoney } from '../../tenancy/traces/shownFields.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

type SubscriptionRow = Row<'subscriptions'>;

/** A state of a subscription, and when it began. */
export interface SubscriptionState {
  at: string;
  subscription: SubscriptionRow;
}

/** The fields of a traced subscription from which its row is restored. */
interface ShownSubscription extends Partial<SubscriptionRow> {
  price: ShownMoney;
  recurring: Pick<SubscriptionRow, 'frequency' | 'period'>;
}

const rowsPerPage = 1000;

/** Iterates over the rows of a table in the order of their ids, a page at a time. */
export async function* readRows<Name extends TenantTable>(
  unit: UnitOfWork,
  name: Name,
): AsyncGenerator<Row<Name>> {
  const orderBy = ['id'] as unknown as (keyof Row<Name> & string)[];
  for (let past: string[] | undefined; ;) {
    const page = await unit.many(name, { where: {}, orderBy, past, limit: rowsPerPage });
    yield* page;
    if (page.length < rowsPerPage) return;
    past = [(page.at(-1) as unknown as { id: string }).id];
  }
}

/** Reads all states of a tenant's subscriptions in the order of their traces, and last the present ones. */
export async function readStates(unit: UnitOfWork): Promise<SubscriptionState[]> {
  const rows = new Map<string, SubscriptionRow>();
  for await (const row of readRows(unit, 'subscriptions')) rows.set(row.id, row);
  const states: SubscriptionState[] = [];
  for (let past: string[] | undefined; ;) {
    const page = await unit.many('traces', {
      where: { activityType: 'SubscriptionEvent' },
      orderBy: ['createdAt', 'eventId'],
      past,
      limit: rowsPerPage,
    });
    for (const trace of page) {
      const state = restoreState(trace, rows);
      if (state) states.push(state);
    }
    if (page.length < rowsPerPage) break;
    const { createdAt, eventId } = page.at(-1)!;
    past = [createdAt, eventId];
  }
  // The present state counts, if it differs from what the last trace shows.
  for (const subscription of rows.values()) states.push({ at: unit.now, subscription });
  return states;
}

function restoreState(
  { payload, createdAt }: Row<'traces'>,
  rows: Map<string, SubscriptionRow>,
): SubscriptionState | undefined {
  const { action, resourceId, object } = payload as { action: string; resourceId: string; object: object };
  const row = rows.get(resourceId);
  const shown = object as ShownSubscription;
  // A trace of an erased record shows no price.
  if (!row || typeof shown.price?.amount !== 'number') return undefined;
  const { price, recurring } = shown;
  const subscription: SubscriptionRow = {
    ...row,
    amountMinor: toMinor(price.amount, price.currency, 'price'),
    currency: price.currency,
    frequency: recurring.frequency,
    period: recurring.period,
    productId: shown.productId ?? row.productId,
    addOns: shown.addOns ? restoreAddOns(shown.addOns as unknown as ShownAddOn[]) : null,
    currentPeriodEnd: shown.currentPeriodEnd ?? null,
    billedCount: shown.billedCount ?? 0,
    trialEndsAt: shown.trialEndsAt ?? null,
    pausedAt: shown.pausedAt ?? null,
    pastDueSince: shown.pastDueSince ?? null,
    cancelAt: shown.cancelAt ?? null,
    cancelAtPeriodEnd: shown.cancelAtPeriodEnd ?? false,
    cancelledAt: shown.cancelledAt ?? null,
    mrr: null,
  };
  const at = action === 'imported' && row.startsAt < createdAt ? row.startsAt : createdAt;
  return { at, subscription };
}

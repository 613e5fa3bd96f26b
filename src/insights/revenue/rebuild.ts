/** Movements and sums of revenue, written anew from the history, for tenants of releases that did not record them. */
import { readTaxBook, type TaxBook } from '../../billing/tax/taxBook.ts';
import { listProductIds } from '../../billing/pricing/invoiceLines.ts';
import type { GivenDiscount } from '../../billing/pricing/discounts.ts';
import {
  computeMovements,
  isSameMrr,
  sumCustomerMrr,
  type MrrChange,
} from '../../billing/pricing/mrrMovements.ts';
import type { RecordedMrr } from '../../storage/model/revenue.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { readRows, readStates, type SubscriptionState } from './history.ts';
import { buildMrr, includesTax, splitByCurrency } from './recordMovements.ts';
import { rebuildSums } from './rebuildSums.ts';

type SubscriptionRow = Row<'subscriptions'>;

/**
 * Writes the movements and sums of a tenant anew, in one unit of work, from the traces of its subscriptions and the
 * records of its discounts, invoices and payments. From then on each unit writes its own. Known limits: discounts count
 * with their present coupon, prices that contain tax with the present rate, and a payment that was pending counts when it
 * was started.
 */
export const rebuildRevenue = (tenant: SteppedTenant): Promise<void> =>
  tenant.writeStep(async (unit) => {
    await unit.removeUntraced('mrrMovements', {});
    await unit.removeUntraced('revenueSums', {});
    const states = await readStates(unit);
    const given = await readDiscounts(unit);
    for (const own of groupByCustomer(states).values()) await rebuildCustomer(unit, own, given);
    await rebuildSums(unit, states);
    await unit.change('tenants', unit.tenant, { revenueSince: unit.now });
  });

function groupByCustomer(states: SubscriptionState[]): Map<string, SubscriptionState[]> {
  const groups = new Map<string, SubscriptionState[]>();
  for (const state of states) {
    const { customerId } = state.subscription;
    const group = groups.get(customerId);
    if (group) group.push(state);
    else groups.set(customerId, [state]);
  }
  return groups;
}

/** Reads the lasting discounts of a tenant, also those that were removed, by customer. */
async function readDiscounts(unit: UnitOfWork): Promise<Map<string, GivenDiscount[]>> {
  const given = new Map<string, GivenDiscount[]>();
  if (unit.tenant.discountsSince === null) return given;
  const coupons = new Map<string, Row<'coupons'>>();
  for await (const coupon of readRows(unit, 'coupons')) coupons.set(coupon.id, coupon);
  for await (const discount of readRows(unit, 'discounts')) {
    const coupon = coupons.get(discount.couponId)!;
    if (coupon.duration !== 'forever') continue;
    given.set(discount.customerId, [...(given.get(discount.customerId) ?? []), { discount, coupon }]);
  }
  return given;
}

/** Writes the movements of one customer from the states of the subscriptions, and records their present MRR. */
async function rebuildCustomer(
  unit: UnitOfWork,
  states: SubscriptionState[],
  givenByCustomer: Map<string, GivenDiscount[]>,
): Promise<void> {
  const { customerId } = states[0]!.subscription;
  const given = givenByCustomer.get(customerId) ?? [];
  const subscriptions = states.map(({ subscription }) => subscription);
  const taxes = subscriptions.some(includesTax)
    ? await readTaxBook(unit, unit.tenant, [customerId], subscriptions.flatMap(listProductIds))
    : undefined;
  const recorded = new Map<string, RecordedMrr | null>();
  const customers = new Map<string, ReturnType<typeof sumCustomerMrr>>();
  for (const change of listChanges(states, given, taxes)) {
    for (const { currency, subscriptionId, ...part } of splitByCurrency(change)) {
      const customer = customers.get(currency) ?? sumCustomerMrr([], []);
      customers.set(currency, customer);
      for (const movement of computeMovements(customer, part)) {
        const ids = { id: unit.id('mrr'), customerId, subscriptionId, currency };
        await unit.insertUntraced('mrrMovements', { ...ids, ...movement });
      }
    }
    recorded.set(change.subscriptionId, change.after);
  }
  for (const [id, mrr] of recorded) {
    const row = subscriptions.findLast((each) => each.id === id)!;
    if (!isSameMrr(row.mrr, mrr)) await unit.change('subscriptions', row, { mrr });
  }
}

/** Lists the changes of the MRR of a customer's subscriptions, in the order of time. */
function listChanges(
  states: SubscriptionState[],
  given: GivenDiscount[],
  taxes: TaxBook | undefined,
): (MrrChange & { subscriptionId: string })[] {
  const present = new Map<string, SubscriptionRow>();
  const recorded = new Map<string, RecordedMrr | null>();
  const changes: (MrrChange & { subscriptionId: string })[] = [];
  const compare = (subscription: SubscriptionRow, at: string) => {
    const inForce = given.filter(({ discount }) => isInForceAt(discount, at)).map(asGiven);
    const after = buildMrr(subscription, inForce, taxes, at);
    const before = recorded.get(subscription.id) ?? null;
    if (isSameMrr(before, after)) return;
    recorded.set(subscription.id, after);
    changes.push({ at, before, after, subscriptionId: subscription.id });
  };
  const discountSteps = given.flatMap(({ discount }) =>
    [discount.createdAt, discount.removedAt].flatMap((at) =>
      at === null ? [] : { at, subscription: undefined },
    ),
  );
  const steps = [...states, ...discountSteps].toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
  for (const { at, subscription } of steps) {
    if (subscription) {
      present.set(subscription.id, subscription);
      compare(subscription, at);
    } else for (const each of present.values()) compare(each, at);
  }
  return changes;
}

const isInForceAt = ({ createdAt, removedAt }: Row<'discounts'>, at: string): boolean =>
  createdAt <= at && (removedAt === null || at < removedAt);

/** A discount as it was before its removal. */
const asGiven = ({ discount, coupon }: GivenDiscount): GivenDiscount => ({
  coupon,
  discount: { ...discount, removedAt: null },
});

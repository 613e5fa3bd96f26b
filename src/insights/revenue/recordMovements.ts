import { listGivenDiscounts } from '../../billing/discounts/use.ts';
import { readTaxBook, resolveTax, type TaxBook } from '../../billing/tax/taxBook.ts';
import { selectDiscounts, type GivenDiscount } from '../../billing/pricing/discounts.ts';
import { listProductIds } from '../../billing/pricing/invoiceLines.ts';
import { computeMrr, findMrrState } from '../../billing/pricing/mrr.ts';
import {
  computeMovements,
  isSameMrr,
  sumCustomerMrr,
  type CustomerMrr,
  type MrrChange,
} from '../../billing/pricing/mrrMovements.ts';
import type { RecordedMrr } from '../../storage/model/revenue.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { ChangedRecord } from '../../tenancy/changedRecords.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

type SubscriptionRow = Row<'subscriptions'>;
type ChangedSubscription = ChangedRecord<'subscriptions'>;

/** The columns from which MRR is computed. A renewal changes none of them. */
const mrrColumns = [
  'amountMinor',
  'addOns',
  'currency',
  'frequency',
  'period',
  'productId',
  'taxBehavior',
  'cancelledAt',
  'pausedAt',
  'pastDueSince',
  'cancelAtPeriodEnd',
  'cancelAt',
  'trialEndsAt',
] as const satisfies (keyof SubscriptionRow)[];

/** Whether a change of a subscription can move its MRR. */
function mayMove({ before, after }: ChangedSubscription): boolean {
  if (!before) return after.currentPeriodEnd !== null;
  if ((before.currentPeriodEnd === null) !== (after.currentPeriodEnd === null)) return true;
  if (after.trialEndsAt !== null && before.billedCount !== after.billedCount) return true;
  return mrrColumns.some((column) => before[column] !== after[column]);
}

/** Whether a discount begins or ends; its use by an invoice moves nothing. */
const beginsOrEnds = ({ before, after }: ChangedRecord<'discounts'>): boolean =>
  before === undefined || before.removedAt !== after.removedAt;

/**
 * Writes the movements of recurring revenue that follow from the changes of a unit of work, within it, and what was
 * recorded on each subscription. Returns undefined if there are none: then nothing is read.
 */
export function recordMovements(unit: UnitOfWork): Promise<void> | undefined {
  const moved = unit.changed.list('subscriptions').filter(mayMove);
  const discounts = unit.changed.list('discounts').filter(beginsOrEnds);
  if (moved.length === 0 && discounts.length === 0) return undefined;
  return recordEach(
    unit,
    moved,
    discounts.map(({ after }) => after),
  );
}

async function recordEach(
  unit: UnitOfWork,
  moved: ChangedSubscription[],
  discounts: Row<'discounts'>[],
): Promise<void> {
  const discounted = new Set(discounts.map(({ customerId }) => customerId));
  const customerIds = new Set([...moved.map(({ after }) => after.customerId), ...discounted]);
  for (const customerId of customerIds) {
    const own = moved.filter(({ after }) => after.customerId === customerId);
    await recordCustomer(unit, customerId, own, discounted.has(customerId));
  }
}

/** Records the movements of one customer; of all subscriptions if a discount of the customer has begun or ended. */
async function recordCustomer(
  unit: UnitOfWork,
  customerId: string,
  moved: ChangedSubscription[],
  hasNewDiscounts: boolean,
): Promise<void> {
  const running = await unit.many('subscriptions', {
    where: { customerId, cancelledAt: null },
    orderBy: ['createdAt', 'id'],
  });
  const ended = moved.flatMap(({ after }) => (after.cancelledAt === null ? [] : [after]));
  const all = [...running, ...ended];
  const movedIds = new Set(moved.map(({ after }) => after.id));
  const touched = hasNewDiscounts ? all : all.filter(({ id }) => movedIds.has(id));
  const compute = await prepareMrr(unit, customerId, touched, hasNewDiscounts);
  const changes = touched.flatMap((subscription) => {
    const after = compute(subscription);
    const at = findInstant(unit, subscription, moved);
    return isSameMrr(subscription.mrr, after) ? [] : [{ subscription, at, before: subscription.mrr, after }];
  });
  if (changes.length === 0) return;
  const recorded = all.map(({ mrr }) => mrr);
  const currencies = new Map<string, CustomerMrr>();
  for (const change of orderChanges(changes)) {
    for (const part of splitByCurrency(change)) {
      const { currency, subscription } = part;
      const customer = currencies.get(currency) ?? (await readCustomer(unit, customerId, currency, recorded));
      currencies.set(currency, customer);
      for (const movement of computeMovements(customer, part)) {
        const { id: subscriptionId } = subscription;
        const ids = { id: unit.id('mrr'), customerId, subscriptionId, currency };
        await unit.insertUntraced('mrrMovements', { ...ids, ...movement });
      }
    }
    const result = moved.find(({ after }) => after.id === change.subscription.id)?.after;
    await unit.change('subscriptions', change.subscription, { mrr: change.after });
    // The mutation returns the row that its rule has made, before this change.
    if (result) result.mrr = change.after;
  }
}

/** Returns the function that computes the present MRR of a customer's subscriptions. */
async function prepareMrr(
  unit: UnitOfWork,
  customerId: string,
  subscriptions: SubscriptionRow[],
  hasNewDiscounts: boolean,
): Promise<(subscription: SubscriptionRow) => RecordedMrr | null> {
  // The tenant's record in this unit is older than a coupon that the unit has created.
  const tenant = hasNewDiscounts ? { discountsSince: unit.now } : unit.tenant;
  const given = await listGivenDiscounts(unit, tenant, customerId);
  const taxes = subscriptions.some(includesTax)
    ? await readTaxBook(unit, unit.tenant, [customerId], subscriptions.flatMap(listProductIds))
    : undefined;
  return (subscription) => buildMrr(subscription, given, taxes, unit.now);
}

/** Whether a price of a subscription contains the tax. */
export const includesTax = ({ taxBehavior, addOns }: SubscriptionRow): boolean =>
  taxBehavior === 'inclusive' || (addOns ?? []).some((addOn) => addOn.taxBehavior === 'inclusive');

/** Computes what is recorded of a subscription; null if it has ended or has not begun. */
export function buildMrr(
  subscription: SubscriptionRow,
  given: GivenDiscount[],
  taxes: TaxBook | undefined,
  at: string,
): RecordedMrr | null {
  const state = findMrrState(subscription);
  if (state === null) return null;
  const { id: subscriptionId, currency, customerId } = subscription;
  // A discount that ends by itself hides no other: the definition does not depend on the time.
  const lasting = given.filter(({ coupon }) => coupon.duration === 'forever');
  const terms = selectDiscounts(lasting, { subscriptionId, currency, at });
  const tax = includesTax(subscription)
    ? resolveTax(taxes, { customerId, productIds: listProductIds(subscription), currency, at })
    : undefined;
  const { listMinor, netMinor } = computeMrr(subscription, terms, tax);
  return { currency, list: String(listMinor), net: String(netMinor), ...state };
}

/** Returns when a change took effect: an imported subscription began before its import. */
function findInstant(unit: UnitOfWork, { id }: SubscriptionRow, moved: ChangedSubscription[]): string {
  const change = moved.find(({ after }) => after.id === id);
  const isImported = change?.createdBy === 'imported' && change.after.startsAt < unit.now;
  return isImported ? change.after.startsAt : unit.now;
}

type RecordedChange = MrrChange & { subscription: SubscriptionRow };

const toNumber = (mrr: RecordedMrr | null): bigint => BigInt(mrr?.net ?? 0);

/**
 * Orders changes by time, increases first: a customer who changes from one subscription to another in one unit never
 * churns.
 */
const orderChanges = (changes: RecordedChange[]): RecordedChange[] =>
  changes.toSorted((a, b) => {
    if (a.at !== b.at) return a.at < b.at ? -1 : 1;
    const [growthA, growthB] = [a, b].map(({ before, after }) => toNumber(after) - toNumber(before));
    return growthA === growthB ? 0 : growthA! > growthB! ? -1 : 1;
  });

/** Splits a change into its currencies: a subscription that changes its currency ends in one and begins in another. */
export function splitByCurrency<Change extends MrrChange>(change: Change): (Change & { currency: string })[] {
  const { before, after } = change;
  if (!before || !after || before.currency === after.currency)
    return [{ ...change, currency: (before ?? after)!.currency }];
  return [
    { ...change, after: null, currency: before.currency },
    { ...change, before: null, currency: after.currency },
  ];
}

/** Reads the MRR of a customer in a currency as it was before the unit. */
async function readCustomer(
  unit: UnitOfWork,
  customerId: string,
  currency: string,
  recorded: (RecordedMrr | null)[],
): Promise<CustomerMrr> {
  const first = await unit.many('mrrMovements', { where: { customerId, currency, kind: 'new' } });
  return sumCustomerMrr(
    recorded.filter((mrr) => mrr?.currency === currency),
    first,
  );
}

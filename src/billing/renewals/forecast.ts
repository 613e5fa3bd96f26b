import { refuse } from '../../lib/errors.ts';
import { parseInstant } from '../../lib/time.ts';
import type { TaxTotal } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { collectBetweenRequests } from '../../runtime/collect.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listGivenDiscounts } from '../discounts/use.ts';
import { listAvailableCredits } from '../invoices/credits.ts';
import { readTaxBook, resolveTax, type TaxBook } from '../tax/taxBook.ts';
import {
  findEndedSubscriptions,
  isBilledWith,
  listWaitingItems,
  toItemLine,
  type InvoiceItemRow,
} from '../invoices/invoiceItems.ts';
import { deductFromCredits, sumUsable, type CreditLeft } from '../pricing/credits.ts';
import { selectDiscounts, spendDiscounts, type GivenDiscount } from '../pricing/discounts.ts';
import {
  computeItemInvoice,
  computeNextInvoice,
  type AppliedBalance,
  type Billable,
} from '../pricing/nextInvoice.ts';
import { summarizeTaxes } from '../pricing/tax.ts';
import { isBeforeFirstPeriod } from '../pricing/trials.ts';
import { findUnbilledSetupFee } from '../invoices/paidFees.ts';
import { awaitsFirstInvoice } from '../pricing/trials.ts';
import { listProductIds, type Agreement, type Line } from '../pricing/invoiceLines.ts';

/** An expected charge, if every earlier charge is paid. */
export interface ForecastCharge {
  subscriptionId: string;
  date: string;
  currency: string;
  totalMinor: bigint;
  /** The lines; empty for an invoice that is already open. */
  lines: Line[];
  taxes: TaxTotal[] | null;
}

/** The tenant of a forecast, and how its records are read. */
export type ForecastScope = Pick<TenantScope, 'now'> & {
  read: Reads;
  record: Pick<Row<'tenants'>, 'seller' | 'timezone' | 'vatIdCheck' | 'discountsSince'>;
};

const mostCharges = 1000;

interface Walk extends Billable {
  subscriptionId: string;
  customerId: string;
  /** The earliest date of the next charge: charges already due come first. */
  earliest: string;
  next?: Agreement;
  ends: boolean;
  /** The set-up fee of the next invoice. */
  setupFeeMinor: bigint | null;
  /** Whether the subscription is not billed at the end of its trial, because it has no payment method. */
  lacksMethod: boolean;
}

/**
 * Forecasts the charges of a subscription up to an instant, with the function that bills it. Errors:
 * `subscription_not_found`, `validation_failed` (also for more than 1000 charges).
 */
export async function forecastSubscription(
  tenant: ForecastScope,
  id: string,
  until: string,
): Promise<ForecastCharge[]> {
  const end = parseInstant(until, tenant.record.timezone, 'until');
  const subscription = (await tenant.read.one('subscriptions', { id })) ?? refuse('subscription_not_found');
  // Subscriptions of a customer share a balance, so the charge of one depends on the others.
  const siblings = await tenant.read.many('subscriptions', {
    where: { customerId: subscription.customerId, cancelledAt: null },
    orderBy: ['id'],
  });
  const charges = await forecastCustomer(tenant, siblings, end);
  return charges.filter(({ subscriptionId }) => subscriptionId === id);
}

/** A customer's credits, waiting items and discounts, which a forecast uses up, and taxes. */
export interface Funds {
  /** By currency code, in the order of their use. */
  credits: Map<string, CreditLeft[]>;
  items: InvoiceItemRow[];
  /** The ended subscriptions for which items wait. */
  ended: ReadonlySet<string>;
  discounts: GivenDiscount[];
  taxes: TaxBook | undefined;
}

/**
 * Forecasts the charges of a customer's subscriptions up to an instant, in order. Other requests run meanwhile. `known`
 * has the customer's credits, waiting items and discounts, if they were read before. Error: `validation_failed` for more
 * than 1000 charges.
 */
export const forecastCustomer = (
  tenant: ForecastScope,
  subscriptions: Row<'subscriptions'>[],
  end: string,
  known?: Funds,
): Promise<ForecastCharge[]> => collectBetweenRequests(walkCharges(tenant, subscriptions, end, known));

/** Iterates over the charges; yields undefined for a subscription without an open invoice. */
async function* walkCharges(
  tenant: ForecastScope,
  subscriptions: Row<'subscriptions'>[],
  end: string,
  known?: Funds,
): AsyncGenerator<ForecastCharge | undefined> {
  const { read } = tenant;
  const now = tenant.now();
  const walks: Walk[] = [];
  let charges = 0;
  for (const subscription of subscriptions) {
    const { walk, owed } = await beginWalk(read, subscription, now);
    const charge = owed && owed.date <= end ? owed : undefined;
    if (charge) charges += 1;
    if (walk) walks.push(walk);
    yield charge;
  }
  const customerId = subscriptions[0]?.customerId ?? '';
  const funds = known ?? (await readFunds(tenant, customerId, walks));
  const findCredits = async (currency: string) =>
    known ? [] : listAvailableCredits(read, customerId, currency);
  for (;;) {
    const walk = findEarliest(walks.filter((each) => continues(each, funds) && getNextDate(each) <= end));
    if (!walk) return;
    if (charges === mostCharges) {
      refuse('validation_failed', { path: 'until', message: `must bring at most ${mostCharges} charges` });
    }
    const [final] = hasEnded(walk) ? listFinalItems(walk, funds.items) : [];
    const { currency } = final ?? walk.next ?? walk;
    if (!funds.credits.has(currency)) funds.credits.set(currency, await findCredits(currency));
    const { timezone } = tenant.record;
    const charge = final
      ? forecastFinalCharge(walk, funds, currency, timezone)
      : forecastNextCharge(walk, funds, timezone);
    if (charge) charges += 1;
    yield charge;
  }
}

async function beginWalk(
  reads: Reads,
  subscription: Row<'subscriptions'>,
  now: string,
): Promise<{ walk?: Walk; owed?: ForecastCharge }> {
  const { id, dueAt, nextBillingDate, cancelAtPeriodEnd, nextIntentId, openInvoiceId } = subscription;
  if (dueAt === null || nextBillingDate === null) return {};
  // Without another payment method nothing is charged any more.
  if (subscription.retriesStoppedReason !== null) return {};
  const earliest = dueAt > now ? dueAt : now;
  const open = openInvoiceId ? await reads.one('invoices', { id: openInvoiceId }) : undefined;
  const next = nextIntentId ? await reads.one('intents', { id: nextIntentId }) : undefined;
  const owed: ForecastCharge | undefined = open && {
    subscriptionId: id,
    date: earliest,
    currency: open.currency,
    totalMinor: open.totalMinor,
    lines: [],
    taxes: open.taxes,
  };
  const walk: Walk = {
    ...subscription,
    subscriptionId: id,
    nextBillingDate: open?.cycleEnd ?? nextBillingDate,
    earliest,
    next,
    ends: cancelAtPeriodEnd,
    setupFeeMinor: awaitsFirstInvoice(subscription) ? await findUnbilledSetupFee(reads, subscription) : null,
    lacksMethod: isBeforeFirstPeriod(subscription) && subscription.paymentMethodId === null,
  };
  return { walk, owed };
}

const hasEnded = ({ ends, cancelAt, nextBillingDate }: Walk) =>
  ends || (cancelAt != null && nextBillingDate >= cancelAt);

/** Lists the items that the final invoice of a walk bills. One without a payment method may be paused instead of ending. */
const listFinalItems = (walk: Walk, items: InvoiceItemRow[]): InvoiceItemRow[] =>
  walk.lacksMethod ? [] : items.filter(({ subscriptionId }) => subscriptionId === walk.subscriptionId);

/** Whether a walk has a further charge. */
const continues = (walk: Walk, { items }: Funds): boolean =>
  !hasEnded(walk) || listFinalItems(walk, items).length > 0;

const getNextDate = ({ nextBillingDate, earliest }: Walk) =>
  nextBillingDate > earliest ? nextBillingDate : earliest;

function findEarliest(walks: Walk[]): Walk | undefined {
  return walks.reduce<Walk | undefined>(
    (first, walk) => (first === undefined || getNextDate(walk) < getNextDate(first) ? walk : first),
    undefined,
  );
}

async function readFunds({ read, record }: ForecastScope, customerId: string, walks: Walk[]): Promise<Funds> {
  const items = await listWaitingItems(read, customerId);
  return {
    taxes: await readTaxBook(read, record, [customerId], listAgreements(walks).flatMap(listProductIds)),
    credits: new Map(),
    items,
    ended: await findEndedSubscriptions(read, items),
    discounts: await listGivenDiscounts(read, record, customerId),
  };
}

/** Lists the agreements that walks bill: those in force, and those of scheduled changes. */
const listAgreements = (walks: Walk[]): Agreement[] =>
  walks.flatMap(({ next, ...walk }) => (next ? [walk, next] : [walk]));

/**
 * Returns the next charge of a walk, advances the walk past it, and uses up the balance, the items and the discounts. A
 * walk ends without a charge if a trial has no payment method.
 */
function forecastNextCharge(walk: Walk, funds: Funds, timeZone: string): ForecastCharge | undefined {
  const { subscriptionId, customerId, nextBillingDate: at } = walk;
  const agreement = walk.next ?? walk;
  const { currency } = agreement;
  const date = getNextDate(walk);
  const credits = funds.credits.get(currency)!;
  const items = funds.items.filter((item) => isBilledWith(item, subscriptionId, currency, funds.ended));
  const extras = {
    balanceMinor: sumUsable(credits, date),
    items: items.map(toItemLine),
    discounts: selectDiscounts(funds.discounts, { subscriptionId, currency, at }),
    setupFeeMinor: walk.setupFeeMinor,
    tax: resolveTax(funds.taxes, customerId, listProductIds(agreement), at),
  };
  const cycle = computeNextInvoice(walk, walk.next, extras, timeZone);
  if (walk.lacksMethod && cycle.totalMinor > 0n) {
    walk.ends = true;
    return undefined;
  }
  funds.discounts = spendDiscounts(funds.discounts, cycle.lines, at, timeZone);
  spendFunds(funds, cycle, currency, items, date);
  Object.assign(walk, cycle.agreement, {
    addOns: cycle.addOns,
    anchor: cycle.anchor,
    nextBillingDate: cycle.period.end,
    next: undefined,
    setupFeeMinor: null,
    lacksMethod: false,
  });
  return toCharge(subscriptionId, date, currency, cycle);
}

/** Returns the final invoice of a walk in a currency, and uses up the balance, the items and the discounts. */
function forecastFinalCharge(walk: Walk, funds: Funds, currency: string, timeZone: string): ForecastCharge {
  const { subscriptionId, customerId } = walk;
  const date = getNextDate(walk);
  const items = listFinalItems(walk, funds.items).filter((item) => item.currency === currency);
  const bill = computeItemInvoice(items.map(toItemLine), {
    balanceMinor: sumUsable(funds.credits.get(currency)!, date),
    discounts: selectDiscounts(funds.discounts, { subscriptionId, currency, at: date }),
    tax: resolveTax(funds.taxes, customerId, listProductIds(walk), date) ?? null,
  });
  funds.discounts = spendDiscounts(funds.discounts, bill.lines, date, timeZone);
  spendFunds(funds, bill, currency, items, date);
  return toCharge(subscriptionId, date, currency, bill);
}

/** Uses up the balance and the items of a bill. */
function spendFunds(
  funds: Funds,
  { balanceMinor, surplusMinor }: AppliedBalance,
  currency: string,
  items: InvoiceItemRow[],
  date: string,
): void {
  const left = deductFromCredits(funds.credits.get(currency)!, balanceMinor, date);
  const added = surplusMinor > 0n ? [{ remainingMinor: surplusMinor, expiresAt: null }] : [];
  funds.credits.set(currency, [...left, ...added]);
  funds.items = funds.items.filter((item) => !items.includes(item));
}

const toCharge = (
  subscriptionId: string,
  date: string,
  currency: string,
  { totalMinor, lines }: AppliedBalance,
): ForecastCharge => ({
  subscriptionId,
  date,
  currency,
  totalMinor,
  lines,
  taxes: summarizeTaxes(lines),
});

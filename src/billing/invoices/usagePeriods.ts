/**
 * The periods for which a subscription pays for usage. A price of usage is in one period after another, from its beginning to
 * its end. A period stays open for late events after it was billed.
 */
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { completeRow } from '../../storage/query/tableMeta.ts';
import type { Reads } from '../../storage/store.ts';
import type { UsageCharge } from '../../storage/model/usage.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { listItems, type Agreement, type Line } from '../pricing/invoiceLines.ts';
import type { BilledPeriod, UsagePeriod } from '../pricing/usageLines.ts';
import { usageSpanMs } from '../usage/quarters.ts';
import { requestLimitCheck } from '../usage/usageChecks.ts';
import { endWindows, recordWindows, releaseWindows, type BilledWindow } from './commitmentWindows.ts';

/** Terms with the id of their main price. */
type PricedAgreement = Agreement & { priceId: string };

/** Terms that begin at an instant. */
export interface BegunTerms {
  terms: PricedAgreement;
  at: string;
  /** The anchor of the billing cycles from then on. */
  anchor: string;
  /** Whether a billing period begins then; otherwise the prices that stay go on with theirs. */
  isNewPeriod: boolean;
}

/** The subscription whose periods they are. A preview of a new one has no ids. */
type Owner = Pick<Row<'subscriptions'>, 'tenantAlias' | 'id' | 'customerId'>;

/** Reads the open periods of subscriptions, oldest first. */
export const readOpenPeriods = async (reads: Reads, subscriptionIds: string[]): Promise<UsagePeriod[]> =>
  reads.many('usagePeriods', { where: { openFor: subscriptionIds }, orderBy: ['id'] });

/**
 * Returns the periods of a subscription after its terms have changed: those of prices that end, and new ones, which have no id
 * yet. Changes and their previews call this function.
 */
export function planPeriods(periods: readonly UsagePeriod[], owner: Owner, begun: BegunTerms): UsagePeriod[] {
  const { terms, at, isNewPeriod } = begun;
  const wanted = listUsageItems(terms);
  const goesOn = (row: UsagePeriod) => row.endsAt === null && !(isNewPeriod && row.startsAt < at);
  const kept = new Set(periods.filter((row) => goesOn(row) && wanted.some((item) => isOfItem(row, item))));
  const planned = periods.map((row) =>
    row.endsAt !== null || kept.has(row) ? row : { ...row, endsAt: row.startsAt > at ? row.startsAt : at },
  );
  const added = wanted.filter((item) => ![...kept].some((row) => isOfItem(row, item)));
  return [...planned, ...added.map((item) => buildPeriod(item, owner, begun))];
}

type UsageItem = ReturnType<typeof listUsageItems>[number];

const listUsageItems = (terms: PricedAgreement) =>
  listItems(terms).flatMap((item) => {
    const { pricing, addOnPriceId } = item;
    if (!pricing?.usage) return [];
    return [
      { ...item, pricing, priceId: addOnPriceId ?? terms.priceId, isAddOn: addOnPriceId !== undefined },
    ];
  });

const isOfItem = (row: UsagePeriod, item: UsageItem): boolean =>
  row.priceId === item.priceId &&
  row.isAddOn === item.isAddOn &&
  JSON.stringify(row.pricing) === JSON.stringify(item.pricing);

function buildPeriod(item: UsageItem, owner: Owner, { at, anchor }: BegunTerms): UsagePeriod {
  const { priceId, isAddOn, productId, productName, currency, frequency, period, pricing } = item;
  return completeRow(
    'usagePeriods',
    {
      id: '',
      customerId: owner.customerId,
      subscriptionId: owner.id,
      openFor: owner.id,
      meterId: pricing.usage.meterId,
      priceId,
      isAddOn,
      productId,
      productName,
      currency,
      frequency,
      period,
      anchor,
      pricing,
      taxBehavior: item.taxBehavior === 'inclusive' ? item.taxBehavior : null,
      startsAt: at,
      charges: [],
      createdAt: at,
    },
    owner.tenantAlias,
  );
}

/** Begins terms of a subscription: ends the periods of prices that end, and begins those of new ones. */
export async function beginUsageTerms(
  unit: UnitOfWork,
  subscription: Row<'subscriptions'>,
  begun: BegunTerms,
  periods?: readonly UsagePeriod[],
): Promise<void> {
  if (subscription.usageSince === null) return;
  if (subscription.spendAlerts !== null) await requestLimitCheck(unit, subscription.customerId);
  const before = periods ?? (await readOpenPeriods(unit, [subscription.id]));
  const known = new Set(before);
  for (const row of planPeriods(before, subscription, begun)) {
    if (known.has(row)) continue;
    if (row.id === '')
      await unit.insertUntraced('usagePeriods', { ...row, id: unit.id('usp'), createdAt: unit.now });
    else {
      // A period within the trial is free.
      const isFree = subscription.trialEndsAt !== null && row.endsAt! <= subscription.trialEndsAt;
      const openFor = isFree ? null : row.openFor;
      await unit.updateUntraced('usagePeriods', { id: row.id }, { endsAt: row.endsAt, openFor });
    }
  }
}

/** The usage that a bill charges. */
export interface UsageBill {
  lines: Line[];
  periods: BilledPeriod[];
  /** The open periods, of which the bill charges some. */
  open: readonly UsagePeriod[];
  /** The windows of commitments. */
  windows: BilledWindow[];
}

/**
 * Records what an invoice charges for periods, and returns the open periods after that. One that is billed for the first time is
 * recorded also if it costs nothing, and one that no event can reach any more is closed.
 */
export async function recordUsageCharges(
  unit: UnitOfWork,
  { periods, open, windows }: UsageBill,
  invoiceId: string,
): Promise<UsagePeriod[]> {
  const recorded = new Map<UsagePeriod, UsagePeriod>();
  await recordWindows(unit, windows, invoiceId);
  for (const { row, until, amountMinor, coveredMinor, quantity, isInterim } of periods) {
    const isOver = !isInterim && addMs(until, usageSpanMs) <= unit.now;
    const isFirst = !isInterim && row.charges.every((charge) => charge.isInterim);
    const isCharged = amountMinor > 0n || coveredMinor > 0n || isFirst;
    const charge: UsageCharge = {
      invoiceId,
      amountMinor: String(amountMinor),
      quantity,
      ...(coveredMinor > 0n && { coveredMinor: String(coveredMinor) }),
      ...(isInterim && { isInterim }),
    };
    const changes = {
      endsAt: isInterim ? row.endsAt : (row.endsAt ?? until),
      openFor: isOver ? null : row.openFor,
      charges: isCharged ? [...row.charges, charge] : row.charges,
    };
    recorded.set(row, { ...row, ...changes });
    if (isCharged || isOver || (row.endsAt === null && !isInterim))
      await unit.updateUntraced('usagePeriods', { id: row.id }, changes);
  }
  return open.map((row) => recorded.get(row) ?? row);
}

/** Ends the periods of a subscription that has ended: what comes later is not billed. */
export async function endUsage(
  unit: UnitOfWork,
  { id, usageSince }: Pick<Row<'subscriptions'>, 'id' | 'usageSince'>,
  at: string,
): Promise<void> {
  if (usageSince === null) return;
  await endWindows(unit, id, at);
  for (const row of await readOpenPeriods(unit, [id]))
    await unit.updateUntraced('usagePeriods', { id: row.id }, { endsAt: row.endsAt ?? at, openFor: null });
}

/** Lets the usage that an invoice has charged be billed again, because it is closed without payment. */
export async function releaseUsage(
  unit: UnitOfWork,
  { id: invoiceId, subscriptionId }: Pick<Row<'invoices'>, 'id' | 'subscriptionId'>,
): Promise<void> {
  if (subscriptionId === null) return;
  const periods = await readBilledPeriods(unit, invoiceId);
  if (periods.length === 0) return;
  const { cancelledAt } = (await unit.one('subscriptions', { id: subscriptionId }))!;
  const isOpen = cancelledAt === null;
  await releaseWindows(unit, { invoiceId, subscriptionId }, isOpen);
  for (const row of periods) {
    const charges = row.charges.filter((charge) => charge.invoiceId !== invoiceId);
    const openFor = isOpen || row.openFor !== null ? row.subscriptionId : null;
    await unit.updateUntraced('usagePeriods', { id: row.id }, { charges, openFor });
  }
}

/** Reads the periods of which an invoice has lines. */
export async function readBilledPeriods(reads: Reads, invoiceId: string): Promise<UsagePeriod[]> {
  const lines = await reads.many('invoiceLines', { where: { invoiceId, kind: 'USAGE' } });
  const id = lines.flatMap(({ explanation }) => (explanation['usagePeriodId'] as string | undefined) ?? []);
  if (id.length === 0) return [];
  return reads.many('usagePeriods', { where: { id: [...new Set(id)] }, orderBy: ['id'] });
}

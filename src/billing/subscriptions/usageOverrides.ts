/** A customer's own terms of a price of usage: for the items of a subscription, or for all that the customer has of a price. */
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { parseInstant } from '../../lib/time.ts';
import { isGiven } from '../../lib/validation.ts';
import type { UsagePricing } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findPrice } from '../catalog/prices.ts';
import { overrideTerms } from '../catalog/usageOverrides.ts';
import { checkMeter } from '../catalog/usagePrices.ts';
import { findCustomer } from '../customers/customers.ts';
import { listItems } from '../pricing/invoiceLines.ts';
import { requestChecksOf } from '../usage/usageChecks.ts';
import { findSubscription, type SubscriptionRow } from './subscriptions.ts';

export type OverrideRow = Row<'usagePriceOverrides'>;

/** For whom and from when terms hold; the other fields are the terms. */
interface OverrideInput {
  customerId?: string | null;
  subscriptionId?: string | null;
  priceId: string;
  startsAt?: string | null;
}

const mostOverrides = 100;

/** Whose terms an override replaces, and the terms. */
interface Replaced {
  owner: Pick<OverrideRow, 'customerId' | 'subscriptionId'>;
  agreed: { pricing: UsagePricing; currency: string };
}

/**
 * Gives a customer own terms of a price of usage, from a time on; those of the price that are left out stay. Errors:
 * `subscription_not_found`, `subscription_not_active`, `customer_not_found`, `price_not_found`, `validation_failed`,
 * `amount_precision`, `currency_unsupported`.
 */
export async function overrideUsagePrice(
  unit: UnitOfWork,
  { customerId, subscriptionId, priceId, startsAt: from, ...terms }: OverrideInput,
): Promise<OverrideRow> {
  if (isGiven(customerId) === isGiven(subscriptionId))
    refuse('validation_failed', { path: 'customerId', message: 'must be given, or subscriptionId' });
  const { owner, agreed } = isGiven(subscriptionId)
    ? await findItem(unit, subscriptionId, priceId)
    : await findUsagePrice(unit, customerId!, priceId);
  const { currency } = agreed;
  const pricing = overrideTerms(agreed.pricing, currency, terms);
  await checkMeter(unit, { pricing }, '');
  const startsAt = isGiven(from) ? parseInstant(from, unit.tenant.timezone, 'startsAt') : unit.now;
  await refuseBilledTime(unit, owner, priceId, startsAt);
  await refuseMany(unit, owner.customerId);
  await requestChecksOf(unit, owner.customerId);
  const stamps = { createdAt: unit.now, updatedAt: unit.now };
  return unit.create(
    'usagePriceOverrides',
    { id: unit.id('upo'), ...owner, priceId, currency, pricing, startsAt, ...stamps },
    { causedBy: owner.subscriptionId ?? owner.customerId },
  );
}

/** Finds the item of a subscription that has a price of usage. */
async function findItem(reads: Reads, subscriptionId: string, priceId: string): Promise<Replaced> {
  const subscription = await findSubscription(reads, subscriptionId);
  const { customerId, currency, cancelledAt } = subscription;
  if (cancelledAt !== null)
    refuse('subscription_not_active', { path: 'subscriptionId', ...inState('cancelled') });
  const item = listItems(subscription).find(
    (each) => (each.addOnPriceId ?? subscription.priceId) === priceId,
  );
  if (!item) return refuse('price_not_found', { path: 'priceId', message: 'is not of the subscription' });
  return { owner: { customerId, subscriptionId }, agreed: { pricing: checkUsage(item.pricing), currency } };
}

async function findUsagePrice(reads: Reads, customerId: string, priceId: string): Promise<Replaced> {
  await findCustomer(reads, customerId);
  const { pricing, currency } = await findPrice(reads, undefined, priceId);
  return {
    owner: { customerId, subscriptionId: null },
    agreed: { pricing: checkUsage(pricing), currency },
  };
}

function checkUsage(pricing: SubscriptionRow['pricing']): UsagePricing {
  if (pricing?.usage) return pricing;
  return refuse('validation_failed', { path: 'priceId', message: 'is not a price of usage' });
}

/** Refuses terms that would hold in a time whose usage was billed by others. */
async function refuseBilledTime(
  reads: Reads,
  { customerId, subscriptionId }: Replaced['owner'],
  priceId: string,
  startsAt: string,
): Promise<void> {
  const periods = await reads.many('usagePeriods', { where: { customerId, priceId } });
  for (const row of periods) {
    const isOwn = subscriptionId === null || row.subscriptionId === subscriptionId;
    if (isOwn && row.charges.length > 0 && row.endsAt !== null && row.endsAt > startsAt)
      refuse('validation_failed', {
        path: 'startsAt',
        message: `must not be before ${row.endsAt}: the usage until then is billed`,
      });
  }
}

async function refuseMany(reads: Reads, customerId: string): Promise<void> {
  const present = await reads.many('usagePriceOverrides', { where: { customerId, endsAt: null } });
  if (present.length >= mostOverrides)
    refuse('validation_failed', {
      path: 'priceId',
      message: `must not be overridden: the customer has ${mostOverrides} overrides, the most there may be`,
    });
}

/**
 * Removes own terms: they hold for the usage until now, and never if they have not begun. Repeating it changes nothing. Error:
 * `usage_price_override_not_found`.
 */
export async function removeUsagePriceOverride(unit: UnitOfWork, id: string): Promise<OverrideRow> {
  const override = await findOverride(unit, id);
  if (override.endsAt !== null) return override;
  const endsAt = override.startsAt > unit.now ? override.startsAt : unit.now;
  return unit.change('usagePriceOverrides', override, { endsAt }, { action: 'removed' });
}

/** Returns the override with this id. Error: `usage_price_override_not_found`. */
export const findOverride = async (reads: Reads, id: string): Promise<OverrideRow> =>
  (await reads.one('usagePriceOverrides', { id })) ?? refuse('usage_price_override_not_found');

/** Lists overrides, also removed ones; newest first by default. Error: `cursor_invalid`. */
export const listOverrides = (
  tenant: TenantScope,
  filter: { customerId?: string | null; subscriptionId?: string | null },
  args: PageArgs,
): Promise<Page<OverrideRow>> => {
  const subscriptionId = filter.subscriptionId ?? undefined;
  const customerId = filter.customerId ?? undefined;
  return readPage(
    tenant,
    {
      name: 'usagePriceOverrides',
      table: 'usagePriceOverrides',
      // A subscription has few.
      where: subscriptionId === undefined ? { customerId } : { subscriptionId },
      filter: subscriptionId === undefined ? {} : { customerId },
      request: { customerId, subscriptionId },
      by: ['createdAt', 'id'],
    },
    args,
  );
};

/** Returns those of a customer's overrides that are for a subscription and have not ended, in the order of their beginning. */
export function pickOverrides(
  subscription: SubscriptionRow,
  overrides: readonly OverrideRow[],
  now: string,
): OverrideRow[] {
  const prices = new Set(listItems(subscription).map((item) => item.addOnPriceId ?? subscription.priceId));
  return overrides
    .filter(
      ({ subscriptionId, priceId, endsAt }) =>
        prices.has(priceId) &&
        (subscriptionId === null || subscriptionId === subscription.id) &&
        (endsAt === null || endsAt > now),
    )
    .toSorted((a, b) => (a.startsAt < b.startsAt ? -1 : 1));
}

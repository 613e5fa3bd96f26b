/** Decides how a change of a subscription is billed. */
import { BillingError, refuse } from '../../../lib/errors.ts';
import { listItems, sumItems, toInterval } from '../../pricing/invoiceLines.ts';
import { takesEffectAtOnce } from '../../pricing/planChange.ts';
import { isSameInterval } from '../../pricing/schedule.ts';
import type { AppliedBilling, ChangeBilling, ChangePolicy } from '../../../storage/model/common.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import type { Reads } from '../../../storage/store.ts';
import { findChangePolicy } from '../../../tenants/settings.ts';
import type { ExpectedTotal } from '../../payments/expectedTotal.ts';
import type { Terms } from './addOns.ts';
import { findQuantity } from './agreement.ts';
import { changeTerms, pickTerms, type WantedTerms } from './changeTerms.ts';
import { isProrated, requirePaidPeriod, toPlan } from './planChanges.ts';
import { hasPlan, type SubscriptionRow } from '../subscriptions.ts';

/** A requested change. */
export interface ChangeRequest {
  billing?: ChangeBilling | null;
  at?: string | null;
  /** Returns what changes of some terms; `latest` are the terms from the next period on. */
  findWanted: (base: Terms, latest: Terms) => WantedTerms;
  /** The name of the field that errors of quantities name. */
  quantityPath?: string;
  /** The total that was shown to be charged now. */
  expected?: ExpectedTotal;
}

/** A change, and when it takes effect. */
interface Decision {
  kind: 'now' | 'later' | 'none';
  terms: Terms;
  billing: AppliedBilling;
  /** The terms of the scheduled change before this one. */
  scheduled?: Terms;
}

/**
 * Decides what a request changes, and when. A change at the end of the period builds on the one that is scheduled.
 * Errors: `subscription_not_active`, and those of the terms.
 */
export async function decideChange(
  reads: Reads,
  tenant: Row<'tenants'>,
  subscription: SubscriptionRow,
  request: ChangeRequest,
  at: string,
): Promise<Decision> {
  const { end } = requirePaidPeriod(subscription, at);
  const present = pickTerms(subscription);
  const { nextIntentId } = subscription;
  const intent = nextIntentId === null ? undefined : await reads.one('intents', { id: nextIntentId });
  const scheduled = intent && pickTerms(intent);
  const latest = scheduled?.priceId === present.priceId ? scheduled : present;
  const change = (base: Terms) =>
    nameQuantity(request, () => changeTerms(reads, subscription, base, request.findWanted(base, latest), at));

  const terms = await change(present);
  if (hasPlan(present, terms)) {
    if (!scheduled) return { kind: 'none', terms, billing: 'none' };
    return { kind: 'later', terms: await change(scheduled), billing: 'period_end', scheduled };
  }
  const isTrial = subscription.trialEndsAt !== null && subscription.trialEndsAt >= end;
  const billing = await decideBilling(reads, tenant, { present, terms }, request.billing);
  if (billing !== 'period_end') return { kind: 'now', terms, billing: isTrial ? 'none' : billing, scheduled };
  const later = scheduled ? await change(scheduled) : terms;
  return { kind: 'later', terms: later, billing, scheduled };
}

/** Names the field of the request in errors about a quantity. */
async function nameQuantity<T>({ quantityPath: path }: ChangeRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BillingError) || path === undefined) throw error;
    return refuse(
      error.reason,
      ...error.issues.map((issue) => (issue.path.endsWith('quantity') ? { ...issue, path } : issue)),
    );
  }
}

/**
 * Decides how a change of terms is billed, by the first that says so: the request, the tenant's policy for the direction,
 * the group's `prorateUpgrades`. Orders by payers and changes by the server both use it. Error: `validation_failed`.
 */
export async function decideBilling(
  reads: Reads,
  tenant: Pick<Row<'tenants'>, 'changePolicy'>,
  { present, terms }: { present: Terms; terms: Terms },
  wanted?: ChangeBilling | null,
): Promise<AppliedBilling> {
  const chosen = wanted ?? findChangePolicy(tenant)[findDirection(present, terms)];
  const billing = chosen ?? ((await isProrated(reads, terms)) ? 'charge_now' : 'restart');
  const needsInterval = billing === 'next_invoice' || billing === 'none';
  if (!needsInterval || isSameInterval(toInterval(present), toInterval(terms))) return billing;
  if (!wanted) return 'charge_now';
  const message = 'must be charge_now, reset or period_end where the interval changes';
  return refuse('validation_failed', { path: 'billing', message });
}

/** Returns the direction of a change, by which the tenant's policy decides. */
function findDirection(present: Terms, terms: Terms): keyof ChangePolicy {
  if (present.priceId !== terms.priceId)
    return takesEffectAtOnce(toPlan(present), toPlan(terms)) ? 'planUpgrade' : 'planDowngrade';
  const [before, after] = [countItems(present), countItems(terms)];
  const differences = [...new Set([...before.keys(), ...after.keys()])].map(
    (key) => (after.get(key) ?? 0) - (before.get(key) ?? 0),
  );
  const [rises, falls] = [differences.some((each) => each > 0), differences.some((each) => each < 0)];
  const isIncrease = rises && falls ? sumItems(terms) > sumItems(present) : rises;
  return isIncrease ? 'increase' : 'decrease';
}

const countItems = (terms: Terms) =>
  new Map(listItems(terms).map((item) => [item.addOnPriceId, countUnits(terms, item.addOnPriceId)]));

/** Returns the quantity of an item, also of a flat add-on. */
const countUnits = (terms: Terms, priceId: string | undefined): number =>
  priceId === undefined
    ? findQuantity(terms)
    : terms.addOns!.find((addOn) => addOn.priceId === priceId)!.quantity;

/** The usage of a subscription as it is after a change or an order, for the previews of its next invoice. */
import type { PlannedUsage } from '../../invoices/usageBill.ts';
import { buildWindow, readOpenWindows } from '../../invoices/commitmentWindows.ts';
import { planPeriods, readOpenPeriods } from '../../invoices/usagePeriods.ts';
import { hasUsagePrice } from '../../pricing/usageLines.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import type { Reads } from '../../../storage/store.ts';
import { buildBegunTerms } from './applyPlanChange.ts';
import type { Terms } from './addOns.ts';
import type { PlanChangeQuote } from './planChanges.ts';

/** Returns the periods of usage after a change at once; undefined if it leaves them as they are. */
export async function planUsage(
  reads: Reads,
  subscription: Row<'subscriptions'>,
  terms: Terms,
  quote: PlanChangeQuote,
): Promise<PlannedUsage | undefined> {
  if (quote.kind !== 'upgrade') return undefined;
  if (subscription.usageSince === null && !hasUsagePrice(terms)) return undefined;
  const open = subscription.usageSince === null ? [] : await readOpenPeriods(reads, [subscription.id]);
  const periods = planPeriods(open, subscription, buildBegunTerms(terms, quote));
  const windows = subscription.commitment === null ? [] : await readOpenWindows(reads, [subscription.id]);
  return { subscription: { ...subscription, anchor: quote.anchor }, periods, windows };
}

/** Returns the periods of usage of the subscription that an order starts; undefined for none. */
export function planFirstUsage(
  intent: Row<'intents'>,
  { start, trialEndsAt, anchor }: { start: string; trialEndsAt: string | null; anchor: string },
  timeZone: string,
): PlannedUsage | undefined {
  if (!hasUsagePrice(intent)) return undefined;
  const owner = { tenantAlias: intent.tenantAlias, id: '', customerId: intent.customerId };
  const begun = { terms: intent, at: start, anchor, isNewPeriod: true };
  const window = buildWindow(intent, '', { at: trialEndsAt ?? start, anchor, timeZone });
  return {
    subscription: { trialEndsAt, anchor },
    periods: planPeriods([], owner, begun),
    windows: window ? [window] : [],
  };
}

/** The texts for payers about a declined payment. */
import { classifyDecline, type DeclineKind } from '../../providers/declines.ts';
import type { TextKey } from './texts.ts';

const declineTexts: Record<DeclineKind, TextKey> = {
  insufficient_funds: 'declinedFunds',
  expired: 'declinedExpired',
  wrong_details: 'declinedDetails',
  not_confirmed: 'declinedUnconfirmed',
  not_supported: 'declinedUnsupported',
  try_again: 'declinedAgain',
  abandoned: 'declinedAbandoned',
  other: 'declined',
};

/** Returns the text about a decline: what happened, and what the payer can do. */
export const findDeclineText = (reason: string): TextKey => declineTexts[classifyDecline(reason)];

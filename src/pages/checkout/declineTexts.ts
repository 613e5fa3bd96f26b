/** The texts for payers about a declined payment. */
import type { DeclineCode } from '../../lib/declineCodes.ts';
import type { TextKey } from './texts.ts';

/** https://docs.stripe.com/declines/codes advises not to tell a payer of suspected fraud or of a lost or stolen card. */
const declineTexts: Record<DeclineCode, TextKey> = {
  insufficient_funds: 'declinedFunds',
  limit_exceeded: 'declinedLimit',
  expired_card: 'declinedExpired',
  incorrect_number: 'declinedNumber',
  incorrect_cvc: 'declinedCvc',
  incorrect_details: 'declinedDetails',
  authentication_required: 'declinedUnconfirmed',
  method_not_supported: 'declinedUnsupported',
  card_declined: 'declined',
  do_not_honor: 'declinedByBank',
  lost_or_stolen: 'declinedByBank',
  fraud_suspected: 'declinedByBank',
  account_closed: 'declinedAccount',
  mandate_revoked: 'declinedMandate',
  processing_error: 'declinedAgain',
  abandoned: 'declinedAbandoned',
  no_payment_method: 'declinedWithoutMethod',
  declined: 'declined',
};

/** Returns the text about a decline: what happened, and what the payer can do. */
export const findDeclineText = (code: DeclineCode | null | undefined): TextKey =>
  declineTexts[code ?? 'declined'];

/** What a payer can do about a declined payment. */
export type DeclineKind =
  /** Another method, or money on the account. */
  | 'insufficient_funds'
  | 'expired'
  /** Number, expiry, security code or postal code are wrong. */
  | 'wrong_details'
  /** The bank asked for a confirmation, which failed or did not come. */
  | 'not_confirmed'
  /** The card cannot pay this: by currency, kind of purchase, or a limit. */
  | 'not_supported'
  /** The same method may succeed in a moment. */
  | 'try_again'
  /** The payer left the page of the provider, or chose another method. */
  | 'abandoned'
  | 'other';

/** The reasons of providers by kind; those of Stripe are from https://docs.stripe.com/declines/codes. */
const reasonsByKind: Partial<Record<DeclineKind, readonly string[]>> = {
  insufficient_funds: ['insufficient_funds', 'withdrawal_count_limit_exceeded', 'card_velocity_exceeded'],
  expired: ['expired_card', 'card_expired'],
  wrong_details: [
    'incorrect_number',
    'invalid_number',
    'incorrect_cvc',
    'invalid_cvc',
    'incorrect_zip',
    'incorrect_address',
    'invalid_expiry_month',
    'invalid_expiry_year',
    'invalid_account',
    'incorrect_pin',
    'invalid_pin',
    'new_account_information_available',
  ],
  not_confirmed: [
    'authentication_required',
    'authentication_not_handled',
    'payment_intent_authentication_failure',
    'setup_intent_authentication_failure',
    'offline_pin_required',
    'online_or_offline_pin_required',
  ],
  not_supported: [
    'card_not_supported',
    'currency_not_supported',
    'transaction_not_allowed',
    'service_not_allowed',
    'restricted_card',
    'invalid_amount',
    'amount_too_small',
    'amount_too_large',
  ],
  try_again: [
    'try_again_later',
    'processing_error',
    'issuer_not_available',
    'reenter_transaction',
    'approve_with_id',
  ],
  abandoned: ['session_expired', 'canceled', 'abandoned', 'expired'],
};

const kinds = new Map(
  Object.entries(reasonsByKind).flatMap(([kind, reasons]) =>
    reasons.map((reason) => [reason, kind as DeclineKind] as const),
  ),
);

/**
 * Classifies the reason of a decline by what the payer can do. Reasons that a bank keeps to itself, such as
 * `do_not_honor`, suspected fraud or a stolen card, are `other`: https://docs.stripe.com/declines/codes advises not to
 * tell them.
 */
export const classifyDecline = (reason: string): DeclineKind => kinds.get(reason) ?? 'other';

/**
 * Stripe's hard declines, after which it does not retry a charge without a new payment method
 * (https://docs.stripe.com/billing/revenue-recovery/smart-retries), and the declines of cards and bank debits that say
 * that the account is closed or the payer has revoked the authorization (https://docs.stripe.com/declines/codes). An
 * expired card is none of them: its issuer may have sent Stripe the new date. Visa and Mastercard charge fees for
 * retries after hard declines.
 */
const stripe = new Set([
  'authentication_required',
  'do_not_try_again',
  'highest_risk_level',
  'incorrect_number',
  'invalid_account',
  'lost_card',
  'pickup_card',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'stolen_card',
  'stop_payment_order',
  'transaction_not_allowed',
  'account_closed',
  'debit_not_authorized',
  'no_account',
]);

/**
 * Mollie's failure reasons of cards (https://docs.mollie.com/docs/handling-errors-with-mollie-components) and SEPA's
 * return codes of debits: a wrong, closed or blocked account, no mandate, a deceased holder.
 */
const mollie = new Set([
  'authentication_required',
  'card_expired',
  'inactive_card',
  'invalid_card_number',
  'invalid_card_type',
  'possible_fraud',
  'AC01',
  'AC04',
  'AC06',
  'AG01',
  'MD01',
  'MD07',
]);

// The sandbox declines with the codes of Stripe.
const hardDeclines = new Map([
  ['stripe', stripe],
  ['mollie', mollie],
  ['sandbox', stripe],
]);

/** Whether a provider's decline is final: another charge of the same payment method cannot succeed. */
export const isHardDecline = (provider: string, reason: string): boolean =>
  hardDeclines.get(provider)?.has(reason) ?? false;

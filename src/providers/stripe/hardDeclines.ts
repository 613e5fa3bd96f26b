/**
 * Stripe's hard declines, after which it does not retry a charge without a new payment method
 * (https://docs.stripe.com/billing/revenue-recovery/smart-retries), and the declines of cards and bank debits that say
 * that the account is closed or the payer has revoked the authorization (https://docs.stripe.com/declines/codes). An
 * expired card is none of them: its issuer may have sent Stripe the new date. Visa and Mastercard charge fees for
 * retries after hard declines.
 */
export const hardDeclines = new Set([
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

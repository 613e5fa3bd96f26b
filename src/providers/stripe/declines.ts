import type { DeclineTable } from '../descriptor.ts';

/**
 * Stripe's decline codes (https://docs.stripe.com/declines/codes), error codes of payments
 * (https://docs.stripe.com/error-codes) and failure codes of bank debits
 * (https://docs.stripe.com/api/charges/object#charge_object-failure_code). `pickup_card` and `restricted_card` count as the one
 * cause that Stripe names. Codes that are missing here say nothing more.
 */
export const declines: DeclineTable = {
  insufficient_funds: ['insufficient_funds'],
  limit_exceeded: [
    'card_velocity_exceeded',
    'withdrawal_count_limit_exceeded',
    'amount_too_large',
    'charge_exceeds_source_limit',
    'charge_exceeds_transaction_limit',
    'charge_exceeds_weekly_limit',
    'card_decline_rate_limit_exceeded',
  ],
  expired_card: ['expired_card'],
  incorrect_number: [
    'incorrect_number',
    'invalid_number',
    'account_number_invalid',
    'invalid_account_number',
  ],
  incorrect_cvc: ['incorrect_cvc', 'invalid_cvc'],
  incorrect_details: [
    'incorrect_zip',
    'incorrect_address',
    'incorrect_account_holder_name',
    'incorrect_account_holder_address',
    'incorrect_pin',
    'invalid_pin',
    'pin_try_exceeded',
    'invalid_expiry_month',
    'invalid_expiry_year',
    'new_account_information_available',
  ],
  authentication_required: [
    'authentication_required',
    'authentication_not_handled',
    'payment_intent_authentication_failure',
    'setup_intent_authentication_failure',
    'mobile_device_authentication_required',
    'offline_pin_required',
    'online_or_offline_pin_required',
  ],
  method_not_supported: [
    'card_not_supported',
    'currency_not_supported',
    'transaction_not_allowed',
    'service_not_allowed',
    'not_permitted',
    'invalid_amount',
    'amount_too_small',
    'invalid_currency',
  ],
  card_declined: ['card_declined', 'generic_decline', 'testmode_decline', 'generic_could_not_process'],
  do_not_honor: [
    'do_not_honor',
    'do_not_try_again',
    'call_issuer',
    'no_action_taken',
    'security_violation',
    'refer_to_customer',
  ],
  lost_or_stolen: ['lost_card', 'stolen_card', 'pickup_card', 'restricted_card'],
  fraud_suspected: ['fraudulent', 'merchant_blacklist', 'highest_risk_level', 'elevated_risk_level'],
  account_closed: [
    'account_closed',
    'account_frozen',
    'no_account',
    'invalid_account',
    'bank_account_restricted',
    'bank_account_unusable',
    'bank_ownership_changed',
    'recipient_deceased',
  ],
  mandate_revoked: [
    'revocation_of_authorization',
    'revocation_of_all_authorizations',
    'stop_payment_order',
    'debit_not_authorized',
    'debit_authorization_not_match',
    'debit_disputed',
    'payment_intent_mandate_invalid',
    'setup_intent_mandate_invalid',
  ],
  processing_error: [
    'processing_error',
    'try_again_later',
    'issuer_not_available',
    'reenter_transaction',
    'approve_with_id',
    'duplicate_transaction',
    'could_not_process',
    'payment_method_provider_timeout',
    'payment_intent_payment_attempt_expired',
  ],
  abandoned: ['session_expired', 'canceled', 'payment_method_customer_decline'],
  no_payment_method: ['requires_payment_method', 'payment_method_unexpected_state', 'resource_missing'],
};

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

import type { DeclineTable } from '../descriptor.ts';

/**
 * Mollie's failure reasons of cards (https://docs.mollie.com/docs/handling-errors-with-mollie-components), its status reasons
 * (https://docs.mollie.com/reference/status-reasons), SEPA's return codes of debits
 * (https://docs.mollie.com/docs/direct-debit), the statuses of payments that have none of these, and the fields
 * that its API refuses. Codes that are missing here say nothing more.
 */
export const declines: DeclineTable = {
  insufficient_funds: ['insufficient_funds', 'AM04'],
  limit_exceeded: [
    'exceeds_withdrawal_amount_limit',
    'exceeds_withdrawal_count_limit',
    'transaction_amount_exceeds_pre_authorized_approval_amount',
    'AM02',
    'AM14',
  ],
  expired_card: ['card_expired', 'expired_card'],
  incorrect_number: ['invalid_card_number', 'invalid_account_number', 'AC01'],
  incorrect_cvc: ['invalid_cvv', 'decline_for_cvv2_failure', 'negative_online_cam_dcvv_icvv_cvv_results'],
  incorrect_details: [
    'invalid_card_holder_name',
    'invalid_pin',
    'allowable_number_of_pin_tries_exceeded',
    'BE01',
    'BE05',
    'RC01',
    'RR01',
    'RR02',
    'RR03',
  ],
  authentication_required: [
    'authentication_required',
    'authentication_failed',
    'authentication_abandoned',
    'authentication_unavailable_acs',
    'additional_customer_authentication_required',
    'card_authentication_failed',
    'pin_data_required',
  ],
  method_not_supported: [
    'invalid_card_type',
    'invalid_amount',
    'transaction_not_permitted_to_cardholder',
    'transaction_not_allowed_at_terminal',
    'domestic_debit_transaction_not_allowed',
    'AC13',
    'AG01',
    'AG02',
  ],
  card_declined: ['card_declined', 'unknown_reason'],
  do_not_honor: [
    'refused_by_issuer',
    'do_not_honor',
    'refer_to_card_issuer',
    'refer_to_card_issuer_special_condition',
    'contact_card_issuer',
    'no_action_taken',
    'policy_related',
    'security_violation',
    'MS02',
    'MS03',
    'SL01',
    'CNOR',
    'DNOR',
  ],
  lost_or_stolen: [
    'lost_card',
    'stolen_card',
    'capture_card',
    'pick_up_card_special_condition',
    'restricted_card',
  ],
  fraud_suspected: ['possible_fraud', 'suspected_fraud', 'fraud_security_related', 'FR01'],
  account_closed: ['inactive_card', 'closed_account', 'lifecycle_related', 'AC04', 'AC06', 'MD07'],
  mandate_revoked: [
    'no_mandate',
    'stop_payment_order',
    'revocation_of_authorization',
    'revocation_of_all_authorizations',
    'invalid_mandate_id',
    'MD01',
    'MD02',
    'MD06',
  ],
  processing_error: [
    'error',
    'system_malfunction',
    'issuer_unavailable',
    're_enter_transaction',
    'unable_to_route_transaction',
    'duplicate_transaction',
    'AM05',
    'TM01',
  ],
  abandoned: ['canceled', 'expired'],
};

/**
 * Mollie's failure reasons of cards (https://docs.mollie.com/docs/handling-errors-with-mollie-components) and SEPA's
 * return codes of debits: a wrong, closed or blocked account, no mandate, a deceased holder.
 */
export const hardDeclines = new Set([
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

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

/** Why charges are declined, the same for all providers: each code with when it occurs. The providers map their own to them. */
export const declineCodes = {
  insufficient_funds: 'The account has too little money.',
  limit_exceeded:
    'The charge exceeds a limit of the card or account, by its amount or the number of payments.',
  expired_card: 'The card has expired.',
  incorrect_number: 'The number of the card or account is wrong.',
  incorrect_cvc: 'The security code of the card is wrong.',
  incorrect_details: 'Another detail is wrong, such as the name, the address, the expiry date or the PIN.',
  authentication_required:
    'The bank demands that the payer confirms the payment, who was absent or did not do so.',
  method_not_supported: 'The card or account cannot pay this: by currency, kind of purchase or kind of card.',
  card_declined: 'The bank declined the card and gave no reason that the provider knows.',
  do_not_honor: 'The bank refused the payment and keeps the reason to itself; only its customer can ask.',
  lost_or_stolen: 'The card is reported lost or stolen. Payers read that their bank refused.',
  fraud_suspected: 'The bank or the provider suspects fraud. Payers read that their bank refused.',
  account_closed: 'The account or card is closed, blocked or does not exist.',
  mandate_revoked: 'There is no valid mandate: the payer or the bank revoked it, or never gave it.',
  processing_error: 'The bank or the provider had an error; the same method may succeed later.',
  abandoned: 'The payer left the page of the provider, or chose another method.',
  no_payment_method: 'There was no payment method that could be charged.',
  declined: 'Another reason, which only `failureReason` has.',
} as const;

export type DeclineCode = keyof typeof declineCodes;

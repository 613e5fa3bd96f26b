/** What shows where a customer is, besides the billing address: the country of the IP address, and of the card or account. */
export interface LocationPiece {
  kind: 'ip_address' | 'payment_method';
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** When it was seen, an instant. */
  at: string;
}

/** What is wrong with the evidence of a sale. */
export type EvidenceGap = 'contradictory' | 'insufficient';

/**
 * The port to whoever moves the money. Providers are called between units of work, never inside one.
 * Every call names its try by `idempotencyKey`: asked again with the same key, a provider answers what it
 * answered before and charges nothing twice.
 */
export interface Charge {
  idempotencyKey: string;
  amountMinor: bigint;
  /** ISO 4217, lower case. */
  currency: string;
  /** What the payer sees on a statement. */
  description: string;
}

/** What became of a charge; `reference` is what the provider knows it by. */
export type Outcome = Succeeded | { status: 'declined'; reason: string };

export interface Succeeded {
  status: 'succeeded';
  reference: string;
  /** What later charges can be made with. */
  methodReference: string;
}

export interface PaymentProvider {
  name: string;
  /** Charges a method that the payer, who is present, has just chosen; an amount of 0 only keeps the method. */
  start(charge: Charge, method: string): Promise<Outcome>;
}

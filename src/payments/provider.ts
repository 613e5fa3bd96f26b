/**
 * The port to whoever moves the money. Providers are called between units of work, never inside one.
 * Every call names its try by `idempotencyKey`: asked again with the same key, a provider answers what it
 * answered before and moves nothing twice. A provider that cannot be reached throws, and is asked again later.
 */
export interface Charge {
  idempotencyKey: string;
  /** 0 only keeps the method. */
  amountMinor: bigint;
  /** ISO 4217, lower case. */
  currency: string;
  /** What the payer sees on a statement. */
  description: string;
  /** The customer here; a provider may keep its own record of them under it. */
  customerId: string;
}

/** What became of a charge; `reference` is what the provider knows it by. */
export type Outcome =
  | Succeeded
  | { status: 'declined'; reason: string; reference?: string }
  /** The payer must confirm with their bank at `actionUrl`; a callback or a second `start` tells the rest. */
  | { status: 'requires_action'; reference: string; actionUrl: string }
  /** The money will come, or not, without us: an operator or a callback tells. */
  | { status: 'pending'; reference: string | null; methodReference: string };

export interface Succeeded {
  status: 'succeeded';
  reference: string;
  /** What later charges can be made with. */
  methodReference: string;
}

export interface Refund {
  idempotencyKey: string;
  /** The reference of the charge that is given back. */
  chargeReference: string;
  amountMinor: bigint;
  currency: string;
}

export type RefundOutcome =
  { status: 'succeeded'; reference: string } | { status: 'declined'; reason: string };

/** What a provider tells of its own accord: what became of an earlier charge. */
export interface Callback {
  reference: string;
  outcome: Outcome;
}

export interface PaymentProvider {
  name: string;
  /** Charges a method that the payer, who is present, has just chosen. */
  start(charge: Charge, method: string): Promise<Outcome>;
  /** Asks what became of a charge that required an action; `reference` is that of the first answer. */
  resume(charge: Charge, reference: string): Promise<Outcome>;
  /** Charges a kept method while the payer is away. */
  charge(charge: Charge, methodReference: string): Promise<Outcome>;
  refund(refund: Refund): Promise<RefundOutcome>;
  /** Reads a signed callback; undefined for one that says nothing of a charge. Throws when the signature is wrong. */
  readCallback?(headers: Record<string, string | undefined>, body: Buffer): Callback | undefined;
}

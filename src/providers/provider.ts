/**
 * The port to whoever moves the money. Providers are called between units of work, never inside one.
 * Every call names its try by `idempotencyKey`: asked again with the same key, a provider answers what it
 * answered before and moves nothing twice. A provider that cannot be reached throws, and is asked again later.
 */
export interface Charge {
  idempotencyKey: string;
  /** Whether this very try may have been made before: then what became of it counts, however long ago that was. */
  isRepeated: boolean;
  tenantAlias: string;
  /** 0 only keeps the method. */
  amountMinor: bigint;
  /** ISO 4217, lower case. */
  currency: string;
  /** What the payer sees on a statement. */
  description: string;
  /** The customer here; a provider may keep its own record of them under it. */
  customerId: string;
  /** The intent that is being paid, where one is: its page is where the payer comes back to. */
  intentId?: string;
}

/** What became of a charge; `reference` is what the provider knows it by. */
export type Outcome =
  | Succeeded
  | { status: 'declined'; reason: string; reference?: string }
  /** The payer must confirm with their bank at `actionUrl`; a callback or `resume` tells the rest. */
  | { status: 'requires_action'; reference: string; actionUrl: string }
  /** The money will come, or not, without us: a callback tells, or an operator where there is no reference. */
  | { status: 'pending'; reference: string | null; methodReference: string };

interface Succeeded {
  status: 'succeeded';
  reference: string;
  /** What later charges can be made with. */
  methodReference: string;
}

export interface Refund {
  /** The id of the payment that records the refund. */
  idempotencyKey: string;
  tenantAlias: string;
  /** The reference of the charge that is given back. */
  chargeReference: string;
  amountMinor: bigint;
  currency: string;
}

export type RefundOutcome =
  | { status: 'succeeded'; reference: string }
  /** The provider accepted it and has not paid it out; a callback or a repeated call reports the result. */
  | { status: 'pending'; reference: string }
  | { status: 'declined'; reason: string };

/** What a provider reports of its own accord: the outcome of an earlier charge or refund. */
export type Callback = ChargeCallback | RefundCallback;

export interface ChargeCallback {
  kind: 'charge';
  /** The tenant and the attempt, as the charge named them. */
  tenantAlias: string;
  idempotencyKey: string;
  /** What was charged. */
  amountMinor: bigint;
  outcome: Outcome;
}

interface RefundCallback {
  kind: 'refund';
  /** The tenant and the payment, as the refund named them. */
  tenantAlias: string;
  idempotencyKey: string;
  outcome: RefundOutcome;
}

export interface PaymentProvider {
  name: string;
  /** Whether it moves real money: then it serves no test tenants, whose time is invented. */
  isLive?: boolean;
  /** Charges a method that the payer, who is present, has just chosen. */
  start(charge: Charge, method: string): Promise<Outcome>;
  /** Asks what became of a charge that required an action; `reference` is that of the first answer. */
  resume(charge: Charge, reference: string): Promise<Outcome>;
  /** Charges a kept method while the payer is away. */
  charge(charge: Charge, methodReference: string): Promise<Outcome>;
  refund(refund: Refund): Promise<RefundOutcome>;
  /** Reads a signed callback; undefined for one that is about neither a charge nor a refund. Error: `validation_failed`. */
  readCallback?(headers: Record<string, string | undefined>, body: Buffer): Callback | undefined;
}

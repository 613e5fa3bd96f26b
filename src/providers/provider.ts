import type { Translated } from '../lib/language.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { DisputeStatus } from '../storage/model/common.ts';

/**
 * The interface of a payment provider. Providers are called between units of work, never inside one, except those that answer
 * in the process. `idempotencyKey` identifies the attempt: a repeated call with the same key returns the earlier outcome and
 * moves no money again. A provider that cannot be reached throws; the call is repeated later.
 */
export interface Charge {
  idempotencyKey: string;
  /** Whether an earlier call may have made this attempt. If so, its outcome counts, however old it is. */
  isRepeated: boolean;
  tenantAlias: string;
  /** In minor units; 0 only saves the payment method. */
  amountMinor: bigint;
  /** An ISO 4217 code in lower case. */
  currency: string;
  /** The text on the payer's statement. */
  description: string;
  /** The customer's id; a provider may store its own customer under it. */
  customerId: string;
  /** The path of this server to which a payer who is present returns from another page, such as that of the bank. */
  returnPath?: string;
  /** Whether the payer of a saved method is present and can confirm the charge with their bank. */
  isPayerPresent?: true;
}

/** What may be shown of a payment method; null for what the provider does not report. */
export interface MethodDetails {
  /** Such as `card` or `sepa_debit`. */
  type: string | null;
  /** Such as `visa`. */
  brand: string | null;
  last4: string | null;
  /** The first instant after the month in which a card expires. */
  expiresAt: string | null;
  /** Equal for the same card or account under another reference. */
  fingerprint: string | null;
  /** The country of the card or the account, ISO 3166-1 alpha-2. */
  country?: string | null;
}

/** The outcome of a charge; `reference` is the provider's id. */
export type Outcome =
  | Succeeded
  | { status: 'declined'; reason: string; reference?: string }
  /** The payer must confirm with their bank at `actionUrl`. A callback or `resume` reports the outcome. */
  | { status: 'requires_action'; reference: string; actionUrl: string }
  /** The outcome is not known yet. A callback reports it; without a reference, an operator does. */
  | { status: 'pending'; reference: string | null; methodReference: string; method?: MethodDetails };

export interface Succeeded {
  status: 'succeeded';
  reference: string;
  /** The reference with which later charges use the same method. */
  methodReference: string;
  method?: MethodDetails;
  /** What came, if the provider reports it: a partial capture is less than the charge. */
  received?: Received;
}

interface Received extends Sum {
  /** The provider charges multiples of this, in minor units; default 1. */
  stepMinor?: bigint;
}

/** An amount in minor units. */
export interface Sum {
  amountMinor: bigint;
  currency: string;
}

export interface Refund {
  /** The id of the payment that records the refund. */
  idempotencyKey: string;
  tenantAlias: string;
  /** The reference of the charge to refund. */
  chargeReference: string;
  amountMinor: bigint;
  currency: string;
}

export type RefundOutcome =
  | { status: 'succeeded'; reference: string }
  /** The provider accepted it and has not paid it out; a callback or a repeated call reports the result. */
  | { status: 'pending'; reference: string }
  | { status: 'declined'; reason: string };

/** What a provider reports by a callback: the outcome of an earlier charge or refund, or that money went back. */
export type Callback = ChargeCallback | RefundCallback | ReversalCallback;

export interface ChargeCallback {
  kind: 'charge';
  /** The tenant and the attempt, as given in the charge. */
  tenantAlias: string;
  idempotencyKey: string;
  /** The amount charged, in minor units. */
  amountMinor: bigint;
  outcome: Outcome;
}

interface RefundCallback {
  kind: 'refund';
  /** The tenant and the payment, as given in the refund. */
  tenantAlias: string;
  idempotencyKey: string;
  outcome: RefundOutcome;
}

/** Money of a charge that went back without a request of this server. */
export interface ReversalCallback {
  kind: 'reversal';
  /** The tenant and the attempt, as given in the charge. */
  tenantAlias: string;
  idempotencyKey: string;
  /** The reference of the charge. */
  chargeReference: string;
  reversal: Reversal;
}

/** A refund made at the provider, or a dispute; `reference` is the provider's id. */
export type Reversal = { reference: string; amountMinor: bigint; currency: string } & (
  | { type: 'refund'; status: RefundOutcome['status']; reason?: string | null }
  | { type: 'dispute'; status: DisputeStatus; reason: string | null; evidenceDueAt: string | null }
);

/** What a provider offers on the pages of this server. Its methods are given to `start`. */
export interface PageOffer {
  /** The method that redirects the payer to a page of the provider; works without scripts. */
  redirectMethod: string;
  /** What payers read about it. */
  texts: Translated<MethodTexts>;
  /** The form that a script of the provider draws on the page; undefined for none. */
  form?: PageForm;
}

/** The name of a payment method, and a line below it. */
export interface MethodTexts {
  label: string;
  hint: string;
}

export interface PageForm {
  scriptUrl: string;
  /** Identifies the account to the script; public. */
  publishableKey: string;
  /** The languages that the script has texts for. */
  locales: readonly string[];
  /** Returns the options of the script's form for an amount; 0 only saves the method. */
  buildOptions(amountMinor: bigint, currency: string): Record<string, unknown>;
  /** Whether a text has the form of what the script creates, which `start` takes as a method. */
  isConfirmation(text: string): boolean;
  /** The origins that the script needs, by directive of the Content-Security-Policy. */
  origins: Record<'script' | 'frame' | 'connect' | 'img', string[]>;
}

export interface PaymentProvider {
  name: string;
  /** Whether it moves real money. If so, it does not serve test tenants, which may have a simulated clock. */
  isLive?: boolean;
  /**
   * Whether it answers in the process, by the charge alone: it awaits nothing, never throws, and moves no money. So it is asked
   * to start a payment inside the unit of work that begins it, which then also records the outcome.
   */
  isInProcess?: true;
  /**
   * Whether a chosen method belongs to this provider by its name. Without it, the provider gets the methods that no other
   * recognizes.
   */
  recognizes?: (method: string) => boolean;
  /** Charges a method that the payer has just chosen, while the payer is present. */
  start(charge: Charge, method: string): Promise<Outcome>;
  /** Returns the outcome of a charge that required an action; `reference` is the one returned by `start`. */
  resume(charge: Charge, reference: string): Promise<Outcome>;
  /** Charges a saved method, while the payer is absent unless the charge says otherwise. */
  charge(charge: Charge, methodReference: string): Promise<Outcome>;
  refund(refund: Refund): Promise<RefundOutcome>;
  /**
   * Ends a charge that required an action, because the payer chose otherwise. Returns its outcome, which is a decline
   * unless the payer has confirmed.
   */
  abandon?(charge: Charge, reference: string): Promise<Outcome>;
  /** Calls the provider with the key of the account and changes nothing; throws if the call fails. */
  check?(): Promise<void>;
  /** Makes the provider forget a saved method; does nothing for one that it does not have. */
  detach?(methodReference: string): Promise<void>;
  /**
   * Reads what a callback reports; nothing if it is about neither a charge, a refund nor a dispute. Error: `validation_failed` if the
   * provider did not sign it.
   */
  readCallback?(
    headers: Record<string, string | undefined>,
    body: Buffer,
  ): MaybePromise<Callback | readonly Callback[] | undefined>;
  /** Undefined if its methods are not chosen on the pages of this server. */
  page?: PageOffer;
}

import {
  PaymentStatus,
  RefundStatus,
  type Chargeback,
  type Mandate,
  type Payment,
  type Refund,
} from '@mollie/api-client';
import { formatFixed, readDecimal } from '../../lib/decimal.ts';
import { decimalFromMinor, roundToMinor } from '../../lib/money.ts';
import type { Charge, MethodDetails, Outcome, RefundOutcome, Reversal } from '../provider.ts';

/** The metadata of objects at Mollie: the tenant, and the idempotency key of the attempt. */
export interface Metadata {
  perennial_tenant: string;
  perennial_key: string;
}

/** Converts minor units to Mollie's form, which has all decimals of the currency: `{ value: '10.00', currency: 'EUR' }`. */
export const toMollieAmount = (amountMinor: bigint, currency: string) => ({
  currency: currency.toUpperCase(),
  value: formatFixed(decimalFromMinor(amountMinor, currency)),
});

/** Converts an amount of Mollie to minor units. */
export const fromMollieAmount = ({ value, currency }: { value: string; currency: string }): bigint =>
  roundToMinor(readDecimal(value), currency.toLowerCase());

/** Returns the metadata of a payment or refund; undefined if another system on the same account created it. */
export function readMetadata({ metadata }: { metadata: unknown }): Metadata | undefined {
  const { perennial_tenant: tenant, perennial_key: key } = (metadata ?? {}) as Partial<Metadata>;
  if (typeof tenant !== 'string' || typeof key !== 'string') return undefined;
  return { perennial_tenant: tenant, perennial_key: key };
}

const unsuccessful = new Set([PaymentStatus.failed, PaymentStatus.canceled, PaymentStatus.expired]);

/**
 * Returns the outcome of a payment from its status: https://docs.mollie.com/docs/status-change. `mandate` is what later
 * charges use, if it could be read.
 */
export function toOutcome(payment: Payment, mandate?: Mandate): Outcome {
  const { id: reference, status } = payment;
  const methodReference = `${payment.customerId ?? ''}/${payment.mandateId ?? ''}`;
  const known = { reference, methodReference, method: describeMethod(payment, mandate) };
  const { amount, amountCaptured } = payment as Payment & { amountCaptured?: Payment['amount'] };
  if (status === PaymentStatus.paid)
    return { status: 'succeeded', ...known, received: readMoney(amountCaptured ?? amount) };
  const actionUrl = payment._links.checkout?.href;
  if (status === PaymentStatus.open && actionUrl) return { status: 'requires_action', reference, actionUrl };
  if (unsuccessful.has(status)) return { status: 'declined', reason: findDeclineReason(payment), reference };
  return { status: 'pending', ...known };
}

/** Cards have a failure reason, direct debits the code of the bank. */
function findDeclineReason({ status, details, statusReason }: Payment): string {
  const { failureReason, bankReasonCode } = (details ?? {}) as Record<string, unknown>;
  return (
    [failureReason, bankReasonCode, statusReason?.code].find((each) => typeof each === 'string') ?? status
  );
}

const methodTypes: Record<string, string> = {
  creditcard: 'card',
  directdebit: 'sepa_debit',
};

/** Returns what is known of the method that later charges use: that of the mandate, else of the payment. */
function describeMethod(payment: Payment, mandate: Mandate | undefined): MethodDetails {
  const method: string | undefined = mandate?.method ?? payment.method;
  // The details of a payment are those of its own method: an iDEAL payment creates a mandate for direct debits.
  const details = { ...payment.details, ...mandate?.details } as Record<string, unknown>;
  const text = (name: string) => (typeof details[name] === 'string' ? details[name] : null);
  const isCard = method === 'creditcard';
  const account = isCard ? text('cardNumber') : method === 'directdebit' ? text('consumerAccount') : null;
  return {
    type: method ? (methodTypes[method] ?? method) : null,
    brand: isCard ? (text('cardLabel')?.toLowerCase() ?? null) : null,
    last4: account?.slice(-4) ?? null,
    expiresAt: isCard ? findExpiry(text('cardExpiryDate')) : null,
    fingerprint: text('cardFingerprint'),
    // An account has its country in its number.
    country: isCard ? text('cardCountryCode') : (account?.slice(0, 2) ?? null),
  };
}

/** Takes the last day of a card and returns the first instant of the next month. */
function findExpiry(date: string | null): string | null {
  const [, year, month] = /^(\d{4})-(\d{2})-\d{2}$/.exec(date ?? '') ?? [];
  return year && month ? new Date(Date.UTC(Number(year), Number(month))).toISOString() : null;
}

/** Returns the outcome of a refund from its status: https://docs.mollie.com/reference/get-refund */
export function toRefundOutcome({ id: reference, status }: Refund): RefundOutcome {
  if (status === RefundStatus.refunded) return { status: 'succeeded', reference };
  if (status === RefundStatus.failed || status === RefundStatus.canceled)
    return { status: 'declined', reason: status };
  return { status: 'pending', reference };
}

/** Returns a refund that was made at Mollie. */
export function toRefund(made: Refund): Reversal {
  const { amount } = made;
  const outcome = toRefundOutcome(made);
  const reason = outcome.status === 'declined' ? outcome.reason : null;
  return { type: 'refund', reference: made.id, ...readMoney(amount), status: outcome.status, reason };
}

/**
 * Returns a chargeback, which is final unless it is reversed: https://docs.mollie.com/reference/get-chargeback. Only direct
 * debits have a reason.
 */
export function toDispute({ id: reference, amount, reversedAt, ...made }: Chargeback): Reversal {
  // The SDK declares a reason for each.
  const reason = (made.reason as { code: string } | null | undefined)?.code ?? null;
  const status = reversedAt ? 'won' : 'lost';
  return { type: 'dispute', reference, ...readMoney(amount), status, reason, evidenceDueAt: null };
}

const readMoney = (amount: { value: string; currency: string }) => ({
  amountMinor: fromMollieAmount(amount),
  currency: amount.currency.toLowerCase(),
});

/** Builds the metadata of an attempt. */
export const toMetadata = ({ tenantAlias, idempotencyKey }: Pick<Charge, 'tenantAlias' | 'idempotencyKey'>) =>
  ({ perennial_tenant: tenantAlias, perennial_key: idempotencyKey }) satisfies Metadata;

import type { Amount } from '../texts/format.ts';

/** The parts of a trace that are read here. */
interface TraceLike {
  activityType: string;
  createdAt: string;
  payload: Record<string, unknown>;
}

/** A charge or a refund of an invoice, as its events report it. */
export interface Payment {
  id: string;
  kind: 'charge' | 'refund';
  status: string;
  provider: string;
  failureReason: string | null;
  at: string;
  amount: Amount;
}

/** Returns the charges and refunds of an invoice from traces in descending order; each with its latest state. */
export function findPayments(traces: readonly TraceLike[], invoiceId: string): Payment[] {
  const found = new Map<string, Payment>();
  for (const { activityType, createdAt, payload } of traces) {
    const object = payload['object'] as Record<string, any> | undefined;
    if (activityType !== 'PaymentEvent' || !object || object['invoiceId'] !== invoiceId) continue;
    if (found.has(object['id'])) continue;
    const { id, kind, status, provider, failureReason, price } = object;
    found.set(id, { id, kind, status, provider, failureReason, at: createdAt, amount: readAmount(price) });
  }
  return [...found.values()];
}

/** Returns an amount of an event, a number, as the schema has amounts: with the decimals of its currency. */
function readAmount({ amount, currency }: { amount: number; currency: string }): Amount {
  const { maximumFractionDigits: digits } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: currency.toUpperCase(),
  }).resolvedOptions();
  return { decimal: amount.toFixed(digits), currency };
}

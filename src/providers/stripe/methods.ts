import type { Stripe } from 'stripe';
import type { MethodDetails } from '../provider.ts';

/** What types of payment method have in common of the fields that may be shown. */
interface TypeDetails {
  brand?: string | null;
  last4?: string | null;
  fingerprint?: string | null;
  bank_name?: string | null;
  exp_month?: number;
  exp_year?: number;
  country?: string | null;
}

/** Returns what may be shown of a payment method; undefined for one of which only the id is known. */
export function describeMethod(method: string | Stripe.PaymentMethod | null): MethodDetails | undefined {
  if (method === null || typeof method === 'string') return undefined;
  const details = (method as unknown as Record<string, TypeDetails | undefined>)[method.type] ?? {};
  const { brand, bank_name: bank, last4, fingerprint, exp_month: month, exp_year: year, country } = details;
  return {
    type: method.type,
    brand: brand ?? bank ?? null,
    last4: last4 ?? null,
    expiresAt: month === undefined || year === undefined ? null : computeExpiry(year, month),
    fingerprint: fingerprint ?? null,
    country: country ?? null,
  };
}

/** Returns the first instant after a month, 1 to 12. */
export const computeExpiry = (year: number, month: number) =>
  new Date(Date.UTC(year, month, 1)).toISOString();

import type { BillingError } from '../lib/errors.ts';

/**
 * Returns the Retry-After header (RFC 9110, 10.2.3) of an error that a retry can resolve: every 429 and 503.
 * Undefined for other errors.
 */
export const getRetryHeaders = ({ retryAfterSeconds }: BillingError): Record<string, string> | undefined =>
  retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) };

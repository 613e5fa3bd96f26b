import type { BillingError } from '../lib/errors.ts';

/** The Retry-After header (RFC 9110, 10.2.3) of a refusal that passes, which every 429 and 503 has; undefined for others. */
export const retryHeaders = ({ retryAfterSeconds }: BillingError): Record<string, string> | undefined =>
  retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) };

import type { Stripe } from 'stripe';
import type { Charge } from '../provider.ts';

/** The metadata of objects at Stripe: the tenant, the customer and the idempotency key of the attempt. */
export const tenantField = 'perennial_tenant';
export const customerField = 'perennial_customer';
export const keyField = 'perennial_key';
/** Marks the payments of Checkout Sessions. */
export const sessionField = 'perennial_session';

/** Builds the metadata that connect a callback to its attempt. */
export const toStripeMetadata = ({
  tenantAlias,
  idempotencyKey,
}: Pick<Charge, 'tenantAlias' | 'idempotencyKey'>) => ({
  [tenantField]: tenantAlias,
  [keyField]: idempotencyKey,
});

/** Returns the tenant and the key of an object; undefined if another system on the same account created it. */
export function parseMetadata({ metadata }: { metadata: Stripe.Metadata | null }) {
  const { [tenantField]: tenantAlias, [keyField]: idempotencyKey } = metadata ?? {};
  return tenantAlias && idempotencyKey ? { tenantAlias, idempotencyKey } : undefined;
}

/** The metadata of objects at Stripe: the tenant, the customer and the idempotency key of the attempt. */
export const tenantField = 'perennial_tenant';
export const customerField = 'perennial_customer';
export const keyField = 'perennial_key';

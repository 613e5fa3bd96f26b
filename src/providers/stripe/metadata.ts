/** What the objects at Stripe carry, so that they are found again: whose they are, and which try made them. */
export const tenantField = 'perennial_tenant';
export const customerField = 'perennial_customer';
export const keyField = 'perennial_key';

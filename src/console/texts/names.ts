/** The parts of a customer from which their name is made. */
interface NamedCustomer {
  firstName: string;
  lastName: string;
  companyName: string | null;
}

/** Returns the company, or else the person; an empty text for a customer who has been erased. */
export const nameCustomer = (customer: NamedCustomer | null | undefined): string =>
  customer ? customer.companyName || `${customer.firstName} ${customer.lastName}` : '';

/** The parts of a payment method from which its name is made. */
interface NamedMethod {
  brand: string | null;
  type: string | null;
  provider: string;
  last4: string | null;
}

/** Returns the name of a saved payment method: `visa •••• 4242`. */
export const nameMethod = ({ brand, type, provider, last4 }: NamedMethod): string =>
  [brand ?? type ?? provider, last4 ? `•••• ${last4}` : ''].filter(Boolean).join(' ');

/** Returns another name of a tenant, with the alias that it proposes unless somebody has typed their own. */
export const rename = (
  before: { name: string; alias: string },
  name: string,
): { name: string; alias?: string } => ({
  name,
  ...(before.alias === toAlias(before.name) && { alias: toAlias(name) }),
});

/** Proposes an alias for a name: lower-case letters without accents, digits and hyphens. */
const toAlias = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');

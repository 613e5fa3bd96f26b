/** The parts of a customer from which their name is made. */
interface NamedCustomer {
  firstName: string;
  lastName: string;
  companyName: string | null;
}

/** Returns the company, or else the person; an empty text for a customer who has been erased. */
export const nameCustomer = (customer: NamedCustomer | null | undefined): string =>
  customer ? customer.companyName || `${customer.firstName} ${customer.lastName}` : '';

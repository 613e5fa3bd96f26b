interface Named {
  firstName: string;
  lastName: string;
  companyName?: string | null;
}

/** The name of a customer: the company, or the person; undefined for one that was deleted. */
export const nameCustomer = (customer: Named | null | undefined): string | undefined =>
  customer ? customer.companyName || `${customer.firstName} ${customer.lastName}` : undefined;

export const en = {
  title: 'Customers',
  associatedId: 'Your id',
  balance: 'Balance',
  create: 'New customer',
  empty: 'No customers yet',
  emptyText:
    'Everybody who buys becomes a customer: when your application creates one through the API, when somebody pays through a payment page, or here.',
  vatId: 'VAT id',
  vatIdStatus: { invalid: 'not registered', unavailable: 'not confirmed yet', valid: 'registered' },
  firstName: 'First name',
  lastName: 'Last name',
  companyName: 'Company',
  companyHint: 'If the invoices are for a company',
  associatedIdHint: 'The id of the same customer in your own application',
  createdToast: (name: string) => `Created ${name}`,
};

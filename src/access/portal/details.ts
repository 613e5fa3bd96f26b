/** The details on a customer's invoices, as the customer edits them. */
import { updateCustomer, type CustomerRow } from '../../billing/customers/customers.ts';
import { checkVatIds } from '../../billing/tax/vatIdChecks.ts';
import { findLanguage } from '../../lib/language.ts';
import {
  readInvoiceDetails,
  replaceVatId,
  type InvoiceDetails,
} from '../../billing/subscriptions/intents/invoiceDetails.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

/** The details in a form: one line each, empty for none. `language` is a language with texts, or empty. */
export interface CustomerDetails extends InvoiceDetails {
  region: string;
  language: string;
}

/** Returns the details of a customer for the form. */
export const readCustomerDetails = (customer: CustomerRow): CustomerDetails => ({
  ...readInvoiceDetails(customer),
  region: customer.address?.region ?? '',
  language: findLanguage(customer.locale) ?? '',
});

/**
 * Saves the details of a customer, then asks VIES about the VAT id if the tax depends on it. Tax ids of other types stay,
 * and so does the locale if it is of the same language. Errors: `customer_not_found`, `validation_failed`.
 */
export async function saveCustomerDetails(
  tenant: TenantScope,
  customer: CustomerRow,
  details: CustomerDetails,
): Promise<void> {
  await tenant.write((unit) => changeDetails(unit, customer, details));
  await checkVatIds(tenant, [customer.id], { isRetry: true });
}

async function changeDetails(
  unit: UnitOfWork,
  customer: CustomerRow,
  { companyName, vatId, language, ...address }: CustomerDetails,
): Promise<CustomerRow> {
  const hasAddress = Object.values(address).some((line) => line.trim() !== '');
  const isSameLanguage = language === '' || findLanguage(customer.locale) === language;
  return updateCustomer(unit, customer.id, null, {
    companyName,
    address: hasAddress ? address : null,
    taxIds: replaceVatId(customer.taxIds ?? [], vatId.trim()),
    ...(!isSameLanguage && { locale: findLanguage(language) ?? null }),
  });
}

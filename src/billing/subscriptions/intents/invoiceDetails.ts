/** The details of an invoice that a payer completes: the company, the VAT id and the address of the customer. */
import { updateCustomer, type CustomerRow } from '../../customers/customers.ts';
import { checkVatIds } from '../../tax/vatIdChecks.ts';
import { refuse } from '../../../lib/errors.ts';
import { findVatType, isVatType } from '../../../lib/taxIds.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import type { Reads } from '../../../storage/store.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import { isErased } from '../../customers/erasedData.ts';
import { findIntent, type IntentRow } from './intents.ts';

/** The details as a payer enters them: one line each, empty for none. */
export interface InvoiceDetails {
  companyName: string;
  vatId: string;
  line1: string;
  line2: string;
  postalCode: string;
  city: string;
  /** A state or province. */
  region: string;
  /** An ISO 3166-1 alpha-2 code. */
  country: string;
}

/**
 * Returns the customer whose details the payer of an intent may change: until the intent is paid, and afterwards while its
 * invoice waits for its number. Undefined if the seller has no address, and therefore charges no tax, or if the customer is erased.
 */
export async function findCustomerToComplete(
  reads: Reads,
  { seller }: Pick<Row<'tenants'>, 'seller'>,
  intent: IntentRow,
): Promise<CustomerRow | undefined> {
  if (!seller?.address) return undefined;
  if (intent.status !== 'requires_payment_method' && !(await hasWaitingInvoice(reads, intent)))
    return undefined;
  const customer = await reads.one('customers', { id: intent.customerId });
  return customer && !isErased(customer) ? customer : undefined;
}

async function hasWaitingInvoice(reads: Reads, { id }: IntentRow): Promise<boolean> {
  const invoices = await reads.many('invoices', { where: { intentId: id, status: ['open', 'paid'] } });
  return invoices.some(({ documentNumber, finalizeAt }) => documentNumber === null && finalizeAt !== null);
}

/** Returns the details of a customer as the payer sees them. */
export function readInvoiceDetails({ companyName, address, taxIds }: CustomerRow): InvoiceDetails {
  return {
    companyName: companyName ?? '',
    vatId: taxIds?.find(({ type }) => isVatType(type))?.value ?? '',
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    postalCode: address?.postalCode ?? '',
    city: address?.city ?? '',
    region: address?.region ?? '',
    country: address?.country ?? '',
  };
}

/**
 * Saves the details of the customer of an intent, then asks VIES about the VAT id if the tax depends on it. Errors: as
 * `saveInvoiceDetails`.
 */
export async function completeInvoiceDetails(
  tenant: TenantScope,
  intentId: string,
  details: InvoiceDetails,
): Promise<void> {
  const { id } = await tenant.write((unit) => saveInvoiceDetails(unit, intentId, details));
  await checkVatIds(tenant, [id], { isRetry: true });
}

/**
 * Saves the details of the customer of an intent. Tax ids of other types stay. Errors: `intent_not_found`,
 * `intent_not_payable`, `validation_failed`.
 */
async function saveInvoiceDetails(
  unit: UnitOfWork,
  intentId: string,
  { companyName, vatId, ...address }: InvoiceDetails,
): Promise<CustomerRow> {
  const intent = await findIntent(unit, intentId, unit.now);
  const customer = await findCustomerToComplete(unit, unit.tenant, intent);
  if (!customer)
    return refuse('intent_not_payable', { path: 'id', message: 'has no invoice that can still be changed' });
  return updateCustomer(unit, customer.id, null, {
    companyName,
    address,
    taxIds: replaceVatId(customer.taxIds ?? [], vatId.trim()),
  });
}

/** Replaces the first VAT id of a customer; an empty one removes it. */
export function replaceVatId(taxIds: NonNullable<CustomerRow['taxIds']>, vatId: string) {
  const replaced = taxIds.find(({ type }) => isVatType(type));
  const kept = taxIds.filter((taxId) => taxId !== replaced);
  return vatId === '' ? kept : [{ type: findVatType(vatId), value: vatId }, ...kept];
}

/** Whether a VAT id needs the confirmation of VIES. Pure. */
import { addMs } from '../../lib/time.ts';
import type { VatIdCheck } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { findReverseChargeId, type TaxedCustomer } from './resolveRate.ts';
import { dayMs } from '../../lib/durations.ts';

type Seller = Pick<Row<'tenants'>, 'seller'>;

/** How long VIES is not asked again about an id that it answered about. A known answer counts until another one. */
const askedAgainAfterMs = { valid: 90 * dayMs, invalid: dayMs, unavailable: 0 } as const;

/**
 * Returns the VAT id that makes a customer owe the tax of the seller's bills if it is valid; undefined if no id does, or
 * if the customer is exempt.
 */
export function findVatIdToCheck({ seller }: Seller, customer: TaxedCustomer): string | undefined {
  return seller?.address && !customer.taxExempt ? findReverseChargeId(seller.address, customer) : undefined;
}

/** Returns the answer of VIES about an id of a customer; undefined if it was asked about another one, or not at all. */
const findCheck = ({ vatIdCheck }: TaxedCustomer, value: string): VatIdCheck | undefined =>
  vatIdCheck?.value === value ? vatIdCheck : undefined;

/** Whether VIES is to be asked about a customer before the next bill. */
export function isCheckDue(
  tenant: Seller,
  customer: TaxedCustomer & Pick<Row<'customers'>, 'vatIdCheckDueAt'>,
  now: string,
): boolean {
  const vatId = findVatIdToCheck(tenant, customer);
  if (vatId === undefined) return false;
  const check = findCheck(customer, vatId);
  if (!check) return true;
  if (customer.vatIdCheckDueAt !== null) return customer.vatIdCheckDueAt <= now;
  return addMs(check.checkedAt, askedAgainAfterMs[check.status]) <= now;
}

/** Whether the tax of a customer's bills depends on an answer that VIES has not given. */
export function isAwaitingCheck(tenant: Seller, customer: TaxedCustomer): boolean {
  const vatId = findVatIdToCheck(tenant, customer);
  if (vatId === undefined || customer.taxRateId !== null) return false;
  return (findCheck(customer, vatId)?.status ?? 'unavailable') === 'unavailable';
}

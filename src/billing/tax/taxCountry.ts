import type { TaxTotal } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { locate } from './vatPlaces.ts';

/**
 * Returns the country whose tax applies to a bill: that of the customer, or of the seller if the customer has none or the
 * exemption of the seller applies; null for a bill without tax. VAT of France applies in Monaco (`locate`).
 */
export function findTaxCountry(
  { seller }: Pick<Row<'tenants'>, 'seller'>,
  customer: Pick<Row<'customers'>, 'address'> | undefined,
  taxes: TaxTotal[] | null,
): string | null {
  const isAtHome = taxes?.some(({ reason }) => reason === 'exempt_seller');
  const address = (isAtHome ? undefined : customer?.address) ?? seller?.address;
  return taxes && address ? locate(address).country : null;
}

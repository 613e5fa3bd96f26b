/** Sellers outside the European Union without tax rates of their own, whose customers at home pay no tax. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { Warning } from '../../lib/warnings.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import { isInForce, type TaxRateRow } from './resolveRate.ts';
import { hasStandardRate, locate } from './vatPlaces.ts';

type Selling = Pick<Row<'tenants'>, 'seller'>;

/**
 * Returns the country of a seller for which there are no standard rates, unless the seller states that it charges no tax or is exempt;
 * undefined for all others.
 */
export function findOwnRatesCountry({ seller }: Selling): string | undefined {
  if (!seller?.address || seller.chargesNoTax || seller.taxExemption) return undefined;
  const home = locate(seller.address);
  return hasStandardRate(home) ? undefined : home.ownCountry;
}

/** Returns whether a rate is in force for a country, given those of the country. */
export const hasRate = (rates: TaxRateRow[], at: string): boolean =>
  rates.some((rate) => isInForce(rate, at));

/**
 * Returns the country of the seller if customers there are billed without tax only because no rate is in force at an
 * instant. Makes no query for sellers in the European Union.
 */
export async function findUntaxedHome(
  reads: Reads,
  tenant: Selling,
  at: string,
): Promise<string | undefined> {
  const country = findOwnRatesCountry(tenant);
  if (country === undefined) return undefined;
  const rates = await reads.many('taxRates', { where: { country }, orderBy: ['id'] });
  return hasRate(rates, at) ? undefined : country;
}

/** Lists the warning of a preview whose lines bill a customer at home without tax. */
export async function listTaxWarnings(
  reads: Reads,
  tenant: Selling,
  { customerId, at, lines }: { customerId: string; at: string; lines: Line[] },
): Promise<Warning[]> {
  if (!lines.some(({ tax }) => tax?.reason === 'outside_scope')) return [];
  const country = await findUntaxedHome(reads, tenant, at);
  const customer = await reads.one('customers', { id: customerId });
  const isAtHome = (customer?.address?.country ?? country) === country;
  if (country === undefined || !isAtHome || customer?.taxRateId) return [];
  const message =
    `No tax is charged in ${country}, where the seller is, because there is no tax rate for it. ` +
    'Add one, or state with `seller.chargesNoTax` that none is owed.';
  return [{ code: 'tax_rate_missing', message }];
}

/** The tax of one-off charges with a rate of their own. */
import type { CustomerRow } from '../customers/customers.ts';
import { refuse } from '../../lib/errors.ts';
import type { TaxTerms } from '../../storage/model/common.ts';
import { buildTerms } from '../tax/resolveRate.ts';
import { findTaxRate } from '../tax/taxRates.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { ParsedCharge } from './itemInput.ts';

/**
 * Returns the tax terms of a charge with a rate of its own, which it keeps; undefined if those of its bill apply: without a
 * rate, and for an exempt customer. `path` precedes the names of its fields. Errors: `tax_rate_not_found`,
 * `validation_failed` for an archived rate, and if the seller charges no tax: the rate would be lost.
 */
export async function findChargeTerms(
  reads: Reads,
  { seller }: Pick<Row<'tenants'>, 'seller'>,
  { taxExempt }: Pick<CustomerRow, 'taxExempt'>,
  { taxRateId }: Pick<ParsedCharge, 'taxRateId'>,
  path = '',
): Promise<TaxTerms | undefined> {
  if (taxRateId === undefined) return undefined;
  const rate = await findTaxRate(reads, taxRateId);
  if (rate.archivedAt !== null)
    refuse('validation_failed', { path: `${path}taxRateId`, message: 'is archived' });
  if (!seller?.address)
    refuse('validation_failed', {
      path: `${path}taxRateId`,
      message: 'the seller charges no tax: set seller.address first',
    });
  return taxExempt ? undefined : buildTerms(rate);
}

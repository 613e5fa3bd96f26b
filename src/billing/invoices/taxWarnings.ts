/** What a preview warns of about the tax of its bill. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { Warning } from '../../lib/warnings.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import { summarizeTaxes, sumTaxes } from '../pricing/tax.ts';
import { listTaxWarnings } from '../tax/untaxedHome.ts';
import { previewConversion } from './taxConversions.ts';

/** Lists the warnings of a preview: of no tax at home, and of a rate that is missing to show the tax in the seller's currency. */
export async function listBillWarnings(
  reads: Reads,
  tenant: Row<'tenants'>,
  bill: { customerId: string; at: string; now: string; lines: Line[]; currency: string },
): Promise<Warning[]> {
  const { now, lines, currency } = bill;
  const taxMinor = sumTaxes(summarizeTaxes(lines));
  const preview = await previewConversion(reads, { tenant, now }, { currency, taxMinor });
  const warnings = await listTaxWarnings(reads, tenant, bill);
  if (!preview || preview.conversion) return warnings;
  const [from, to] = [currency, preview.currency].map((code) => code.toUpperCase());
  const message =
    `No exchange rate of ${preview.day} is known to show the tax in ${from} in ${to}, in which the seller owes it. ` +
    'Set one with `setExchangeRate`, or import those of the European Central Bank.';
  return [...warnings, { code: 'exchange_rate_missing', message }];
}

/** The currency in which a seller owes tax (directive 2006/112/EC, article 230). */
import { isMemberState } from '../../lib/countries.ts';
import type { Row } from '../../storage/model/rowTypes.ts';

/** The currencies of the countries whose law asks for the tax in them, where that is not the euro. */
const ownCurrencies: Readonly<Record<string, string>> = {
  CZ: 'czk',
  DK: 'dkk',
  GB: 'gbp',
  HU: 'huf',
  NO: 'nok',
  PL: 'pln',
  RO: 'ron',
  SE: 'sek',
};

type TaxedSeller = Pick<Row<'tenants'>, 'seller' | 'taxCurrency'>;

/** Returns the currency in which a tenant owes tax: the one it chose, or that of its seller's country; null for none. */
export function findHomeCurrency({ seller, taxCurrency }: TaxedSeller): string | null {
  if (!seller?.address) return null;
  const { country } = seller.address;
  return taxCurrency ?? ownCurrencies[country] ?? (isMemberState(country) ? 'eur' : null);
}

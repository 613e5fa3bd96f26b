/** The fields that XRechnung and Peppol BIS Billing 3.0 require beyond EN 16931. */
import { findBrokenForm, isPeppolScheme } from '../lib/partySchemes.ts';
import type { SchemeId } from '../storage/model/parties.ts';
import { findBuyerAddress } from './en16931.ts';
import { choose, isBlank, type MissingField } from './fieldRows.ts';
import { listMissingByCountry } from './peppolCountries.ts';
import { peppol, type Profile } from './profiles.ts';
import type { DocumentRecord } from './record.ts';

/** Lists what XRechnung requires (KoSIT's rules BR-DE), and Peppol of German sellers under the names DE-R. */
export function listMissingByGermany({ seller, buyer, buyerReference }: DocumentRecord): MissingField[] {
  const { contact, address } = seller;
  return choose([
    [
      isBlank(buyerReference),
      'BT-10',
      'customer.buyerReference',
      'the reference of the customer',
      'BR-DE-15',
    ],
    [!contact, 'BG-6', 'seller.contact', 'whom the customer may ask', 'BR-DE-2'],
    [isBlank(address?.city), 'BT-37', 'seller.address.city', 'the city of the seller', 'BR-DE-3'],
    [
      isBlank(address?.postalCode),
      'BT-38',
      'seller.address.postalCode',
      'the postal code of the seller',
      'BR-DE-4',
    ],
    [isBlank(buyer.address?.city), 'BT-52', 'customer.address.city', 'the city of the customer', 'BR-DE-8'],
    [
      isBlank(buyer.address?.postalCode),
      'BT-53',
      'customer.address.postalCode',
      'the postal code of the customer',
      'BR-DE-9',
    ],
  ]);
}

/** Lists the electronic addresses that are missing. */
export function listUnaddressed(record: DocumentRecord, profile: Profile): MissingField[] {
  const isUnrouted = (id: SchemeId | null | undefined) =>
    !id || (profile === peppol && !isPeppolScheme(id.scheme));
  return choose([
    [
      isUnrouted(record.seller.electronicAddress),
      'BT-34',
      'seller.electronicAddress',
      'the electronic address of the seller',
      'PEPPOL-EN16931-R020',
    ],
    [
      isUnrouted(findBuyerAddress(record, profile)),
      'BT-49',
      'customer.electronicAddress',
      'the electronic address of the customer',
      'PEPPOL-EN16931-R010',
    ],
  ]);
}

/** Lists what Peppol BIS Billing 3.0 requires, with its rules for sellers of some countries. */
export function listMissingByPeppol(record: DocumentRecord, profile: Profile): MissingField[] {
  const { seller, buyer, buyerReference, purchaseOrder } = record;
  const isUnreferenced = isBlank(buyerReference) && isBlank(purchaseOrder);
  const isGerman = seller.address?.country === 'DE' && buyer.address?.country === 'DE';
  return [
    ...listUnaddressed(record, profile),
    ...listMalformed(record),
    ...(isGerman ? listMissingByGermany(record) : []),
    ...listMissingByCountry(record),
    ...choose([
      [
        isUnreferenced && !isGerman,
        'BT-10',
        'customer.buyerReference',
        'the reference of the customer, or the number of their order',
        'PEPPOL-EN16931-R003',
      ],
    ]),
  ];
}

/** Lists the identifiers whose form or check digits do not fit their scheme. */
const listMalformed = ({ seller, buyer }: DocumentRecord): MissingField[] =>
  (
    [
      ['BT-34', 'seller.electronicAddress', seller.electronicAddress],
      ['BT-30', 'seller.legalRegistration', seller.legalRegistration],
      ['BT-49', 'customer.electronicAddress', buyer.electronicAddress],
      ['BT-47', 'customer.legalRegistration', buyer.legalRegistration],
    ] as const
  ).flatMap(([term, path, id]) => {
    const rule = id ? findBrokenForm(id) : null;
    return rule ? [{ term, path, message: 'an identifier in the form of its scheme', rule }] : [];
  });

/** What Peppol BIS Billing 3.0 requires of sellers of some countries (https://docs.peppol.eu/poacc/billing/3.0/rules/ubl-peppol/). */
import { hasLuhnDigit } from '../lib/partySchemes.ts';
import { findSellerIds, findTaxCountry, listSubtotals } from './en16931.ts';
import { choose, isBlank, type MissingField } from './fieldRows.ts';
import type { DocumentRecord } from './record.ts';

type Party = Pick<DocumentRecord['seller'], 'address' | 'legalRegistration'>;

/** Lists what the country of the seller adds; those of Denmark, Iceland, the Netherlands and Sweden go by the address. */
export function listMissingByCountry(record: DocumentRecord): MissingField[] {
  const byAddress = rulesByAddress[record.seller.address?.country ?? ''];
  const byTaxId = rulesByTaxId[findTaxCountry(record) ?? ''];
  return [...(byAddress?.(record) ?? []), ...(byTaxId?.(record) ?? [])];
}

const lacks = ({ address }: Party, ...fields: ('line1' | 'city' | 'postalCode')[]) =>
  fields.some((field) => isBlank(address?.[field]));
const isIn = ({ buyer }: DocumentRecord, country: string) => buyer.address?.country === country;
const isUnregistered = ({ legalRegistration }: Party, ...schemes: string[]) =>
  !schemes.includes(legalRegistration?.scheme ?? '');

/** The registers of the Netherlands: the chamber of commerce, and public bodies. */
const dutchRegisters = ['0106', '0190'];

function listMissingByNetherlands(record: DocumentRecord): MissingField[] {
  const { seller, buyer } = record;
  const isDutch = isIn(record, 'NL');
  const isIncomplete = (party: Party) => lacks(party, 'line1', 'city', 'postalCode');
  const number = 'the number at the chamber of commerce (0106) or of a public body (0190)';
  return choose([
    [
      isIncomplete(seller),
      'BG-5',
      'seller.address',
      'street, city and postal code of the seller',
      'NL-R-002',
    ],
    [isUnregistered(seller, ...dutchRegisters), 'BT-30', 'seller.legalRegistration', number, 'NL-R-003'],
    [
      isDutch && isIncomplete(buyer),
      'BG-8',
      'customer.address',
      'street, city and postal code of the customer',
      'NL-R-004',
    ],
    [
      isDutch && isUnregistered(buyer, ...dutchRegisters),
      'BT-47',
      'customer.legalRegistration',
      number,
      'NL-R-005',
    ],
  ]);
}

const listMissingByDenmark = ({ seller }: DocumentRecord): MissingField[] =>
  choose([
    [
      isUnregistered(seller, '0184'),
      'BT-30',
      'seller.legalRegistration',
      'the CVR number of the seller (0184)',
      'DK-R-014',
    ],
  ]);

function listMissingByIceland(record: DocumentRecord): MissingField[] {
  const { seller, buyer } = record;
  const isIcelandic = isIn(record, 'IS');
  return choose([
    [
      isUnregistered(seller, '0196'),
      'BT-30',
      'seller.legalRegistration',
      'the kennitala of the seller (0196)',
      'IS-R-002',
    ],
    [
      lacks(seller, 'line1', 'postalCode'),
      'BG-5',
      'seller.address',
      'street and postal code of the seller',
      'IS-R-003',
    ],
    [
      isIcelandic && isUnregistered(buyer, '0196'),
      'BT-47',
      'customer.legalRegistration',
      'the kennitala of the customer (0196)',
      'IS-R-004',
    ],
    [
      isIcelandic && lacks(buyer, 'line1', 'postalCode'),
      'BG-8',
      'customer.address',
      'street and postal code of the customer',
      'IS-R-005',
    ],
  ]);
}

const swedishRates = ['6', '12', '25'];
const swedishTaxRegistration = 'GODKÄND FÖR F-SKATT';

function listMissingBySweden(record: DocumentRecord): MissingField[] {
  const { legalRegistration, registration } = record.seller;
  const { vatId, taxRegistration } = findSellerIds(record);
  const number = legalRegistration?.value.trim() ?? registration?.trim() ?? null;
  const isOtherRate =
    vatId?.startsWith('SE') === true &&
    listSubtotals(record).some(
      ({ category, percent }) => category === 'S' && !swedishRates.includes(percent!),
    );
  return choose([
    [
      number !== null && !(/^\d{10}$/.test(number) && hasLuhnDigit(number)),
      'BT-30',
      'seller.legalRegistration',
      'the organisation number of the seller, ten digits (0007)',
      'SE-R-013',
    ],
    [
      number !== null &&
        taxRegistration !== null &&
        taxRegistration.trim().toUpperCase() !== swedishTaxRegistration,
      'BT-32',
      'seller.taxIds',
      'the words “Godkänd för F-skatt” as the other tax id of the seller',
      'SE-R-005',
    ],
    [isOtherRate, 'BT-119', 'taxRate', 'a rate of 6, 12 or 25 percent', 'SE-R-006'],
  ]);
}

function listMissingByItaly(record: DocumentRecord): MissingField[] {
  const { seller } = record;
  const { taxRegistration } = findSellerIds(record);
  return choose([
    [
      taxRegistration !== null && !/^[A-Z0-9]{11,16}$/.test(taxRegistration.trim()),
      'BT-32',
      'seller.taxIds',
      'a tax code of 11 to 16 letters and digits as the other tax id of the seller',
      'IT-R-001',
    ],
    [lacks(seller, 'line1'), 'BT-35', 'seller.address.line1', 'the street of the seller', 'IT-R-002'],
    [lacks(seller, 'city'), 'BT-37', 'seller.address.city', 'the city of the seller', 'IT-R-003'],
    [
      lacks(seller, 'postalCode'),
      'BT-38',
      'seller.address.postalCode',
      'the postal code of the seller',
      'IT-R-004',
    ],
  ]);
}

function listMissingByNorway(record: DocumentRecord): MissingField[] {
  const { vatId } = findSellerIds(record);
  return choose([
    [
      vatId !== null && !/^NO\d{9}MVA$/.test(vatId),
      'BT-31',
      'seller.taxIds',
      'the VAT number of the seller with the letters MVA',
      'NO-R-001',
    ],
  ]);
}

/** The tax authority numbers documents of Greek sellers (myDATA), which Perennial cannot ask for. */
const listMissingByGreece = (): MissingField[] =>
  choose([[true, 'BT-1', 'number', 'the number and the MARK that myDATA assigns', 'GR-R-004-1']]);

type CountryRules = Record<string, (record: DocumentRecord) => MissingField[]>;

const rulesByAddress: CountryRules = {
  DK: listMissingByDenmark,
  IS: listMissingByIceland,
  NL: listMissingByNetherlands,
  SE: listMissingBySweden,
};

const rulesByTaxId: CountryRules = {
  GR: listMissingByGreece,
  IT: listMissingByItaly,
  NO: listMissingByNorway,
};

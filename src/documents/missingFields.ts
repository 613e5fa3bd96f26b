/** The fields that EN 16931 and its national uses require, and a record lacks. */
import type { TaxCategory } from '../storage/model/common.ts';
import { isPeppolScheme } from '../lib/partySchemes.ts';
import { findBuyerAddress, findBuyerIds, findBuyerNames, findSellerIds, listSubtotals } from './en16931.ts';
import { core, peppol, xrechnung, type Profile } from './profiles.ts';
import type { DocumentRecord } from './record.ts';
import { toXmlText } from './xml.ts';

/** A business term of the standard, the field to complete, a sentence, and the national rule that asks for it, if one does. */
export interface MissingField {
  term: string;
  path: string;
  message: string;
  rule?: string;
}

/**
 * Returns the terms that a UBL or CII document of this record would lack; empty if it meets EN 16931 and the rules of the
 * profile. Fields of the seller and the customer have the names of their inputs.
 */
export function listMissingFields(record: DocumentRecord, profile: Profile = core): MissingField[] {
  return [
    ...listMissingOfSeller(record),
    ...listMissingOfBuyer(record),
    ...listMissingOfDocument(record),
    ...(profile === xrechnung
      ? [...listMissingByGermany(record), ...listMissingAddresses(record, profile)]
      : []),
    ...(profile === peppol ? listMissingByPeppol(record, profile) : []),
  ];
}

/** Lists what XRechnung requires (KoSIT's rules BR-DE), and Peppol of German sellers under the names DE-R. */
function listMissingByGermany({ seller, buyer, buyerReference }: DocumentRecord): MissingField[] {
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
function listMissingAddresses(record: DocumentRecord, profile: Profile): MissingField[] {
  const own = record.seller.electronicAddress;
  const theirs = findBuyerAddress(record, profile);
  const isUnrouted = (id: { scheme: string } | null | undefined) =>
    !id || (profile === peppol && !isPeppolScheme(id.scheme));
  return choose([
    [
      isUnrouted(own),
      'BT-34',
      'seller.electronicAddress',
      'the electronic address of the seller',
      'PEPPOL-EN16931-R020',
    ],
    [
      isUnrouted(theirs),
      'BT-49',
      'customer.electronicAddress',
      'the electronic address of the customer',
      'PEPPOL-EN16931-R010',
    ],
  ]);
}

/** Lists what Peppol BIS Billing 3.0 requires, with its rules for sellers of some countries. */
function listMissingByPeppol(record: DocumentRecord, profile: Profile): MissingField[] {
  const { seller, buyerReference, purchaseOrder } = record;
  const isUnreferenced = isBlank(buyerReference) && isBlank(purchaseOrder);
  const country = seller.address?.country;
  const isGerman = country === 'DE' && record.buyer.address?.country === 'DE';
  return [
    ...listMissingAddresses(record, profile),
    ...(isGerman ? listMissingByGermany(record) : []),
    ...(country === 'NL' ? listMissingByNetherlands(record) : []),
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

/** The registers of the Netherlands: the chamber of commerce, and public bodies. */
const dutchRegisters = ['0106', '0190'];

function listMissingByNetherlands({ seller, buyer }: DocumentRecord): MissingField[] {
  const isIncomplete = ({ address }: { address: DocumentRecord['seller']['address'] }) =>
    [address?.line1, address?.city, address?.postalCode].some(isBlank);
  const isUnregistered = (party: Pick<DocumentRecord['seller'], 'legalRegistration'>) =>
    !dutchRegisters.includes(party.legalRegistration?.scheme ?? '');
  const isDutch = buyer.address?.country === 'NL';
  const number = 'the number at the chamber of commerce (0106) or of a public body (0190)';
  return choose([
    [
      isIncomplete(seller),
      'BG-5',
      'seller.address',
      'street, city and postal code of the seller',
      'NL-R-002',
    ],
    [isUnregistered(seller), 'BT-30', 'seller.legalRegistration', number, 'NL-R-003'],
    [
      isDutch && isIncomplete(buyer),
      'BG-8',
      'customer.address',
      'street, city and postal code of the customer',
      'NL-R-004',
    ],
    [isDutch && isUnregistered(buyer), 'BT-47', 'customer.legalRegistration', number, 'NL-R-005'],
  ]);
}

const isBlank = (text: string | null | undefined): boolean => toXmlText(text ?? null) === '';

/** Whether a field is missing; its term, its path and a sentence; and the national rule that asks for it, if one does. */
type FieldRow = [missing: boolean, term: string, path: string, message: string, rule?: string];

/** Lists the rows whose first column is true. */
const choose = (rows: FieldRow[]): MissingField[] =>
  rows
    .filter(([missing]) => missing)
    .map(([, term, path, message, rule]) => ({ term, path, message, ...(rule !== undefined && { rule }) }));

function listMissingOfSeller(record: DocumentRecord): MissingField[] {
  const { legalName, address, registration, legalRegistration } = record.seller;
  const ids = findSellerIds(record);
  const categories = listCategories(record);
  const needsVatId = ids.vatId === null && categories.some((category) => ['K', 'G'].includes(category));
  const needsAnyTaxId =
    !needsVatId &&
    ids.vatId === null &&
    ids.taxRegistration === null &&
    categories.some((category) => ['S', 'Z', 'E', 'AE'].includes(category));
  const isUnknown =
    ids.vatId === null && ids.others.length === 0 && isBlank(registration) && !legalRegistration;
  const taxIds = 'seller.taxIds';
  return choose([
    [isBlank(legalName), 'BT-27', 'seller.legalName', 'the legal name of the seller'],
    [isBlank(address?.country), 'BT-40', 'seller.address.country', 'the country of the seller'],
    [needsVatId, 'BT-31', taxIds, 'the VAT id of the seller, because it exempts a supply abroad'],
    [needsAnyTaxId, 'BT-31', taxIds, 'a VAT id or tax number of the seller, because the document shows VAT'],
    [isUnknown, 'BT-30', 'seller.registration', 'a registration, a VAT id or another id of the seller'],
  ]);
}

function listMissingOfBuyer(record: DocumentRecord): MissingField[] {
  const needsVatId =
    findBuyerIds(record).vatId === null &&
    listCategories(record).some((category) => ['AE', 'K'].includes(category));
  return choose([
    [isBlank(findBuyerNames(record).name), 'BT-44', 'customer.companyName', 'the name of the customer'],
    [
      isBlank(record.buyer.address?.country),
      'BT-55',
      'customer.address.country',
      'the country of the customer',
    ],
    [needsVatId, 'BT-48', 'customer.taxIds', 'the VAT id of the customer, who owes the tax'],
  ]);
}

function listMissingOfDocument(record: DocumentRecord): MissingField[] {
  const unnamed = record.lines.findIndex(({ description }) => isBlank(description));
  return choose([
    [isBlank(record.number), 'BT-1', 'number', 'the number of the document'],
    [record.currencyDecimals > 2, 'BT-5', 'currency', 'a currency with at most two decimals'],
    [record.lines.length === 0, 'BG-25', 'lines', 'at least one line'],
    [unnamed >= 0, 'BT-153', `lines.${unnamed}.description`, 'a description of the line'],
  ]);
}

const listCategories = (record: DocumentRecord): TaxCategory[] =>
  listSubtotals(record).map(({ category }) => category);

/** The fields that EN 16931 and its national uses require, and a record lacks. */
import type { TaxCategory } from '../storage/model/common.ts';
import { findBuyerIds, findBuyerNames, findSellerIds, listSubtotals } from './en16931.ts';
import { choose, isBlank, type MissingField } from './fieldRows.ts';
import { listMissingByFrance } from './france.ts';
import { listMissingByGermany, listMissingByPeppol, listUnaddressed } from './nationalFields.ts';
import { core, france, peppol, xrechnung, type Profile } from './profiles.ts';
import type { DocumentRecord } from './record.ts';

/**
 * Returns the terms that a UBL or CII document of this record would lack; empty if it meets EN 16931 and the rules of the
 * profile. Fields of the seller and the customer have the names of their inputs.
 */
export function listMissingFields(record: DocumentRecord, profile: Profile = core): MissingField[] {
  return [
    ...listMissingOfSeller(record),
    ...listMissingOfBuyer(record),
    ...listMissingOfDocument(record),
    ...(profile === xrechnung ? [...listMissingByGermany(record), ...listUnaddressed(record, profile)] : []),
    ...(profile === peppol ? listMissingByPeppol(record, profile) : []),
    ...(profile === france ? listMissingByFrance(record, profile) : []),
  ];
}

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
    [
      (record.taxInHomeCurrency?.currencyDecimals ?? 0) > 2,
      'BT-6',
      'taxCurrency',
      'a currency of the tax with at most two decimals',
    ],
    [record.lines.length === 0, 'BG-25', 'lines', 'at least one line'],
    [unnamed >= 0, 'BT-153', `lines.${unnamed}.description`, 'a description of the line'],
  ]);
}

const listCategories = (record: DocumentRecord): TaxCategory[] =>
  listSubtotals(record).map(({ category }) => category);

/**
 * The terms of EN 16931, the European standard of electronic invoices, that both of its syntaxes (UBL and CII) share. BT
 * and BG numbers are those of the standard.
 */
import { formatDecimal, formatFixed, readDecimal } from '../lib/decimal.ts';
import { parseLocale } from '../lib/language.ts';
import { fillText } from '../lib/texts.ts';
import type { TaxCategory, TaxId, TaxReason } from '../storage/model/common.ts';
import type { SchemeId } from '../storage/model/parties.ts';
import { isBlank } from './fieldRows.ts';
import type { Profile } from './profiles.ts';
import type { DocumentRecord } from './record.ts';
import { chooseTag, documentTexts } from './texts.ts';

/** BT-130: pieces, of UN/ECE recommendation 20. */
export const unitCode = 'C62';

/** BT-3, of UNTDID 1001. */
export const typeCodes = { invoice: '380', credit_note: '381' } as const;

/** Formats minor units of the record's currency as the standard writes amounts: `12.50`. */
export const formatAmount = (
  amountMinor: bigint | string,
  { currencyDecimals }: Pick<DocumentRecord, 'currencyDecimals'>,
): string => formatFixed({ digits: BigInt(amountMinor), scale: currencyDecimals });

/** A group of the VAT breakdown (BG-23), in minor units. `percent` is null for category O, which has no rate. */
export interface TaxSubtotal {
  category: TaxCategory;
  percent: string | null;
  taxableMinor: bigint;
  taxMinor: bigint;
  /** BT-120 and BT-121; null for categories that are taxed. */
  reason: string | null;
  reasonCode: string | null;
}

/** The reason of a category that gives none, and its code of the VATEX list. Categories S and Z must have neither. */
const categoryReasons: Partial<Record<TaxCategory, { reason: TaxReason; code: string | null }>> = {
  AE: { reason: 'reverse_charge', code: 'VATEX-EU-AE' },
  K: { reason: 'intra_community', code: 'VATEX-EU-IC' },
  G: { reason: 'export', code: 'VATEX-EU-G' },
  O: { reason: 'outside_scope', code: 'VATEX-EU-O' },
  E: { reason: 'exempt', code: null },
};

/** The category and the rate of a line or of a group of the breakdown. */
export type TaxGroup = Pick<TaxSubtotal, 'category' | 'percent'>;

/** Returns whether nothing is subject to VAT: category O, which the standard does not mix with others (BR-O-11). */
export const isOutsideScope = ({ lines }: Pick<DocumentRecord, 'lines'>): boolean =>
  lines.every(({ tax }) => tax === null || tax.category === 'O');

/**
 * Returns the category and the rate of a line. An untaxed line is not subject to VAT (O); beside taxed lines it is exempt
 * (E), because O may not be mixed. A standard rate of 0 is zero rated (Z): S has a rate above 0 (BR-S-05).
 */
export function findTaxGroup(
  tax: { category: TaxCategory; percent: string } | null,
  onlyO: boolean,
): TaxGroup {
  if (tax === null || tax.category === 'O') {
    return onlyO ? { category: 'O', percent: null } : { category: 'E', percent: '0' };
  }
  const percent = formatDecimal(readDecimal(tax.percent));
  return { category: tax.category === 'S' && percent === '0' ? 'Z' : tax.category, percent };
}

/** Returns the rate of a group of the breakdown (BT-119). */
export const findBreakdownRate = ({ percent }: TaxGroup, { isDetailed }: Profile): string | null =>
  percent ?? (isDetailed ? '0' : null);

/** Returns the VAT breakdown: one group for each category and rate, in the order of the record. */
export function listSubtotals(record: DocumentRecord): TaxSubtotal[] {
  const onlyO = isOutsideScope(record);
  const untaxed = record.lines
    .filter(({ tax }) => tax === null)
    .map(({ netMinor }) => ({
      tax: null,
      reason: 'outside_scope' as const,
      taxableMinor: netMinor,
      taxMinor: '0',
    }));
  const parts = [...record.taxes.map((total) => ({ tax: total, ...total })), ...untaxed];
  const groups = new Map<string, TaxSubtotal>();
  for (const { tax, reason, taxableMinor, taxMinor } of parts) {
    const { category, percent } = findTaxGroup(tax, onlyO);
    const key = `${category} ${percent}`;
    const group = groups.get(key);
    const sum = { taxableMinor: group?.taxableMinor ?? 0n, taxMinor: group?.taxMinor ?? 0n };
    const code = findReasonCode(record, category, reason);
    groups.set(key, {
      category,
      percent,
      reasonCode: group && group.reasonCode !== code ? null : code,
      reason: addReason(group?.reason ?? null, describeReason(record, category, reason)),
      taxableMinor: sum.taxableMinor + BigInt(taxableMinor),
      taxMinor: sum.taxMinor + BigInt(taxMinor),
    });
  }
  return [...groups.values()];
}

/** Adds a reason to the text of a group, which names each once: a category without tax has one group (BR-E-01). */
function addReason(text: string | null, added: string | null): string | null {
  if (text === null || added === null) return added;
  return text.split('; ').includes(added) ? text : `${text}; ${added}`;
}

/** Returns why a category is not taxed, in the words of the document; for an exempt seller in its own, with the provision. */
function describeReason(
  { locale, seller: { taxExemption } }: DocumentRecord,
  category: TaxCategory,
  given: TaxReason | undefined,
): string | null {
  const standard = categoryReasons[category];
  if (!standard) return null;
  const reason = given ?? standard.reason;
  const { reasons, exemptions } = documentTexts[chooseTag(parseLocale(locale)?.language)];
  if (reason !== 'exempt_seller' || !taxExemption) return endOpen(reasons[reason]);
  const { kind, text, reference } = taxExemption;
  if (text === null) return endOpen(fillText(exemptions[kind], { reference }));
  return text.includes(reference) ? text : `${text} (${reference})`;
}

/** Drops the full stop of a sentence: several reasons are joined. */
const endOpen = (sentence: string): string => sentence.replace(/\.$/, '');

/** Returns the code of a reason. Those of France are for sales within France (CEF, list VATEX). */
function findReasonCode(
  { seller: { taxExemption }, buyer }: DocumentRecord,
  category: TaxCategory,
  reason: TaxReason | undefined,
): string | null {
  if (reason !== 'exempt_seller') return categoryReasons[category]?.code ?? null;
  const code = taxExemption?.code ?? null;
  return code?.startsWith('VATEX-FR-') && buyer.address?.country !== 'FR' ? null : code;
}

/** The identifiers of a party. */
export interface PartyIds {
  /** BT-31 or BT-48, with the prefix of its country. */
  vatId: string | null;
  /** BT-32: another tax registration, which only a seller has. */
  taxRegistration: string | null;
  /** BT-29 or BT-46; a buyer has at most one. */
  others: string[];
}

/** The prefixes of VAT ids that some countries print without one. Northern Ireland has one of its own. */
const prefixes: Partial<Record<TaxId['type'], string>> = { gb_vat: 'GB', ch_vat: 'CH', no_vat: 'NO' };
const isPrefixed = (value: string, prefix: string) =>
  [prefix, ...(prefix === 'GB' ? ['XI'] : [])].some((each) => value.toUpperCase().startsWith(each));
const vatTypes: TaxId['type'][] = ['eu_vat', 'gb_vat', 'ch_vat', 'no_vat'];

/**
 * Returns the identifiers of the seller. A tax number alone identifies nobody by BR-CO-26, but small businesses without a register
 * entry have nothing else: theirs is BT-29, too.
 */
export function findSellerIds(record: DocumentRecord): PartyIds {
  const { vatId, others } = splitIds(record, record.seller);
  const [registration, ...rest] = others.filter(({ type }) => !vatTypes.includes(type));
  const vatIds = others.filter(({ type }) => vatTypes.includes(type));
  const taxRegistration = registration?.value ?? null;
  const ids = [...vatIds, ...rest].map(({ value }) => value);
  const isIdentified =
    vatId !== null || !isBlank(record.seller.registration) || Boolean(record.seller.legalRegistration);
  const isKnownByTaxNumber = ids.length === 0 && !isIdentified && taxRegistration !== null;
  return { vatId, taxRegistration, others: isKnownByTaxNumber ? [taxRegistration] : ids };
}

/**
 * Returns the country by whose rules the seller bills: that of the VAT id on the document, else of the address; null if neither is
 * known.
 */
export function findTaxCountry(record: DocumentRecord): string | null {
  const prefix = findSellerIds(record).vatId?.slice(0, 2) ?? null;
  return prefix === 'EL' ? 'GR' : (prefix ?? record.seller.address?.country ?? null);
}

/** Returns the identifiers of the buyer. */
export function findBuyerIds(record: DocumentRecord): PartyIds {
  const { vatId, others } = splitIds(record, record.buyer);
  return { vatId, taxRegistration: null, others: others.slice(0, 1).map(({ value }) => value) };
}

/**
 * Takes the VAT id of a party, that of its country if it has several. A document that is not subject to VAT must name no
 * VAT id (BR-O-02): there it is one of the other identifiers.
 */
function splitIds(
  record: DocumentRecord,
  { taxIds, address }: Pick<DocumentRecord['seller'], 'taxIds' | 'address'>,
): { vatId: string | null; others: TaxId[] } {
  const known = taxIds.map(({ type, value }) => ({ type, value: addPrefix(type, value) }));
  const vatIds = known.filter(({ type }) => vatTypes.includes(type));
  const country = address?.country === 'GR' ? 'EL' : address?.country;
  const chosen = vatIds.find(({ value }) => country && value.startsWith(country)) ?? vatIds[0];
  if (!chosen || isOutsideScope(record)) return { vatId: null, others: known };
  return { vatId: chosen.value, others: known.filter((id) => id !== chosen) };
}

const addPrefix = (type: TaxId['type'], value: string): string => {
  const prefix = prefixes[type];
  return prefix && !isPrefixed(value, prefix) ? `${prefix}${value}` : value;
};

/** Returns the name of the buyer (BT-44) and the person to contact there (BT-56), which is null for a private customer. */
export const findBuyerNames = ({ buyer }: DocumentRecord): { name: string; contact: string | null } =>
  buyer.companyName ? { name: buyer.companyName, contact: buyer.name } : { name: buyer.name, contact: null };

/** Returns where the buyer receives documents (BT-49); null if that is not known. */
export function findBuyerAddress({ buyer }: DocumentRecord, { sendsToEmail }: Profile): SchemeId | null {
  if (buyer.electronicAddress) return buyer.electronicAddress;
  return sendsToEmail && buyer.email !== '' ? { scheme: 'EM', value: buyer.email } : null;
}

/** Where and when something is delivered. */
export interface Delivery {
  city: string | null;
  postalCode: string | null;
  country: string | null;
  date: string | null;
}

/**
 * Returns the country (BT-80) and the date (BT-72) of delivery, which an intra-Community supply must name (BR-IC-11,
 * BR-IC-12); null for other documents.
 */
export function findDelivery(record: DocumentRecord, { isDetailed }: Profile): Delivery | null {
  if (!record.taxes.some(({ category }) => category === 'K')) return null;
  const { address } = record.buyer;
  return {
    city: isDetailed ? (address?.city ?? null) : null,
    postalCode: isDetailed ? (address?.postalCode ?? null) : null,
    country: address?.country ?? null,
    date: record.period === null ? record.issueDate : null,
  };
}

/** How a document is paid (BG-16), with codes of UNTDID 4461. */
export interface PaymentMeans {
  code: string;
  /** BT-83. */
  reference: string | null;
  account: { holder: string; iban: string | null; proprietaryId: string | null; bic: string | null } | null;
  /** The card that was charged (BG-18), if it is code 48. */
  card: { brand: string; last4: string } | null;
}

/**
 * Returns how the document is paid: SEPA (58) or another transfer (30), a card (48), a SEPA debit (59) or a standing agreement (57) if
 * the profile tells it, offset (97), or a means that is not given (1).
 */
export function findPaymentMeans(
  { payment, currency, seller, buyer }: DocumentRecord,
  { isDetailed, namesDebits }: Profile,
): PaymentMeans {
  const { kind, bankAccount, reference, card = null, isSepaDebit } = payment;
  const isHome = (country: string) =>
    seller.address?.country === country && buyer.address?.country === country;
  const isDanish = isDetailed && isHome('DK');
  const iban = bankAccount?.iban?.replaceAll(/\s/g, '') || null;
  const proprietaryId = iban ? null : bankAccount?.accountNumber || null;
  if (kind === 'transfer' && bankAccount && (iban || proprietaryId)) {
    const bic = bankAccount.bic?.replaceAll(/\s/g, '') || null;
    const account = { holder: bankAccount.accountHolder, iban, proprietaryId, bic };
    return { code: findTransferCode(account, currency, isDanish), reference, account, card: null };
  }
  const means = { reference, account: null, card: null };
  if (isDetailed && card) return { ...means, code: '48', card };
  if (namesDebits && isSepaDebit) return { ...means, code: '59' };
  // Dutch parties know no offset (NL-R-008), and Danish ones no standing agreement (DK-R-005).
  if (kind === 'credited' && !(isDetailed && isHome('NL'))) return { ...means, code: '97' };
  return { ...means, code: isDetailed && !isDanish ? '57' : '1' };
}

/** Returns SEPA (58), another transfer (30), or between Danish parties one to an account with a BIC (31; DK-R-005, DK-R-006). */
function findTransferCode(
  { iban, bic }: NonNullable<PaymentMeans['account']>,
  currency: string,
  isDanish: boolean,
): string {
  if (iban && currency === 'eur') return '58';
  if (!isDanish) return '30';
  return bic ? '31' : '1';
}

/** Returns the payment terms (BT-20), without which an amount to pay needs a date (BR-CO-25). */
export function describeTerms({ payment }: Pick<DocumentRecord, 'payment'>): string {
  const { kind, termsDays, paidOn } = payment;
  if (kind === 'charged') return 'Charged to the saved payment method';
  if (kind === 'paid') return paidOn ? `Paid on ${paidOn}` : 'Paid';
  if (kind === 'refunded') return 'Refunded';
  if (kind === 'credited') return 'Credited to the customer';
  if (!termsDays) return 'Payable on receipt';
  return termsDays === 1 ? 'Payable within 1 day' : `Payable within ${termsDays} days`;
}

/** Returns the part of the total that is not to be paid (BT-113), in minor units: for example from the balance. */
export const computePrepaid = ({ totals }: Pick<DocumentRecord, 'totals'>): bigint =>
  BigInt(totals.totalMinor) - BigInt(totals.payableMinor);

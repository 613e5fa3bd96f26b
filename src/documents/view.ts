/** A document as it is shown, in words: the common source of HTML and PDF. */
import type { Address, TaxId } from '../storage/model/common.ts';
import { fillText } from '../lib/texts.ts';
import { cleanLine, cleanText, isolateText } from './cleanText.ts';
import { viewPayment, type PaymentView } from './paymentView.ts';
import {
  isOfExemptSeller,
  listCredited,
  type DocumentBuyer,
  type DocumentLine,
  type DocumentLogo,
  type DocumentRecord,
  type DocumentSeller,
} from './record.ts';
import { chooseLanguage, type DocumentLanguage } from './language.ts';

export interface Fact {
  label: string;
  value: string;
}

export interface DocumentView {
  language: DocumentLanguage;
  /** The paper of the buyer's country, or else of the seller's. */
  paper: 'a4' | 'letter';
  /** "Invoice" or "Credit note". */
  heading: string;
  number: string;
  /** The heading with the number. */
  title: string;
  logo: DocumentLogo | null;
  seller: PartyView;
  buyer: PartyView;
  facts: Fact[];
  /** The amount and when it is due, or that it is paid. */
  summary: string;
  table: TableView;
  totals: TotalView[];
  payment: PaymentView;
  /** The tax in the currency of the seller; null if the document is in it. */
  homeTax: string | null;
  /** Why no tax is charged. */
  reasons: string[];
  note: string | null;
  footer: string | null;
}

export interface PartyView {
  title: string;
  name: string;
  lines: string[];
}

interface TableView {
  caption: string;
  /** The headers; without that of the tax if the seller charges none. */
  headers: { description: string; quantity: string; unitPrice: string; tax: string | null; amount: string };
  lines: LineView[];
}

export interface LineView {
  description: string;
  /** Small print: the period, and how the amount was computed. */
  details: string[];
  quantity: string;
  unitPrice: string;
  tax: string;
  /** Before the discounts. */
  amount: string;
  discounts: { label: string; amount: string }[];
  /** The sum of the amounts and discounts up to and including this line. */
  carried: string;
}

/** Countries that print on Letter (CLDR, supplemental data). */
const letterCountries = new Set('BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' '));
/** Countries that write the postal code after the city and the region. */
const cityFirst = new Set('AU CA US'.split(' '));

/** Builds the view of a document. The same record always has the same view. */
export function buildView(record: DocumentRecord): DocumentView {
  const isTaxed = record.taxes.length > 0 && !isOfExemptSeller(record);
  const language = chooseLanguage(record.locale, record);
  const { texts } = language;
  const heading = nameKind(record, language);
  const number = cleanLine(record.number);
  const country = record.buyer.address?.country ?? record.seller.address?.country ?? '';
  const tax = nameTax(record, language);
  return {
    language,
    paper: letterCountries.has(country) ? 'letter' : 'a4',
    heading,
    number,
    title: `${heading} ${isolateText(number)}`,
    logo: record.seller.logo,
    seller: viewSeller(record.seller, language),
    buyer: viewBuyer(record.buyer, language),
    facts: viewFacts(record, number, language),
    summary: summarize(record, language),
    table: {
      caption: texts.lines,
      headers: {
        description: texts.description,
        quantity: texts.quantity,
        unitPrice: texts.unitPrice,
        tax: isTaxed ? beginLarge(tax, language) : null,
        amount: fillText(texts.amount, { currency: record.currency.toUpperCase() }),
      },
      lines: viewLines(record.lines, language),
    },
    totals: viewTotals(record, tax, language),
    payment: viewPayment(record, language),
    homeTax: describeHomeTax(record, tax, language),
    reasons: listReasons(record, language),
    note: record.note === null ? null : cleanText(record.note),
    footer: record.seller.footer === null ? null : cleanText(record.seller.footer),
  };
}

/** Names the document: an invoice with taxes is a tax invoice, where the law has a name for it. */
function nameKind(record: DocumentRecord, { texts }: DocumentLanguage): string {
  if (record.kind === 'credit_note') return texts.creditNote;
  return record.taxes.length > 0 && !isOfExemptSeller(record) ? texts.taxInvoice : texts.invoice;
}

/** Countries whose sellers have no VAT id of a type of its own, and charge VAT. */
const vatCountries = new Set('AE BH DZ EG IL LB MA OM SA TN'.split(' '));

/** "VAT" for sellers that are registered for it, in the words of the seller's country. */
function nameTax({ seller }: DocumentRecord, { texts }: DocumentLanguage): string {
  if (seller.taxIds.some(({ type }) => type === 'ch_vat')) return texts.taxNames.swiss;
  const isVat =
    seller.taxIds.some(({ type }) => type.endsWith('_vat')) ||
    vatCountries.has(seller.address?.country ?? '');
  return isVat ? texts.taxNames.vat : texts.taxNames.other;
}

function viewFacts(record: DocumentRecord, number: string, language: DocumentLanguage): Fact[] {
  const { texts, formatDate } = language;
  const { dueDate, payment, period } = record;
  const facts = [
    { label: texts.number, value: number },
    { label: texts.issueDate, value: formatDate(record.issueDate) },
  ];
  if (payment.paidOn !== undefined) facts.push({ label: texts.paidOn, value: formatDate(payment.paidOn) });
  else if (dueDate !== null) facts.push({ label: texts.dueDate, value: formatDate(dueDate) });
  for (const credits of listCredited(record)) {
    const value = fillText(texts.creditedInvoiceOf, {
      number: cleanLine(credits.number),
      date: formatDate(credits.issueDate),
    });
    facts.push({ label: texts.creditedInvoice, value });
  }
  if (period) {
    const label = period.from === period.to ? texts.supplyDate : texts.servicePeriod;
    facts.push({ label, value: viewPeriod(period, language) });
  }
  return facts;
}

function summarize({ payment, totals, dueDate }: DocumentRecord, language: DocumentLanguage): string {
  const { texts, formatMoney, formatDate } = language;
  const paidMinor = BigInt(totals.totalMinor) - BigInt(totals.balanceMinor);
  if (payment.paidOn)
    return fillText(texts.summary.paidOn, {
      amount: formatMoney(paidMinor),
      date: formatDate(payment.paidOn),
    });
  const isToPay = payment.kind === 'charged' || payment.kind === 'transfer';
  const payable = BigInt(totals.payableMinor);
  const amount = formatMoney(isToPay ? payable : BigInt(totals.totalMinor));
  if (isToPay && payable === 0n)
    return fillText(texts.summary.paid, { amount: formatMoney(BigInt(totals.totalMinor)) });
  if (payment.kind === 'transfer' && dueDate !== null) {
    return fillText(texts.summary.dueBy, { amount, date: formatDate(dueDate) });
  }
  return fillText(texts.summary[payment.kind], { amount });
}

function viewSeller(seller: DocumentSeller, language: DocumentLanguage): PartyView {
  const { texts } = language;
  const lines = [...viewAddress(seller.address, language), ...viewTaxIds(seller.taxIds, language)];
  if (seller.registration !== null) lines.push(`${texts.registration}: ${isolate(seller.registration)}`);
  return { title: texts.seller, name: cleanLine(seller.legalName), lines };
}

function viewBuyer(buyer: DocumentBuyer, language: DocumentLanguage): PartyView {
  const [name, person] = buyer.companyName === null ? [buyer.name] : [buyer.companyName, buyer.name];
  const lines = [
    ...(person ? [cleanLine(person)] : []),
    ...viewAddress(buyer.address, language),
    cleanLine(buyer.email),
    ...viewTaxIds(buyer.taxIds, language),
  ];
  return { title: language.texts.buyer, name: cleanLine(name), lines };
}

const isolate = (text: string) => isolateText(cleanLine(text));

function viewAddress(address: Address | null, { nameCountry }: DocumentLanguage): string[] {
  if (!address) return [];
  const { line1, line2, city, postalCode, region, country } = address;
  const join = (parts: (string | null)[], separator = ' ') => parts.filter(Boolean).join(separator);
  const place = cityFirst.has(country)
    ? [join([city, join([region, postalCode])], ', ')]
    : [join([postalCode, city]), region];
  return [line1, line2, ...place, nameCountry(country)].flatMap((part) => (part ? [cleanLine(part)] : []));
}

const viewTaxIds = (taxIds: TaxId[], { texts }: DocumentLanguage): string[] =>
  taxIds.map(({ type, value }) => {
    const { vat, swiss, ein, other } = texts.taxIds;
    const label = { ch_vat: swiss, us_ein: ein, other }[type as string] ?? vat;
    return `${label}: ${isolate(type === 'ch_vat' ? writeUid(value) : value)}`;
  });

/** Writes a UID as the Swiss register does: CHE-116.281.710 MWST. */
const writeUid = (value: string): string =>
  value.replace(/^CHE(\d{3})(\d{3})(\d{3})/, 'CHE-$1.$2.$3 ').trim();

/** The days of a period, or the day of one. */
const viewPeriod = ({ from, to }: { from: string; to: string }, { texts, formatDate }: DocumentLanguage) =>
  from === to ? formatDate(from) : fillText(texts.range, { from: formatDate(from), to: formatDate(to) });

function viewLines(lines: DocumentLine[], language: DocumentLanguage): LineView[] {
  const { texts, formatMinor, formatNumber } = language;
  let carriedMinor = 0n;
  return lines.map((line) => {
    const discounts = line.discounts.map(({ name, amountMinor }) => ({
      name,
      amountMinor: BigInt(amountMinor),
    }));
    carriedMinor += discounts.reduce((left, { amountMinor }) => left - amountMinor, BigInt(line.listMinor));
    const { period } = line;
    return {
      description: cleanLine(line.description),
      details: [...(period ? [viewPeriod(period, language)] : []), ...line.details.map(cleanLine)],
      quantity: formatNumber(line.quantity),
      unitPrice: formatNumber(line.unitPrice),
      tax: viewTax(line, language),
      amount: formatMinor(BigInt(line.listMinor)),
      discounts: discounts.map(({ name, amountMinor }) => ({
        label: fillText(texts.discount, { name: isolate(name) }),
        amount: formatMinor(-amountMinor),
      })),
      carried: formatMinor(carriedMinor),
    };
  });
}

/** The rate, with the category (EN 16931) unless it is the standard one. */
function viewTax({ tax }: DocumentLine, { formatPercent }: DocumentLanguage): string {
  if (!tax) return '';
  return tax.category === 'S' ? formatPercent(tax.percent) : `${tax.category} ${formatPercent(tax.percent)}`;
}

const reasonByCategory = {
  AE: 'reverse_charge',
  K: 'intra_community',
  G: 'export',
  E: 'exempt',
  O: 'outside_scope',
  Z: 'zero_rated',
} as const;

/** Says the tax in the currency of the seller, and the rates that convert it, which go through the euro. */
function describeHomeTax(record: DocumentRecord, tax: string, language: DocumentLanguage): string | null {
  const home = record.taxInHomeCurrency;
  if (!home) return null;
  const { texts, formatNumber, formatDate } = language;
  const rates = home.rates.map(
    ({ currency, rate }) => `${formatNumber(rate)}\u00A0${currency.toUpperCase()}`,
  );
  const sentence = fillText(texts.homeTax, {
    tax,
    currency: isolateText(home.currency.toUpperCase()),
    amount: chooseLanguage(record.locale, home).formatMoney(BigInt(home.taxMinor)),
    rate: isolateText(['1\u00A0EUR', ...rates].join(' = ')),
    date: formatDate(home.rateDate),
    source: texts.rateSources[home.source],
  });
  return beginLarge(sentence, language);
}

/** Lists why no tax is charged, with the category if a line shows it. */
function listReasons(record: DocumentRecord, { texts }: DocumentLanguage): string[] {
  const exemption = describeExemption(record.seller, texts);
  if (isOfExemptSeller(record)) return [exemption];
  const sentences = record.taxes.flatMap(({ category, reason }) => {
    if (category === 'S') return [];
    const sentence =
      reason === 'exempt_seller' ? exemption : texts.reasons[reason ?? reasonByCategory[category]];
    return [`${category}: ${sentence}`];
  });
  return [...new Set(sentences)];
}

/** Names the exemption of a seller, in the language of the document and in the seller's own words. */
function describeExemption(
  { taxExemption }: DocumentSeller,
  { reasons, exemptions }: DocumentLanguage['texts'],
): string {
  if (!taxExemption) return reasons.exempt_seller;
  const { kind, reference, text } = taxExemption;
  const fill = (printed: string) => fillText(exemptions[kind], { reference: printed });
  // French law asks for the very words that French documents have.
  const isSaid = text === null || [text, `${text}.`].includes(fill(reference));
  return isSaid ? fill(isolate(reference)) : `${fill(isolate(reference))} ${isolate(text)}`;
}

/** A row below the lines of a document. */
interface TotalView {
  label: string;
  amount: string;
  /** The total, and the amount due, which carries the code of the currency. */
  weight: 'normal' | 'strong' | 'due';
}

/** Begins a label with a capital letter: some languages write the name of a tax with a small one within a sentence. */
const beginLarge = (text: string, { tag }: DocumentLanguage): string =>
  text.charAt(0).toLocaleUpperCase(tag) + text.slice(1);

/** Builds the rows from the subtotal to the amount due. `tax` is the name of the tax. */
function viewTotals(record: DocumentRecord, tax: string, language: DocumentLanguage): TotalView[] {
  const { taxes, totals, pricesIncludeTax } = record;
  const { texts, formatMinor, formatMoney, formatPercent } = language;
  const rows: TotalView[] = [];
  const add = (label: string, amountMinor: string | bigint, weight: TotalView['weight'] = 'normal') => {
    const amount = BigInt(amountMinor);
    rows.push({ label, amount: weight === 'due' ? formatMoney(amount) : formatMinor(amount), weight });
  };
  const shownTaxes = isOfExemptSeller(record) ? [] : taxes;
  const isTaxed = shownTaxes.length > 0;
  const isDiscounted = BigInt(totals.discountMinor) !== 0n;
  if (isTaxed || isDiscounted) {
    add(
      isTaxed && pricesIncludeTax ? fillText(texts.subtotalWithTax, { tax }) : texts.subtotal,
      totals.subtotalMinor,
    );
  }
  if (isDiscounted) add(texts.discounts, -BigInt(totals.discountMinor));
  if (isTaxed && (isDiscounted || pricesIncludeTax)) add(fillText(texts.net, { tax }), totals.netMinor);
  for (const { category, percent, taxableMinor, taxMinor } of shownTaxes) {
    const rate = category === 'S' ? formatPercent(percent) : `${category} ${formatPercent(percent)}`;
    const label = fillText(texts.taxOn, { tax, percent: rate, taxable: formatMinor(BigInt(taxableMinor)) });
    add(beginLarge(label, language), taxMinor);
  }
  if (record.kind === 'credit_note') {
    add(texts.total, totals.totalMinor, 'due');
    return rows;
  }
  const payable = record.payment.kind === 'paid' ? 0n : BigInt(totals.payableMinor);
  const balance = BigInt(totals.balanceMinor);
  const paid = BigInt(totals.totalMinor) - balance - payable;
  add(texts.total, totals.totalMinor, 'strong');
  if (balance !== 0n) add(texts.fromBalance, -balance);
  if (paid !== 0n) add(texts.paid, -paid);
  add(texts.due, payable, 'due');
  return rows;
}

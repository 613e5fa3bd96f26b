/** The record of a document as JSON: amounts are decimals in major units as text, dates are calendar dates. */
import type { Address, BankAccount, TaxId } from '../storage/model/common.ts';
import { formatAmount } from './en16931.ts';
import type { CreditedInvoice, DocumentLine, DocumentRecord, HomeCurrencyTax } from './record.ts';
import type { TaxExemption } from '../storage/model/parties.ts';

/** Renders a record as JSON, indented by two spaces. The logo is left out. */
export const renderJson = (record: DocumentRecord): string => `${JSON.stringify(build(record), null, 2)}\n`;

/** Names each field, so that their order does not depend on the database from which the record was read. */
function build(record: DocumentRecord) {
  const { kind, number, issueDate, issuedAt, dueDate, currency, locale, credits, period, note } = record;
  const { seller, buyer, totals, payment } = record;
  const amount = (amountMinor: string) => formatAmount(amountMinor, record);
  return {
    kind,
    number,
    issueDate,
    issuedAt,
    dueDate,
    currency,
    locale,
    seller: {
      legalName: seller.legalName,
      address: buildAddress(seller.address),
      taxIds: seller.taxIds.map(buildTaxId),
      registration: seller.registration,
      footer: seller.footer,
      ...(seller.taxExemption && { taxExemption: showExemption(seller.taxExemption) }),
    },
    buyer: {
      name: buyer.name,
      companyName: buyer.companyName,
      email: buyer.email,
      address: buildAddress(buyer.address),
      taxIds: buyer.taxIds.map(buildTaxId),
    },
    credits: credits && showCredited(credits),
    // Absent from most, so that documents of earlier releases keep their bytes.
    ...(record.furtherCredits && { furtherCredits: record.furtherCredits.map(showCredited) }),
    period: buildPeriod(period),
    lines: record.lines.map((line) => buildLine(line, amount)),
    taxes: record.taxes.map(({ category, percent, taxableMinor, taxMinor, reason }) => ({
      category,
      percent,
      taxable: amount(taxableMinor),
      tax: amount(taxMinor),
      reason: reason ?? null,
    })),
    ...(record.taxInHomeCurrency && { taxInHomeCurrency: showHomeTax(record.taxInHomeCurrency) }),
    pricesIncludeTax: record.pricesIncludeTax,
    totals: {
      subtotal: amount(totals.subtotalMinor),
      discount: amount(totals.discountMinor),
      net: amount(totals.netMinor),
      tax: amount(totals.taxMinor),
      total: amount(totals.totalMinor),
      balance: amount(totals.balanceMinor),
      payable: amount(totals.payableMinor),
    },
    payment: {
      kind: payment.kind,
      ...(payment.paidOn !== undefined && { paidOn: payment.paidOn }),
      bankAccount: buildBankAccount(payment.bankAccount),
      reference: payment.reference,
      termsDays: payment.termsDays,
    },
    note,
  };
}

const showHomeTax = (home: HomeCurrencyTax) => ({
  currency: home.currency,
  tax: formatAmount(home.taxMinor, home),
  rates: home.rates.map(({ currency, rate }) => ({ currency, rate })),
  rateDate: home.rateDate,
  source: home.source,
});

const showCredited = ({ number, issueDate }: CreditedInvoice) => ({ number, issueDate });

const buildAddress = (address: Address | null) =>
  address && {
    line1: address.line1,
    line2: address.line2,
    city: address.city,
    postalCode: address.postalCode,
    region: address.region,
    country: address.country,
  };

const showExemption = ({ kind, reference, text, code }: TaxExemption) => ({ kind, reference, text, code });

const buildTaxId = ({ type, value }: TaxId) => ({ type, value });
const buildPeriod = (period: DocumentRecord['period']) => period && { from: period.from, to: period.to };

const buildBankAccount = (account: BankAccount | null) =>
  account && {
    accountHolder: account.accountHolder,
    iban: account.iban ?? null,
    accountNumber: account.accountNumber ?? null,
    bic: account.bic ?? null,
    bankName: account.bankName ?? null,
    instructions: account.instructions ?? null,
  };

const buildLine = (line: DocumentLine, amount: (amountMinor: string) => string) => ({
  description: line.description,
  details: line.details,
  period: buildPeriod(line.period),
  quantity: line.quantity,
  unitPrice: line.unitPrice,
  list: amount(line.listMinor),
  discounts: line.discounts.map(({ name, amountMinor }) => ({ name, amount: amount(amountMinor) })),
  net: amount(line.netMinor),
  tax: line.tax && { category: line.tax.category, percent: line.tax.percent, amount: amount(line.taxMinor) },
});

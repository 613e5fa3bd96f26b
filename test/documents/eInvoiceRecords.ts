/** Records of documents for the tests, with the tax that the program computes. */
import type {
  DocumentLine,
  DocumentPayment,
  DocumentRecord,
  DocumentSeller,
} from '../../src/documents/record.ts';
import { applyTax, computeNet } from '../../src/billing/pricing/tax.ts';
import type { Address, LineTax, TaxId, TaxTerms } from '../../src/storage/model/common.ts';

/** A line to bill. `amountMinor` is the amount after discounts. */
export interface BilledLine {
  amountMinor: bigint;
  /** Null for an untaxed line. */
  terms: TaxTerms | null;
  quantity?: string;
  unitPrice?: string;
  discountsMinor?: bigint[];
  description?: string;
  details?: string[];
  period?: { from: string; to: string } | null;
  /** Computed by `applyTax`. */
  tax?: LineTax;
}

export const standard = (percent: string): TaxTerms => ({ category: 'S', percent });
export const reverseCharge: TaxTerms = { category: 'AE', percent: '0', reason: 'reverse_charge' };

const berlin: Address = {
  line1: 'Torstraße 1',
  line2: 'Hof 2',
  city: 'Berlin',
  postalCode: '10119',
  region: 'BE',
  country: 'DE',
};
const lyon: Address = {
  line1: '4 rue de la République',
  line2: null,
  city: 'Lyon',
  postalCode: '69001',
  region: null,
  country: 'FR',
};
const germanVat: TaxId = { type: 'eu_vat', value: 'DE136695976' };
const frenchVat: TaxId = { type: 'eu_vat', value: 'FR03784359069' };

export const seller: DocumentSeller = {
  legalName: 'Nordlicht GmbH',
  address: berlin,
  taxIds: [germanVat, { type: 'other', value: '30/123/45678' }],
  registration: 'HRB 12345 B',
  footer: 'Managing director: Ada Lang',
  logo: null,
};

export const transfer: DocumentPayment = {
  kind: 'transfer',
  bankAccount: { accountHolder: 'Nordlicht GmbH', iban: 'DE89 3704 0044 0532 0130 00', bic: 'COBADEFFXXX' },
  reference: 'RF18539007547034',
  termsDays: 14,
};

/** What a test changes of the usual record. */
export interface RecordOptions {
  currency?: string;
  currencyDecimals?: number;
  pricesIncludeTax?: boolean;
  balanceMinor?: bigint;
  change?: Partial<DocumentRecord>;
}

/** Builds the record of a document from Berlin to Lyon: lines with their tax, and the totals that follow. */
export function buildRecord(billed: BilledLine[], options: RecordOptions = {}): DocumentRecord {
  const { currency = 'eur', currencyDecimals = 2, pricesIncludeTax = false, balanceMinor = 0n } = options;
  const taxBehavior = pricesIncludeTax ? ('inclusive' as const) : ('exclusive' as const);
  const { lines: taxed, taxes } = applyTax(
    billed.map((line) => ({ ...line, taxBehavior, taxTerms: line.terms })),
    null,
  );
  const lines = taxed.map((line): DocumentLine => {
    const discounts = (line.discountsMinor ?? []).map((amountMinor, nth) => ({
      name: `Discount ${nth + 1}`,
      amountMinor: String(amountMinor),
    }));
    const listMinor = discounts.reduce((sum, each) => sum + BigInt(each.amountMinor), line.amountMinor);
    return {
      description: line.description ?? 'Pro plan',
      details: line.details ?? [],
      period: line.period === undefined ? { from: '2026-01-01', to: '2026-01-31' } : line.period,
      quantity: line.quantity ?? '1',
      unitPrice: line.unitPrice ?? formatMinor(listMinor, currencyDecimals),
      listMinor: String(listMinor),
      discounts,
      netMinor: String(computeNet(line)),
      taxMinor: line.tax?.taxMinor ?? '0',
      tax: line.tax ? { category: line.tax.category, percent: line.tax.percent } : null,
    };
  });
  const sum = (amounts: string[]) => amounts.reduce((total, amount) => total + BigInt(amount), 0n);
  const netMinor = sum(lines.map((line) => line.netMinor));
  const taxMinor = sum((taxes ?? []).map((total) => total.taxMinor));
  return {
    kind: 'invoice',
    number: 'INV-2026-00042',
    issueDate: '2026-02-01',
    issuedAt: '2026-02-01T08:30:00.000Z',
    dueDate: '2026-02-15',
    currency,
    currencyDecimals,
    locale: 'en',
    seller,
    buyer: {
      name: 'Camille Martin',
      companyName: 'Atelier Lumière SARL',
      email: 'billing@atelier.example',
      address: lyon,
      taxIds: [frenchVat],
    },
    credits: null,
    period: { from: '2026-01-01', to: '2026-01-31' },
    lines,
    taxes: taxes ?? [],
    pricesIncludeTax,
    totals: {
      subtotalMinor: String(sum(lines.map((line) => line.listMinor))),
      discountMinor: String(sum(lines.flatMap((line) => line.discounts.map((each) => each.amountMinor)))),
      netMinor: String(netMinor),
      taxMinor: String(taxMinor),
      totalMinor: String(netMinor + taxMinor),
      balanceMinor: String(balanceMinor),
      payableMinor: String(netMinor + taxMinor - balanceMinor),
    },
    payment: transfer,
    note: null,
    ...options.change,
  };
}

/** The changes that make a record that of a credit note. */
export const asCreditNote: Partial<DocumentRecord> = {
  kind: 'credit_note',
  number: 'CN-2026-00007',
  dueDate: null,
  credits: { number: 'INV-2026-00042', issueDate: '2026-02-01' },
  payment: { kind: 'refunded', bankAccount: null, reference: null, termsDays: null },
};

function formatMinor(amountMinor: bigint, decimals: number): string {
  if (decimals === 0) return String(amountMinor);
  const sign = amountMinor < 0n ? '-' : '';
  const digits = String(amountMinor)
    .replace('-', '')
    .padStart(decimals + 1, '0');
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

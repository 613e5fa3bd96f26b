/** The records from which documents are made. */
import type {
  CreditedInvoice,
  DocumentLine,
  DocumentPayment,
  DocumentRecord,
  DocumentTotals,
} from '../../documents/record.ts';
import { countDecimals, decimalText } from '../../lib/money.ts';
import { toLocalDate, toPeriodDays } from '../../lib/time.ts';
import { listLineUses } from '../pricing/creditGrants.ts';
import { computeSubtotal, listDiscounts, sumDiscounts } from '../pricing/discounts.ts';
import { sumLines } from '../pricing/invoiceLines.ts';
import { computeNet, joinTotals } from '../pricing/tax.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { describeDetails, describeLine, findUnits, type BilledLine } from './documentLines.ts';
import { sumCharged } from './documentNumbers.ts';
import { buildPaymentReference, hasFixedPeriod, startsOnPayment } from '../payments/paymentTerms.ts';
import { findPaymentTermsDays } from '../../tenants/settings.ts';
import { computeReduction, sumBalanceUsed } from '../payments/returns.ts';

type InvoiceRow = Row<'invoices'>;

/** An invoice with what its document shows besides. */
interface BilledInvoice {
  invoice: InvoiceRow;
  /** Undefined if deleted. */
  customer: Row<'customers'> | undefined;
  lines: BilledLine[];
}

/**
 * Builds the record of an invoice from its lines, the seller and the customer as they are now. The period of an order by
 * bank transfer has no dates before its payment, which fixes them: a document that was sent never changes.
 */
export async function buildInvoiceRecord(
  reads: Reads,
  tenant: Row<'tenants'>,
  { invoice, customer, lines }: BilledInvoice,
): Promise<DocumentRecord> {
  const { currency } = invoice;
  const locale = findLocale(customer);
  const charged = lines.filter(({ kind }) => kind !== 'BALANCE');
  const names = await nameDiscounts(reads, charged);
  // A sum below zero is a credit: the document is a credit note with positive amounts (EN 16931, type 381).
  const sign = sumCharged(lines) < 0n ? -1n : 1n;
  const issuedAt = invoice.issuedAt ?? invoice.createdAt;
  const toDate = (instant: string) => toLocalDate(instant, tenant.timezone);
  const totals = computeTotals(lines, sign);
  const isTransfer = invoice.dueAt !== null && totals.payableMinor !== '0';
  const isFromPayment = await beginsWithPayment(reads, invoice);
  const documentLines = charged.map((line) =>
    buildLine(line, { currency, locale, names, sign, timeZone: tenant.timezone, isFromPayment }),
  );
  return {
    kind: sign === 1n ? 'invoice' : 'credit_note',
    number: invoice.documentNumber ?? String(invoice.number),
    issueDate: toDate(issuedAt),
    issuedAt,
    dueDate: isTransfer ? toDate(invoice.dueAt!) : null,
    currency,
    currencyDecimals: countDecimals(currency),
    timeZone: tenant.timezone,
    locale,
    ...dropExemption(await describeParties(reads, tenant, customer), invoice.taxes),
    ...nameReferences(customer, invoice),
    ...(sign === 1n ? { credits: null } : await nameCredited(reads, charged, toDate)),
    period:
      joinPeriods(documentLines.filter((_, at) => charged[at]!.kind !== 'ITEM')) ??
      joinPeriods(documentLines),
    lines: documentLines,
    taxes: joinTotals(invoice.taxes ?? [], { byCountry: false }).map((tax) => ({
      ...tax,
      taxableMinor: String(sign * BigInt(tax.taxableMinor)),
      taxMinor: String(sign * BigInt(tax.taxMinor)),
    })),
    pricesIncludeTax: charged.length > 0 && charged.every(({ tax }) => tax?.included),
    totals,
    payment: describePayment(tenant, invoice, totals, isTransfer, sign),
    note: null,
  };
}

/** Names the invoices whose lines are credited, in the order of the credits (directive 2006/112/EC, article 219). */
async function nameCredited(
  reads: Reads,
  lines: BilledLine[],
  toDate: (instant: string) => string,
): Promise<Pick<DocumentRecord, 'credits' | 'furtherCredits'>> {
  const ids = new Set<string>();
  for (const { creditedLineId } of lines) {
    const credited = creditedLineId ? await reads.one('invoiceLines', { id: creditedLineId }) : undefined;
    if (credited) ids.add(credited.invoiceId);
  }
  const invoices: CreditedInvoice[] = [];
  for (const id of ids) invoices.push(nameInvoice((await reads.one('invoices', { id }))!, toDate));
  const [credits = null, ...furtherCredits] = invoices;
  return { credits, ...(furtherCredits.length > 0 && { furtherCredits }) };
}

/** Returns what a credit note names an invoice by. */
const nameInvoice = (
  { documentNumber, number, issuedAt, createdAt }: InvoiceRow,
  toDate: (instant: string) => string,
): CreditedInvoice => ({
  number: documentNumber ?? String(number),
  issueDate: toDate(issuedAt ?? createdAt),
});

async function beginsWithPayment(reads: Reads, invoice: InvoiceRow): Promise<boolean> {
  if (!startsOnPayment(invoice)) return false;
  const intent = await reads.one('intents', { id: invoice.intentId! });
  return intent !== undefined && !hasFixedPeriod(intent);
}

const findLocale = (customer: Row<'customers'> | undefined): string => customer?.locale ?? 'en';

/** Describes the seller and the buyer as they are now. */
export async function describeParties(
  reads: Reads,
  { seller, name }: Row<'tenants'>,
  customer: Row<'customers'> | undefined,
): Promise<Pick<DocumentRecord, 'seller' | 'buyer'>> {
  const { legalName = name, address = null, taxIds = [], registration = null, footer = null } = seller ?? {};
  const { contact, electronicAddress, legalRegistration, taxExemption, paymentNotes } = seller ?? {};
  const logo = seller?.logoId ? await reads.one('logos', { id: seller.logoId }) : undefined;
  return {
    seller: {
      legalName,
      address,
      taxIds,
      registration,
      footer,
      logo: logo ? { contentType: logo.contentType, base64: logo.base64 } : null,
      ...(contact && { contact }),
      ...(electronicAddress && { electronicAddress }),
      ...(legalRegistration && { legalRegistration }),
      ...(taxExemption && { taxExemption }),
      ...(paymentNotes && { paymentNotes }),
    },
    buyer: {
      name: customer ? `${customer.firstName} ${customer.lastName}`.trim() : '',
      companyName: customer?.companyName ?? null,
      email: customer?.email ?? '',
      address: customer?.address ?? null,
      taxIds: customer?.taxIds ?? [],
      ...(customer?.electronicAddress && { electronicAddress: customer.electronicAddress }),
      ...(customer?.legalRegistration && { legalRegistration: customer.legalRegistration }),
    },
  };
}

/** Leaves out the exemption of the seller unless it is why a line is not taxed. */
function dropExemption<Parties extends Pick<DocumentRecord, 'seller'>>(
  parties: Parties,
  taxes: InvoiceRow['taxes'],
): Parties {
  if (taxes?.some(({ reason }) => reason === 'exempt_seller')) return parties;
  const { taxExemption: _, ...seller } = parties.seller;
  return { ...parties, seller };
}

/** Names what the buyer wants to find the document by. */
export const nameReferences = (
  customer: { buyerReference?: string | null } | undefined,
  { purchaseOrder }: { purchaseOrder?: string | null },
): Pick<DocumentRecord, 'buyerReference' | 'purchaseOrder'> => ({
  ...(customer?.buyerReference && { buyerReference: customer.buyerReference }),
  ...(purchaseOrder && { purchaseOrder }),
});

/** Returns the names of the coupons and credit grants that lowered lines. */
async function nameDiscounts(reads: Reads, lines: BilledLine[]): Promise<Map<string, string>> {
  const ids = [
    ...new Set(lines.flatMap(({ discounts }) => listDiscounts(discounts).map((each) => each.discountId))),
  ];
  const names = new Map<string, string>();
  for (const { creditId } of lines.flatMap(listLineUses))
    names.set(creditId, (await reads.one('balanceEntries', { id: creditId }))?.reason ?? '');
  for (const id of ids) {
    const discount = await reads.one('discounts', { id });
    const coupon = discount && (await reads.one('coupons', { id: discount.couponId }));
    if (coupon) names.set(id, coupon.name);
  }
  return names;
}

/** Returns the days from the first to the last one of the lines. */
function joinPeriods(lines: DocumentLine[]): DocumentRecord['period'] {
  return lines.reduce<DocumentRecord['period']>((joined, { period }) => {
    if (!joined || !period) return joined ?? period;
    return {
      from: period.from < joined.from ? period.from : joined.from,
      to: period.to > joined.to ? period.to : joined.to,
    };
  }, null);
}

const findLinePeriod = ({ periodStart, periodEnd }: BilledLine, timeZone: string): DocumentLine['period'] =>
  periodStart < periodEnd ? toPeriodDays(periodStart, periodEnd, timeZone) : null;

interface LineContext {
  currency: string;
  locale: string;
  names: Map<string, string>;
  sign: bigint;
  timeZone: string;
  isFromPayment: boolean;
}

function buildLine(
  line: BilledLine,
  { currency, locale, names, sign, timeZone, isFromPayment }: LineContext,
): DocumentLine {
  const { amountMinor, discounts, tax } = line;
  const period = findLinePeriod(line, timeZone);
  const listMinor = sign * (amountMinor + sumDiscounts([line]));
  return {
    description: describeLine(line, locale),
    details: describeDetails(line, currency, locale, period !== null && isFromPayment),
    period: isFromPayment && line.kind !== 'ITEM' ? null : period,
    ...findUnits(line.explanation, listMinor, currency),
    listMinor: String(listMinor),
    discounts: (discounts ?? []).map(({ discountId, creditId, amountMinor: offMinor }) => ({
      name: names.get(creditId ?? discountId) ?? '',
      amountMinor: String(sign * BigInt(offMinor)),
    })),
    netMinor: String(sign * computeNet(line)),
    taxMinor: String(sign * BigInt(tax?.taxMinor ?? 0)),
    tax: tax ? { category: tax.category, percent: tax.percent } : null,
  };
}

function computeTotals(lines: BilledLine[], sign: bigint): DocumentTotals {
  const charged = lines.filter(({ kind }) => kind !== 'BALANCE');
  const totalMinor = sign * sumLines(charged);
  const netMinor = sign * charged.reduce((total, line) => total + computeNet(line), 0n);
  const balanceMinor = sumBalanceUsed(lines);
  return {
    subtotalMinor: String(sign * computeSubtotal(charged)),
    discountMinor: String(sign * sumDiscounts(charged)),
    netMinor: String(netMinor),
    taxMinor: String(totalMinor - netMinor),
    totalMinor: String(totalMinor),
    balanceMinor: String(balanceMinor),
    payableMinor: String(sign === 1n ? totalMinor - balanceMinor : 0n),
  };
}

function describePayment(
  tenant: Row<'tenants'>,
  invoice: InvoiceRow,
  { payableMinor }: DocumentTotals,
  isTransfer: boolean,
  sign: bigint,
): DocumentPayment {
  if (isTransfer)
    return {
      kind: 'transfer',
      bankAccount: tenant.bankAccount,
      reference: buildPaymentReference(invoice),
      termsDays: findPaymentTermsDays(tenant),
    };
  const kind = sign === -1n ? 'credited' : payableMinor === '0' ? 'paid' : 'charged';
  return { kind, bankAccount: null, reference: null, termsDays: null };
}

/** Builds the record of a credit note. The parties are those of its invoice's document, if it has one. */
export async function buildCreditNoteRecord(
  reads: Reads,
  tenant: Row<'tenants'>,
  note: Row<'creditNotes'>,
  invoice: InvoiceRow,
): Promise<DocumentRecord> {
  const { currency, customerId, taxes, totalMinor } = note;
  const customer = await reads.one('customers', { id: customerId });
  const frozen = await reads.one('documents', { id: invoice.id });
  const billed = frozen?.record as unknown as DocumentRecord | undefined;
  const toDate = (instant: string) => toLocalDate(instant, tenant.timezone);
  const { seller, buyer } = billed ?? (await describeParties(reads, tenant, customer));
  const sum = (key: 'netMinor' | 'taxMinor') =>
    note.lines.reduce((total, line) => total + BigInt(line[key]), 0n);
  const netMinor = String(sum('netMinor'));
  return {
    kind: 'credit_note',
    number: note.documentNumber,
    issueDate: toDate(note.issuedAt),
    issuedAt: note.issuedAt,
    dueDate: null,
    currency,
    currencyDecimals: countDecimals(currency),
    timeZone: tenant.timezone,
    locale: billed?.locale ?? findLocale(customer),
    seller,
    buyer,
    ...(billed ? nameReferences(billed, billed) : nameReferences(customer, invoice)),
    credits: nameInvoice(invoice, toDate),
    period: billed?.period ?? null,
    lines: note.lines.map(({ description, netMinor: net, taxMinor, category, percent }) => ({
      description,
      details: [],
      period: null,
      quantity: '1',
      unitPrice: decimalText(BigInt(net), currency),
      listMinor: net,
      discounts: [],
      netMinor: net,
      taxMinor,
      tax: category && percent ? { category, percent } : null,
    })),
    taxes: joinTotals(taxes ?? [], { byCountry: false }),
    pricesIncludeTax: false,
    totals: {
      subtotalMinor: netMinor,
      discountMinor: '0',
      netMinor,
      taxMinor: String(sum('taxMinor')),
      totalMinor: String(totalMinor),
      balanceMinor: '0',
      payableMinor: String(note.kind === 'credit' ? computeReduction(invoice, totalMinor) : 0n),
    },
    payment: {
      kind: note.kind === 'refund' ? 'refunded' : 'credited',
      bankAccount: null,
      reference: null,
      termsDays: null,
    },
    note: [note.reason, note.memo].filter(Boolean).join(': ') || null,
  };
}

/**
 * The tax of documents in the currency in which their seller owes it (directive 2006/112/EC, article 230). It is kept beside the
 * record: a document whose rate was not known when it was numbered gets its amount, once, when the rate is.
 */
import type { DocumentRecord, HomeCurrencyTax } from '../../documents/record.ts';
import { refuse } from '../../lib/errors.ts';
import { convertMinor, listRated, type DayRates } from '../../lib/euroRates.ts';
import { countDecimals } from '../../lib/money.ts';
import { addDays, toLocalDate } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import {
  findRates,
  mostDaysOld,
  setExchangeRate,
  storePublished,
  type FoundRates,
  type RatesRow,
} from '../tax/exchangeRates.ts';
import { findHomeCurrency } from '../tax/homeCurrency.ts';
import { reconvertDays } from '../tax/unionSalesDays.ts';
import type { BilledLine } from './documentLines.ts';

type ConversionRow = Row<'taxConversions'>;

/** What of a document decides whether its tax is converted. */
type Taxed = Pick<DocumentRecord, 'currency' | 'totals'>;

/** Returns the currency that the tax of a document is converted to; null if none is, because it has none or is in it already. */
function findTargetCurrency(tenant: Row<'tenants'>, { currency, totals }: Taxed): string | null {
  const home = findHomeCurrency(tenant);
  return home !== null && home !== currency && BigInt(totals.taxMinor) !== 0n ? home : null;
}

/** The day of the tax of a document: of its issue, or the last day of what was supplied before (articles 63 to 65). */
const findTaxDay = ({ issueDate, period }: Pick<DocumentRecord, 'issueDate' | 'period'>): string =>
  period !== null && period.to < issueDate ? period.to : issueDate;

/** Returns the columns of an amount that was converted. */
function convert(
  taxMinor: bigint,
  { documentCurrency: from, currency: to }: Pick<ConversionRow, 'documentCurrency' | 'currency'>,
  { rates, rateDay, source }: FoundRates,
): Pick<ConversionRow, 'taxMinor' | 'rates' | 'rateDay' | 'source'> {
  return { taxMinor: convertMinor(taxMinor, { from, to }, rates), rates: { ...rates }, rateDay, source };
}

/**
 * Keeps the tax of a document that has just been numbered in the currency of the seller, by the rate of the day of the tax. `creditedId`
 * is the invoice that it credits, whose currency and rate it has. Without a rate the document is kept as missing one, and an
 * event says so once for a day: nothing is held up. Does nothing, without a query, if the currency is the same.
 */
export async function keepTaxConversion(
  unit: UnitOfWork,
  id: string,
  record: DocumentRecord,
  creditedId?: string,
): Promise<void> {
  if (BigInt(record.totals.taxMinor) === 0n) return;
  const credited = creditedId ? await unit.one('taxConversions', { id: creditedId }) : undefined;
  const currency = credited?.currency ?? findTargetCurrency(unit.tenant, record);
  if (currency === null) return;
  const documentCurrency = record.currency;
  const day = credited?.day ?? record.credits?.issueDate ?? findTaxDay(record);
  const found = readFound(credited) ?? (await findRates(unit, [documentCurrency, currency], day));
  if (!found) await tellMissing(unit, { documentCurrency, currency, day }, record.number);
  await unit.insertUntraced('taxConversions', {
    id,
    documentCurrency,
    currency,
    day,
    createdAt: unit.now,
    ...(found && convert(BigInt(record.totals.taxMinor), { documentCurrency, currency }, found)),
  });
}

const readFound = (row: ConversionRow | undefined): FoundRates | undefined =>
  row?.rates && row.rateDay && row.source
    ? { rates: row.rates, rateDay: row.rateDay, source: row.source }
    : undefined;

async function tellMissing(
  unit: UnitOfWork,
  missing: Pick<ConversionRow, 'documentCurrency' | 'currency' | 'day'>,
  number: string,
): Promise<void> {
  if (await unit.one('taxConversions', { ...missing, taxMinor: null })) return;
  const { documentCurrency, currency, day } = missing;
  const details = { currency: documentCurrency, taxCurrency: currency, day, number };
  await unit.recordEvent('tenants', unit.tenant, 'exchange_rate_missing', details);
}

/** Returns the first invoice that lines credit; undefined if they credit none. */
export async function findCreditedInvoice(
  reads: Reads,
  lines: readonly BilledLine[],
): Promise<string | undefined> {
  for (const { creditedLineId } of lines) {
    const credited = creditedLineId ? await reads.one('invoiceLines', { id: creditedLineId }) : undefined;
    if (credited) return credited.invoiceId;
  }
  return undefined;
}

/** Adds the tax in the seller's currency to the record of a document. */
export async function addTaxConversion(
  reads: Pick<Reads, 'one'>,
  id: string,
  record: DocumentRecord,
): Promise<DocumentRecord> {
  const row = await reads.one('taxConversions', { id });
  const taxInHomeCurrency = row && showConversion(row);
  return taxInHomeCurrency ? { ...record, taxInHomeCurrency } : record;
}

/** Returns the tax of a document as documents show it; undefined while its rate is not known. */
export function showConversion(row: ConversionRow): HomeCurrencyTax | undefined {
  const { documentCurrency, currency, taxMinor, rates, rateDay, source } = row;
  if (taxMinor === null || !rates || !rateDay || !source) return undefined;
  return {
    currency,
    currencyDecimals: countDecimals(currency),
    taxMinor: String(taxMinor),
    rates: listRated(documentCurrency, currency).map((each) => ({ currency: each, rate: rates[each]! })),
    rateDate: rateDay,
    source,
  };
}

/** A bill that is expected. */
interface ExpectedBill {
  currency: string;
  taxMinor: bigint;
  /** Whether the conversion matters without a tax, too. */
  isForced?: boolean;
}

/**
 * Returns the tax of a bill as if it were numbered now; undefined if it is not converted. `conversion` is undefined while the
 * rate is not known.
 */
export async function previewConversion(
  reads: Pick<Reads, 'many'>,
  { tenant, now }: Pick<UnitOfWork, 'tenant' | 'now'>,
  { currency: documentCurrency, taxMinor, isForced = false }: ExpectedBill,
): Promise<{ currency: string; day: string; conversion: HomeCurrencyTax | undefined } | undefined> {
  const currency = findHomeCurrency(tenant);
  if (currency === null || currency === documentCurrency || (taxMinor === 0n && !isForced)) return undefined;
  const day = toLocalDate(now, tenant.timezone);
  const found = await findRates(reads, [documentCurrency, currency], day);
  const row = { tenantAlias: tenant.alias, id: '', documentCurrency, currency, day, createdAt: now };
  const none = { taxMinor: null, rates: null, rateDay: null, source: null };
  const converted = found ? convert(taxMinor, row, found) : none;
  return { currency, day, conversion: showConversion({ ...row, ...converted }) };
}

/**
 * Refuses to number a document whose tax has to be shown in a currency that the tenant chose, while no rate is known. Error:
 * `validation_failed`.
 */
export async function checkTaxConversion(unit: UnitOfWork, bill: ExpectedBill): Promise<void> {
  if (unit.tenant.taxCurrency === null) return;
  const preview = await previewConversion(unit, unit, bill);
  if (!preview || preview.conversion) return;
  const [from, to] = [bill.currency, preview.currency].map((code) => code.toUpperCase());
  refuse('validation_failed', {
    path: 'currency',
    message: `needs an exchange rate of ${preview.day}: the tax in ${from} is shown in ${to}, too (setExchangeRate)`,
  });
}

/** How many documents are read at a time. */
const documentsAtOnce = 500;

/** Converts the tax of documents that had no rate, by rates that were stored for these days, and tells it. Returns their number. */
async function completeConversions(
  unit: UnitOfWork,
  { first, last }: { first: string; last: string },
): Promise<number> {
  const where = { taxMinor: null, day: { from: first, to: addDays(last, mostDaysOld) } };
  const known = new Map<string, FoundRates | undefined>();
  let completed = 0;
  for (let past: string[] | undefined; ;) {
    const orderBy = ['day', 'id'] as const;
    const rows = await unit.many('taxConversions', { where, orderBy, past, limit: documentsAtOnce });
    for (const row of rows) if (await completeConversion(unit, row, known)) completed += 1;
    if (rows.length < documentsAtOnce) break;
    past = [rows.at(-1)!.day, rows.at(-1)!.id];
  }
  const details = { first, last, documents: completed };
  if (completed > 0) await unit.recordEvent('tenants', unit.tenant, 'taxes_converted', details);
  return completed;
}

async function completeConversion(
  unit: UnitOfWork,
  row: ConversionRow,
  known: Map<string, FoundRates | undefined>,
): Promise<boolean> {
  const { id, documentCurrency, currency, day } = row;
  const key = `${day} ${documentCurrency} ${currency}`;
  if (!known.has(key)) known.set(key, await findRates(unit, [documentCurrency, currency], day));
  const found = known.get(key);
  const document = found && (await unit.one('documents', { id }));
  if (!found || !document) return false;
  const { totals } = document.record as unknown as DocumentRecord;
  await unit.updateUntraced('taxConversions', { id }, convert(BigInt(totals.taxMinor), row, found));
  return true;
}

/** Stores published rates, and converts by them the tax of documents that lacked them, and what counts towards the threshold. */
export async function storeAndComplete(
  unit: UnitOfWork,
  days: readonly DayRates[],
): Promise<{ days: number; documents: number }> {
  const stored = await storePublished(unit, days);
  if (days.length === 0) return { days: 0, documents: 0 };
  const sorted = days.map(({ day }) => day).toSorted();
  const span = { first: sorted[0]!, last: sorted.at(-1)! };
  const documents = await completeConversions(unit, span);
  await reconvertDays(unit, span);
  return { days: stored, documents };
}

/** Sets the tenant's own rate of a day, as `setExchangeRate`, and converts the tax of documents that lacked it. */
export async function setOwnRate(unit: UnitOfWork, input: unknown): Promise<RatesRow> {
  const row = await setExchangeRate(unit, input);
  const span = { first: row.day, last: row.day };
  await completeConversions(unit, span);
  await reconvertDays(unit, span);
  return row;
}

/** Days whose documents have no rate. */
export interface MissingRates {
  day: string;
  currency: string;
  taxCurrency: string;
  documents: number;
}

/** How many documents are looked at. */
const mostListed = 1000;

/** Lists the days for which a rate is missing, oldest first, of at most 1000 documents. */
export async function listMissingRates(reads: Pick<Reads, 'many'>): Promise<MissingRates[]> {
  const rows = await reads.many('taxConversions', {
    where: { taxMinor: null },
    orderBy: ['day', 'id'],
    limit: mostListed,
  });
  const groups = new Map<string, MissingRates>();
  for (const { day, documentCurrency: currency, currency: taxCurrency } of rows) {
    const key = `${day} ${currency} ${taxCurrency}`;
    const group = groups.get(key) ?? { day, currency, taxCurrency, documents: 0 };
    groups.set(key, { ...group, documents: group.documents + 1 });
  }
  return [...groups.values()];
}

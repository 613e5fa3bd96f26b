/** The tax report: what was taxed in each calendar period, by country, rate and currency, credit notes taken off. */
import { isMemberState } from '../../lib/countries.ts';
import { refuse } from '../../lib/errors.ts';
import { parseCurrency } from '../../lib/money.ts';
import { parseInstant } from '../../lib/time.ts';
import { locate } from '../../billing/tax/vatPlaces.ts';
import type { TaxCategory, TaxReason, TaxTotal } from '../../storage/model/common.ts';
import { pickPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listBounds, parseTimeZone, type RevenueInterval } from '../revenue/buckets.ts';
import { readTaxedDocuments, type TaxedDocument } from './taxedDocuments.ts';

/** Which return a sale belongs to. */
type TaxTreatment = 'domestic' | 'one_stop_shop' | 'intra_community' | 'foreign';

/** Sums of documents with the same tax, in minor units. */
export interface TaxSum {
  documents: number;
  taxableMinor: bigint;
  taxMinor: bigint;
}

/** What distinguishes the rows of a period. */
interface TaxTermsOfPlace {
  country: string | null;
  treatment: TaxTreatment | null;
  category: TaxCategory;
  percent: string;
  reason: TaxReason | null;
  currency: string;
}

/** A row of the report. Sums of credit notes are positive. */
export interface TaxRow extends TaxTermsOfPlace {
  start: string;
  /** Exclusive. */
  end: string;
  invoiced: TaxSum;
  credited: TaxSum;
  /** The part of `credited` that credits invoices of earlier periods. */
  creditedEarlier: TaxSum;
}

/** The sums of a currency, credit notes taken off. */
export interface TaxTotalOfCurrency extends TaxSum {
  currency: string;
}

export interface TaxReportFigures {
  timeZone: string;
  from: string;
  until: string;
  rows: TaxRow[];
  totals: TaxTotalOfCurrency[];
  untaxedDocuments: number;
}

interface ReportQuestion {
  from: string;
  until: string;
  by?: RevenueInterval | null;
  timeZone?: string | null;
}

const createSum = (): TaxSum => ({ documents: 0, taxableMinor: 0n, taxMinor: 0n });

function addTax(sum: TaxSum, taxableMinor: bigint, taxMinor: bigint): void {
  sum.documents += 1;
  sum.taxableMinor += taxableMinor;
  sum.taxMinor += taxMinor;
}

/**
 * Returns the tax of the documents that were issued in the calendar periods of a range. Errors: `validation_failed`,
 * `query_timeout`.
 */
export function findTaxReport(tenant: TenantScope, question: ReportQuestion): Promise<TaxReportFigures> {
  const timeZone = parseTimeZone(question.timeZone ?? tenant.record.timezone, 'timeZone');
  const { from, until, by } = question;
  const bounds = listBounds({ from, until, by: by ?? 'quarter', timeZone });
  const [first, last] = [bounds[0]!, bounds.at(-1)!];
  const findTreatment = createTreatments(tenant);
  return tenant.scan(async (scan) => {
    const rows = new Map<string, TaxRow>();
    const totals = new Map<string, TaxTotalOfCurrency>();
    let untaxedDocuments = 0;
    for await (const documents of readTaxedDocuments(scan, { from: first, before: last })) {
      for (const document of documents) {
        if (document.taxes === null) untaxedDocuments += 1;
        const period = findPeriod(bounds, document.issuedAt);
        for (const tax of document.taxes ?? []) {
          const key = [
            period,
            document.country,
            document.currency,
            tax.category,
            tax.percent,
            tax.reason,
          ].join();
          let row = rows.get(key);
          if (!row) {
            row = beginRow(document, tax, findTreatment);
            [row.start, row.end] = [bounds[period]!, bounds[period + 1]!];
            rows.set(key, row);
          }
          addDocument(row, document, tax);
        }
        if (document.taxes) addTotal(totals, document);
      }
      scan.check();
    }
    return {
      timeZone,
      from: first,
      until: last,
      rows: [...rows.values()].toSorted(compareRows),
      totals: [...totals.values()].toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
      untaxedDocuments,
    };
  });
}

/** Returns the number of the period that contains an instant, by a binary search. */
function findPeriod(bounds: readonly string[], at: string): number {
  let [low, high] = [0, bounds.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (bounds[middle]! <= at) low = middle;
    else high = middle;
  }
  return low;
}

type FindTreatment = (country: string | null, category: TaxCategory) => TaxTreatment | null;

/**
 * Returns a function that finds the return of a sale: reverse charge and supplies of goods belong to the recapitulative
 * statement, other sales to another member state to the one-stop shop (directive 2006/112/EC, articles 262 and 369a).
 */
function createTreatments({ record: { seller } }: Pick<TenantScope, 'record'>): FindTreatment {
  const home = seller?.address ? locate(seller.address) : undefined;
  return (country, category) => {
    if (country === null || !home) return null;
    if (country === home.country) return 'domestic';
    if (category === 'G' || category === 'O' || !home.isInUnion || !isMemberState(country)) return 'foreign';
    return category === 'AE' || category === 'K' ? 'intra_community' : 'one_stop_shop';
  };
}

const describeTerms = (
  { country, currency }: TaxedDocument,
  { category, percent, reason }: TaxTotal,
  findTreatment: FindTreatment,
): TaxTermsOfPlace => ({
  country,
  treatment: findTreatment(country, category),
  category,
  percent,
  reason: reason ?? null,
  currency,
});

const beginRow = (document: TaxedDocument, tax: TaxTotal, findTreatment: FindTreatment): TaxRow => ({
  start: '',
  end: '',
  ...describeTerms(document, tax, findTreatment),
  invoiced: createSum(),
  credited: createSum(),
  creditedEarlier: createSum(),
});

function addDocument(row: TaxRow, { kind, sign, creditedIssuedAt }: TaxedDocument, tax: TaxTotal): void {
  // Both a credit note and an invoice that credits reduce the tax.
  const direction = kind === 'invoice' ? 1n : -1n;
  const taxableMinor = direction * sign * BigInt(tax.taxableMinor);
  const taxMinor = direction * sign * BigInt(tax.taxMinor);
  if (kind === 'invoice') return addTax(row.invoiced, taxableMinor, taxMinor);
  addTax(row.credited, taxableMinor, taxMinor);
  if (creditedIssuedAt !== null && creditedIssuedAt < row.start)
    addTax(row.creditedEarlier, taxableMinor, taxMinor);
}

function addTotal(totals: Map<string, TaxTotalOfCurrency>, { currency, sign, taxes }: TaxedDocument): void {
  const total = totals.get(currency) ?? { currency, ...createSum() };
  totals.set(currency, total);
  total.documents += 1;
  for (const { taxableMinor, taxMinor } of taxes!) {
    total.taxableMinor += sign * BigInt(taxableMinor);
    total.taxMinor += sign * BigInt(taxMinor);
  }
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const compareRows = (a: TaxRow, b: TaxRow): number =>
  compareText(a.start, b.start) ||
  compareText(a.country ?? '~', b.country ?? '~') ||
  compareText(a.currency, b.currency) ||
  compareText(a.category, b.category) ||
  Number(b.percent) - Number(a.percent) ||
  compareText(a.reason ?? '', b.reason ?? '');

/** Which documents of a period are listed. */
export interface DocumentFilter {
  from: string;
  until: string;
  timeZone?: string | null;
  kind?: TaxedDocument['kind'] | null;
  /** Null: documents whose country is not known. */
  country?: string | null;
  category?: TaxCategory | null;
  percent?: string | null;
  /** Null: taxed without a reason for another rate. */
  reason?: TaxReason | null;
  currency?: string | null;
  /** Only credit notes of invoices that were issued before. */
  creditsIssuedBefore?: string | null;
}

/** A document with one of its taxes; amounts are below 0 where they reduce the tax. */
export type ListedTax = Omit<TaxedDocument, 'taxes' | 'sign'> &
  TaxTermsOfPlace & { taxableMinor: bigint; taxMinor: bigint };

/**
 * Returns a page of the documents behind the figures of a report, by the time of issue; one with several rates is listed
 * once for each. Errors: `validation_failed`, `currency_unsupported`, `cursor_invalid`, `query_timeout`.
 */
export async function listTaxDocuments(
  tenant: TenantScope,
  filter: DocumentFilter,
  args: PageArgs,
): Promise<Page<ListedTax>> {
  const wanted = parseFilter(tenant, filter);
  const { period, matchesDocument, matchesTax } = wanted;
  const findTreatment = createTreatments(tenant);
  const rows = await tenant.scan(async (scan) => {
    const found: ListedTax[] = [];
    for await (const documents of readTaxedDocuments(scan, period)) {
      for (const { taxes, sign, ...document } of documents.filter(matchesDocument)) {
        for (const tax of taxes!.filter(matchesTax))
          found.push({
            ...document,
            ...describeTerms({ ...document, taxes, sign }, tax, findTreatment),
            taxableMinor: sign * BigInt(tax.taxableMinor),
            taxMinor: sign * BigInt(tax.taxMinor),
          });
      }
      scan.check();
    }
    return found;
  });
  const toKey = ({ issuedAt, id, category, percent, reason }: ListedTax) =>
    [issuedAt, id, category, percent, reason ?? ''].join('|');
  const sorted = rows.map((row) => ({ row, key: toKey(row) })).toSorted((a, b) => compareText(a.key, b.key));
  const list = { name: 'taxDocuments', request: wanted.request, rows: sorted.map(({ row }) => row), toKey };
  return pickPage(tenant, list, args);
}

function parseFilter(tenant: TenantScope, filter: DocumentFilter) {
  const timeZone = parseTimeZone(filter.timeZone ?? tenant.record.timezone, 'timeZone');
  const period = {
    from: parseInstant(filter.from, timeZone, 'from'),
    before: parseInstant(filter.until, timeZone, 'until'),
  };
  if (period.before <= period.from)
    refuse('validation_failed', { path: 'until', message: 'must be after from' });
  const currency = filter.currency ? parseCurrency(filter.currency, 'currency') : undefined;
  const creditsBefore = filter.creditsIssuedBefore
    ? parseInstant(filter.creditsIssuedBefore, timeZone, 'creditsIssuedBefore')
    : undefined;
  const { kind, country, category, percent, reason } = filter;
  return {
    period,
    request: { period, kind, country, category, percent, reason, currency, creditsBefore },
    matchesDocument: (document: TaxedDocument): boolean =>
      document.taxes !== null &&
      (!kind || document.kind === kind) &&
      (country === undefined || document.country === country) &&
      (currency === undefined || document.currency === currency) &&
      (creditsBefore === undefined ||
        (document.creditedIssuedAt !== null && document.creditedIssuedAt < creditsBefore)),
    matchesTax: (tax: TaxTotal): boolean =>
      (!category || tax.category === category) &&
      (!percent || Number(tax.percent) === Number(percent)) &&
      (reason === undefined || (tax.reason ?? null) === reason),
  };
}

/** The documents behind the figures of the tax report, a page at a time. */
import { joinTotals } from '../../billing/pricing/tax.ts';
import { refuse } from '../../lib/errors.ts';
import { parseCurrency } from '../../lib/money.ts';
import { parseInstant } from '../../lib/time.ts';
import type { TaxCategory, TaxReason, TaxTotal } from '../../storage/model/common.ts';
import type { Scan } from '../../storage/scan.ts';
import { readMergedPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { parseTimeZone } from '../revenue/buckets.ts';
import { mergeDocuments } from './mergeDocuments.ts';
import { countSummedInvoices, divideRange, findDaysWith } from './readTaxSums.ts';
import { readTaxedInvoices, readTaxedNotes, type Period, type TaxedDocument } from './taxedDocuments.ts';
import { compareText, createTreatments, describeTerms, type TaxTermsOfPlace } from './taxTerms.ts';

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

/** Beyond what a page has, so that a filter that most documents match needs one step. */
const rowsAhead = 100;

/**
 * Returns a page of the documents behind the figures of a report, by the time of issue; one with several rates is listed
 * once for each. Errors: `validation_failed`, `currency_unsupported`, `cursor_invalid`, `query_timeout`.
 */
export function listTaxDocuments(
  tenant: TenantScope,
  filter: DocumentFilter,
  args: PageArgs,
): Promise<Page<ListedTax>> {
  const wanted = parseFilter(tenant, filter);
  const findTreatment = createTreatments(tenant);
  const listTaxes = ({ taxes, sign, ...document }: TaxedDocument): ListedTax[] =>
    joinTotals(taxes!, { byCountry: true })
      .filter((tax) => wanted.matchesTax(tax, document))
      .map((tax) => ({
        ...document,
        ...describeTerms(document, tax, findTreatment),
        taxableMinor: sign * BigInt(tax.taxableMinor),
        taxMinor: sign * BigInt(tax.taxMinor),
      }));
  const list = {
    name: 'taxDocuments',
    request: wanted.request,
    read: (part: PagePart) => tenant.scan((scan) => readPart(tenant, scan, wanted, part, listTaxes)),
    count: () => tenant.scan((scan) => countAll(tenant, scan, wanted)),
    toKey,
  };
  return readMergedPage(tenant, list, args);
}

const toKey = ({ issuedAt, id, category, percent, reason, country }: ListedTax) =>
  [issuedAt, id, category, percent, reason ?? '', country ?? ''].join('|');

interface PagePart {
  past?: string;
  ascending: boolean;
  limit: number;
}

type Wanted = ReturnType<typeof parseFilter>;

async function readPart(
  tenant: TenantScope,
  scan: Scan,
  { period, terms, hasInvoices, hasNotes, matchesDocument, matchesTax }: Wanted,
  { past, ascending, limit }: PagePart,
  listTaxes: (document: TaxedDocument) => ListedTax[],
): Promise<ListedTax[]> {
  const rows: ListedTax[] = [];
  const documents = mergeDocuments(scan, {
    direction: ascending ? 'asc' : 'desc',
    past: past === undefined ? undefined : beginBefore(past, ascending),
    firstRows: limit + rowsAhead,
    currency: terms.currency,
    invoices: hasInvoices ? await findPeriods(tenant, scan, period, terms) : [],
    notes: hasNotes ? [period] : [],
    matches: (document) =>
      matchesDocument(document) && document.taxes!.some((tax) => matchesTax(tax, document)),
  });
  for await (const document of documents) {
    const keyed = listTaxes(document).map((row) => ({ row, key: toKey(row) }));
    const sorted = keyed.toSorted((a, b) => (ascending ? 1 : -1) * compareText(a.key, b.key));
    for (const { row, key } of sorted)
      if (past === undefined || (ascending ? key > past : key < past)) rows.push(row);
    if (rows.length >= limit) break;
  }
  return rows.slice(0, limit);
}

/**
 * Returns the time of issue and an id right before the document of a key, in the direction of the reading: the document has
 * more rows, if it has several rates. Ids are random: hardly another one begins like this.
 */
function beginBefore(key: string, ascending: boolean): string[] {
  const [issuedAt = '', id = ''] = key.split('|');
  return [issuedAt, ascending ? id.slice(0, -1) : `${id}0`];
}

/** Returns the parts of a period with matching invoices, as far as the sums of its days say it. */
async function findPeriods(
  tenant: TenantScope,
  scan: Scan,
  period: Period,
  terms: Wanted['terms'],
): Promise<Period[]> {
  const { kind, country, category, percent } = terms;
  const isNarrow = Boolean(country || category || percent) || kind === 'credit_note';
  if (!isNarrow || !isCountryCertain(terms)) return [period];
  const { summed, others } = await divide(tenant, period);
  const days = await findDaysWith(scan, summed, terms, tenant.record.timezone);
  return [...days, ...others].toSorted((a, b) => compareText(a.from, b.from));
}

/** The country of an invoice whose country is not known any more may have been known when its day was summed. */
const isCountryCertain = ({ country }: Wanted['terms']): boolean => country !== null;

async function divide(tenant: TenantScope, { from, before }: Period) {
  const progress = await tenant.primaryReads.one('taxProgress', {});
  return divideRange([from, before], progress?.until ?? '', tenant.record.timezone);
}

/** Counts the rows of the whole list: the invoices of days that are over by their sums. */
async function countAll(
  tenant: TenantScope,
  scan: Scan,
  { period, terms, hasInvoices, hasNotes, matchesDocument, matchesTax }: Wanted,
): Promise<number> {
  let total = 0;
  const add = async (documents: AsyncGenerator<TaxedDocument[]>) => {
    for await (const some of documents) {
      for (const document of some)
        if (matchesDocument(document))
          total += joinTotals(document.taxes!, { byCountry: true }).filter((tax) =>
            matchesTax(tax, document),
          ).length;
      scan.check();
    }
  };
  if (hasInvoices) {
    const { summed, others } = isCountryCertain(terms)
      ? await divide(tenant, period)
      : { summed: [], others: [period] };
    total += await countSummedInvoices(scan, summed, terms);
    for (const part of others) await add(readTaxedInvoices(scan, part));
  }
  if (hasNotes) await add(readTaxedNotes(scan, period));
  return total;
}

/** Parses a filter. Errors: `validation_failed`, `currency_unsupported`. */
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
    terms: { kind, country, category, percent, reason, currency },
    hasInvoices: creditsBefore === undefined,
    hasNotes: kind !== 'invoice',
    request: { period, kind, country, category, percent, reason, currency, creditsBefore },
    matchesDocument: (document: TaxedDocument): boolean =>
      document.taxes !== null &&
      (!kind || document.kind === kind) &&
      (currency === undefined || document.currency === currency) &&
      (creditsBefore === undefined ||
        (document.creditedIssuedAt !== null && document.creditedIssuedAt < creditsBefore)),
    matchesTax: (
      tax: Pick<TaxTotal, 'category' | 'percent' | 'reason' | 'country'>,
      document: Pick<TaxedDocument, 'country'>,
    ): boolean =>
      (country === undefined || (tax.country ?? document.country) === country) &&
      (!category || tax.category === category) &&
      (!percent || Number(tax.percent) === Number(percent)) &&
      (reason === undefined || (tax.reason ?? null) === reason),
  };
}

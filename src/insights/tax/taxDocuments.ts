/** The documents behind the figures of the tax report, a page at a time. */
import { joinTotals } from '../../billing/pricing/tax.ts';
import { parseCurrency } from '../../lib/money.ts';
import { parseInstant, parsePeriod } from '../../lib/time.ts';
import type { TaxCategory, TaxReason, TaxTotal } from '../../storage/model/common.ts';
import type { Scan } from '../../storage/scan.ts';
import { readMergedPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { parseTimeZone } from '../revenue/buckets.ts';
import { mergeDocuments } from './mergeDocuments.ts';
import { dividePeriod, findPeriodsWith } from './periodsWith.ts';
import { countSummedInvoices, type SumTerms } from './readTaxSums.ts';
import { readVatIds } from './vatIds.ts';
import { openForm, type TaxReturnKind } from './returns/forms.ts';
import type { LeftOut } from './returns/returnLines.ts';
import {
  listSignedTaxes,
  readTaxedInvoices,
  readTaxedNotes,
  type Period,
  type TaxedDocument,
} from './taxedDocuments.ts';
import {
  compareText,
  createTreatments,
  describeTerms,
  type FindTreatment,
  type TaxTermsOfPlace,
} from './taxTerms.ts';

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
  /** Only credit notes of invoices that were issued from then on, and before. */
  creditsIssuedFrom?: string | null;
  creditsIssuedBefore?: string | null;
  /** Only the taxes of a line of the return of the period. */
  taxReturn?: ReturnLineFilter | null;
  /** Only documents that name this VAT id as the buyer's; null: none. */
  vatId?: string | null;
}

/** A line of a return, as its rows name it. */
export interface ReturnLineFilter {
  kind: TaxReturnKind;
  code?: string | null;
  leftOut?: LeftOut | null;
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
  const findTreatment = createTreatments(tenant);
  const wanted = parseFilter(tenant, filter, findTreatment);
  const listTaxes = ({ taxes, sign, ...document }: TaxedDocument): ListedTax[] =>
    listSignedTaxes({ taxes, sign })
      .filter((tax) => wanted.matchesTax(tax, document))
      .map((tax) => ({
        ...document,
        ...describeTerms(document, tax, findTreatment),
        taxableMinor: tax.taxableMinor,
        taxMinor: tax.taxMinor,
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
  wanted: Wanted,
  { past, ascending, limit }: PagePart,
  listTaxes: (document: TaxedDocument) => ListedTax[],
): Promise<ListedTax[]> {
  const { period, terms, hasInvoices, hasNotes, matchesDocument, matchesTax } = wanted;
  const rows: ListedTax[] = [];
  const documents = mergeDocuments(scan, {
    direction: ascending ? 'asc' : 'desc',
    past: past === undefined ? undefined : beginBefore(past, ascending),
    firstRows: limit + rowsAhead,
    currency: terms.currency,
    invoices: hasInvoices ? await findPeriods(tenant, scan, wanted) : [],
    notes: hasNotes ? [period] : [],
    matches: (document) =>
      matchesDocument(document) && document.taxes!.some((tax) => matchesTax(tax, document)),
    keep: (some) => keepByVatId(scan, some, wanted.vatId),
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
  { period, terms, matchesSum }: Wanted,
): Promise<Period[]> {
  const { kind, country, category, percent } = terms;
  const isNarrow = Boolean(country || category || percent || matchesSum) || kind === 'credit_note';
  if (!isNarrow || !isCountryCertain(terms)) return [period];
  return findPeriodsWith(tenant, scan, period, { ...terms, matches: matchesSum });
}

/** The country of an invoice whose country is not known any more may have been known when its day was summed. */
const isCountryCertain = ({ country }: Wanted['terms']): boolean => country !== null;

/** Keeps the documents that name a VAT id, or none; all of them if it does not matter. */
async function keepByVatId(
  scan: Scan,
  documents: TaxedDocument[],
  vatId: string | null | undefined,
): Promise<TaxedDocument[]> {
  if (vatId === undefined) return documents;
  const found = await readVatIds(
    scan,
    documents.map(({ id }) => id),
  );
  return documents.filter(({ id }) => (found.get(id) ?? null) === vatId);
}

/** Counts the rows of the whole list: the invoices of days that are over by their sums. */
async function countAll(tenant: TenantScope, scan: Scan, wanted: Wanted): Promise<number> {
  const { period, terms, hasInvoices, hasNotes, matchesDocument, matchesTax, matchesSum, vatId } = wanted;
  let total = 0;
  const countTaxes = (document: TaxedDocument) =>
    joinTotals(document.taxes!, { byCountry: true }).filter((tax) => matchesTax(tax, document)).length;
  const add = async (documents: AsyncGenerator<TaxedDocument[]>) => {
    for await (const some of documents) {
      const matching = some.filter((each) => matchesDocument(each) && countTaxes(each) > 0);
      for (const document of await keepByVatId(scan, matching, vatId)) total += countTaxes(document);
      scan.check();
    }
  };
  if (hasInvoices && vatId !== undefined) {
    for (const part of await findPeriods(tenant, scan, wanted)) await add(readTaxedInvoices(scan, part));
  } else if (hasInvoices) {
    const { summed, others } = isCountryCertain(terms)
      ? await dividePeriod(tenant, period)
      : { summed: [], others: [period] };
    total += await countSummedInvoices(scan, summed, { ...terms, matches: matchesSum });
    for (const part of others) await add(readTaxedInvoices(scan, part));
  }
  if (hasNotes) await add(readTaxedNotes(scan, period));
  return total;
}

/** Parses a filter. Errors: `validation_failed`, `currency_unsupported`. */
function parseFilter(tenant: TenantScope, filter: DocumentFilter, findTreatment: FindTreatment) {
  const timeZone = parseTimeZone(filter.timeZone ?? tenant.record.timezone, 'timeZone');
  const { from, until: before } = parsePeriod(filter, timeZone);
  const period = { from, before };
  const currency = filter.currency ? parseCurrency(filter.currency, 'currency') : undefined;
  const parseCredited = (path: 'creditsIssuedFrom' | 'creditsIssuedBefore') =>
    filter[path] ? parseInstant(filter[path], timeZone, path) : undefined;
  const creditsFrom = parseCredited('creditsIssuedFrom');
  const creditsBefore = parseCredited('creditsIssuedBefore');
  const { kind, country, category, percent, reason, vatId } = filter;
  const line = filter.taxReturn && matchLine(tenant, filter.taxReturn, period, findTreatment);
  return {
    period,
    terms: { kind, country, category, percent, reason, currency },
    hasInvoices: creditsBefore === undefined && creditsFrom === undefined,
    hasNotes: kind !== 'invoice',
    vatId,
    request: {
      period,
      kind,
      country,
      category,
      percent,
      reason,
      currency,
      creditsBefore,
      creditsFrom,
      line: line?.request,
      vatId,
    },
    matchesDocument: ({ taxes, creditedIssuedAt, ...document }: TaxedDocument): boolean =>
      taxes !== null &&
      (!kind || document.kind === kind) &&
      (currency === undefined || document.currency === currency) &&
      (creditsFrom === undefined || (creditedIssuedAt !== null && creditedIssuedAt >= creditsFrom)) &&
      (creditsBefore === undefined || (creditedIssuedAt !== null && creditedIssuedAt < creditsBefore)),
    matchesTax: (tax: TaxOfDocument, document: MatchedDocument): boolean =>
      (country === undefined || (tax.country ?? document.country) === country) &&
      (!category || tax.category === category) &&
      (!percent || Number(tax.percent) === Number(percent)) &&
      (reason === undefined || (tax.reason ?? null) === reason) &&
      (!line || line.matches(tax, document)),
    matchesSum: line
      ? ({ country: place, currency: of, ...tax }: SumTerms) =>
          line.matches(tax, { country: place, currency: of, creditedIssuedAt: null })
      : undefined,
  };
}

type TaxOfDocument = Omit<TaxTotal, 'taxableMinor' | 'taxMinor'>;
type MatchedDocument = Pick<TaxedDocument, 'country' | 'currency' | 'creditedIssuedAt'>;

/** Returns a function that finds the taxes of a line of a return. Error: `validation_failed`. */
function matchLine(
  tenant: TenantScope,
  { kind, code = null, leftOut = null }: ReturnLineFilter,
  { from }: Period,
  findTreatment: FindTreatment,
) {
  const { findLine } = openForm(tenant, kind, 'taxReturn.kind');
  const matches = (tax: TaxOfDocument, { creditedIssuedAt, ...place }: MatchedDocument): boolean => {
    const isCorrection = creditedIssuedAt !== null && creditedIssuedAt < from;
    const line = findLine(describeTerms(place, tax, findTreatment), isCorrection);
    return line.code === code && line.leftOut === leftOut;
  };
  return { matches, request: { kind, code, leftOut } };
}

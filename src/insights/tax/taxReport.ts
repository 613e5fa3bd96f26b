/** The tax report: what was taxed in each calendar period, by country, rate and currency, credit notes taken off. */
import type { TaxTotal } from '../../storage/model/common.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listBounds, parseTimeZone, type RevenueInterval } from '../revenue/buckets.ts';
import { addTaxes } from './readTaxes.ts';
import type { ReadTaxSum } from './readTaxSums.ts';
import { listSignedTaxes, type TaxedDocument } from './taxedDocuments.ts';
import {
  compareText,
  createTreatments,
  describeTerms,
  type DocumentPlace,
  type FindTreatment,
  type TaxTermsOfPlace,
} from './taxTerms.ts';

/** Sums of documents with the same tax, in minor units. */
export interface TaxSum {
  documents: number;
  taxableMinor: bigint;
  taxMinor: bigint;
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

function addTax(sum: TaxSum, { documents, taxableMinor, taxMinor }: TaxSum): void {
  sum.documents += documents;
  sum.taxableMinor += taxableMinor;
  sum.taxMinor += taxMinor;
}

/**
 * Returns the tax of the documents that were issued in the calendar periods of a range: of days that are over from their
 * sums, of the others from the documents. Errors: `validation_failed`, `query_timeout`.
 */
export async function findTaxReport(
  tenant: TenantScope,
  question: ReportQuestion,
): Promise<TaxReportFigures> {
  const timeZone = parseTimeZone(question.timeZone ?? tenant.record.timezone, 'timeZone');
  const { from, until, by } = question;
  const bounds = listBounds({ from, until, by: by ?? 'quarter', timeZone });
  const figures = new ReportFigures(bounds, createTreatments(tenant));
  await addTaxes(tenant, bounds, figures);
  return { timeZone, from: bounds[0]!, until: bounds.at(-1)!, ...figures.list() };
}

/** The figures of a report while they are added up. */
class ReportFigures {
  private readonly rows = new Map<string, TaxRow>();
  private readonly totals = new Map<string, TaxTotalOfCurrency>();
  private untaxedDocuments = 0;

  constructor(
    private readonly bounds: readonly string[],
    private readonly findTreatment: FindTreatment,
  ) {}

  addDocument(document: TaxedDocument): void {
    const { issuedAt, creditedIssuedAt, kind, country, currency, taxes } = document;
    if (!taxes) {
      this.untaxedDocuments += 1;
      return;
    }
    this.addTotal(currency, { ...createSum(), documents: 1 });
    const period = findPeriod(this.bounds, issuedAt);
    const isEarlier = creditedIssuedAt !== null && creditedIssuedAt < this.bounds[period]!;
    for (const { taxableMinor, taxMinor, ...terms } of listSignedTaxes(document)) {
      const sum = { documents: 1, taxableMinor, taxMinor };
      this.addTo(this.findRow(period, { country, currency }, terms), kind, sum, isEarlier);
    }
  }

  addSum({ period, kind, country, category, percent, reason, ...sum }: ReadTaxSum): void {
    const { currency } = sum;
    if (kind === 'untaxed') this.untaxedDocuments += sum.documents;
    else if (kind === 'taxed') this.addTotal(currency, sum);
    else
      this.addTo(
        this.findRow(period, { country, currency }, { category, percent, reason }),
        kind,
        sum,
        false,
      );
  }

  /** Returns the rows and totals in order. */
  list(): Pick<TaxReportFigures, 'rows' | 'totals' | 'untaxedDocuments'> {
    return {
      // The documents of a sum may have been voided since.
      rows: [...this.rows.values()]
        .filter(({ invoiced, credited }) => invoiced.documents + credited.documents > 0)
        .toSorted(compareRows),
      totals: [...this.totals.values()]
        .filter(({ documents }) => documents > 0)
        .toSorted((a, b) => compareText(a.currency, b.currency)),
      untaxedDocuments: this.untaxedDocuments,
    };
  }

  private findRow(
    period: number,
    place: DocumentPlace,
    terms: Omit<TaxTotal, 'taxableMinor' | 'taxMinor'>,
  ): TaxRow {
    const { category, percent, reason } = terms;
    const key = [period, terms.country ?? place.country, place.currency, category, percent, reason].join();
    const known = this.rows.get(key);
    if (known) return known;
    const row = {
      start: this.bounds[period]!,
      end: this.bounds[period + 1]!,
      ...describeTerms(place, terms, this.findTreatment),
      invoiced: createSum(),
      credited: createSum(),
      creditedEarlier: createSum(),
    };
    this.rows.set(key, row);
    return row;
  }

  /** Adds amounts that are below 0 where they reduce the tax; those of credits are shown above 0. */
  private addTo(row: TaxRow, kind: TaxedDocument['kind'], sum: TaxSum, isEarlier: boolean): void {
    const { documents, taxableMinor, taxMinor } = sum;
    this.addTotal(row.currency, { documents: 0, taxableMinor, taxMinor });
    if (kind === 'invoice') return addTax(row.invoiced, sum);
    const credited = { documents, taxableMinor: -taxableMinor, taxMinor: -taxMinor };
    addTax(row.credited, credited);
    if (isEarlier) addTax(row.creditedEarlier, credited);
  }

  private addTotal(currency: string, sum: TaxSum): void {
    const total = this.totals.get(currency) ?? { currency, ...createSum() };
    this.totals.set(currency, total);
    addTax(total, sum);
  }
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

const compareRows = (a: TaxRow, b: TaxRow): number =>
  compareText(a.start, b.start) ||
  compareText(a.country ?? '~', b.country ?? '~') ||
  compareText(a.currency, b.currency) ||
  compareText(a.category, b.category) ||
  Number(b.percent) - Number(a.percent) ||
  compareText(a.reason ?? '', b.reason ?? '');

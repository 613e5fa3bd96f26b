/** A tax return: the figures of its lines for a period, which add up to the documents of the period. */
import { convertMinor } from '../../../lib/euroRates.ts';
import { groupBy } from '../../../lib/groupBy.ts';
import { addMs, parsePeriod } from '../../../lib/time.ts';
import type { RenewedRates } from '../../../storage/model/renewedRates.ts';
import type { TaxTotal } from '../../../storage/model/common.ts';
import type { Scan } from '../../../storage/scan.ts';
import type { Reads } from '../../../storage/store.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import { listBounds, parseTimeZone } from '../../revenue/buckets.ts';
import type { ReadTaxSum } from '../readTaxSums.ts';
import { addTaxes } from '../readTaxes.ts';
import { listSignedTaxes, type TaxedDocument } from '../taxedDocuments.ts';
import {
  compareText,
  createTreatments,
  describeTerms,
  type FindTreatment,
  type TaxTermsOfPlace,
} from '../taxTerms.ts';
import { DocumentConversions, findPeriodRates, MissingRates, type MissingRate } from './conversions.ts';
import { findRateType, type RateType } from './rateTypes.ts';
import { openForm, type OpenForm, type TaxReturnKind } from './forms.ts';
import type { LineAmounts, ReturnLine } from './returnLines.ts';

/** A row of a return. Amounts are in minor units, those of credit notes taken off. */
export interface TaxReturnRow extends Omit<ReturnLine, 'by' | 'declare'> {
  treatment: TaxTermsOfPlace['treatment'];
  /** These are null where the line does not distinguish them. */
  country: string | null;
  category: TaxTermsOfPlace['category'] | null;
  percent: string | null;
  reason: TaxTermsOfPlace['reason'];
  rateType: RateType | null;
  currency: string;
  /** The calendar quarter whose return is corrected. */
  correctedFrom: string | null;
  correctedUntil: string | null;
  /** How many rows its documents have in `taxDocuments`. */
  documents: number;
  taxableMinor: bigint;
  taxMinor: bigint;
  /** The exact amounts in the currency of the form, of the documents whose rate is known; null where nothing is converted. */
  convertedTaxableMinor: bigint | null;
  convertedTaxMinor: bigint | null;
  /** How many of the documents have no known rate. */
  unconvertedDocuments: number;
  /** The rates of the last day of the period, and their day, where one rate holds for all documents. */
  rates: Record<string, string>;
  rateDate: string | null;
  /** The currency of the amounts as the form takes them. */
  declaredCurrency: string;
  declaredTaxableMinor: bigint;
  declaredTaxMinor: bigint;
}

export interface TaxReturnFigures {
  kind: TaxReturnKind;
  timeZone: string;
  from: string;
  until: string;
  currency: string | null;
  rows: TaxReturnRow[];
  untaxedDocuments: number;
  missingRates: MissingRate[];
}

interface ReturnQuestion {
  kind: TaxReturnKind;
  from: string;
  until: string;
  timeZone?: string | null;
}

/** Returns the lines of a return. Errors: `validation_failed`, `query_timeout`. */
export async function findTaxReturn(
  tenant: TenantScope,
  question: ReturnQuestion,
): Promise<TaxReturnFigures> {
  const { kind } = question;
  const timeZone = parseTimeZone(question.timeZone ?? tenant.record.timezone, 'timeZone');
  const { from, until } = parsePeriod(question, timeZone);
  const form = openForm(tenant, kind, 'kind');
  const conversions = createConversions(form, tenant.record.timezone);
  const figures = new ReturnFigures({ from, until, timeZone }, form, {
    findTreatment: createTreatments(tenant),
    renewedRates: tenant.record.renewedRates,
    conversions,
  });
  await addTaxes(tenant, [from, until], figures);
  if (form.ratesOf === 'period') await figures.convertRows(tenant.read);
  const { untaxedDocuments } = figures;
  const missingRates = figures.missing.list();
  return {
    kind,
    timeZone,
    from,
    until,
    currency: form.currency,
    rows: figures.list(),
    untaxedDocuments,
    missingRates,
  };
}

const createConversions = ({ currency, ratesOf }: OpenForm, timezone: string) =>
  currency !== null && ratesOf === 'document' ? new DocumentConversions(currency, timezone) : undefined;

type Found = Omit<TaxTotal, 'taxableMinor' | 'taxMinor'>;
type Amounts = Pick<TaxReturnRow, 'documents' | 'taxableMinor' | 'taxMinor'>;

type OpenRow = TaxReturnRow & Pick<ReturnLine, 'declare'>;

/** The rows of a return while they are added up. */
class ReturnFigures {
  private readonly rows = new Map<string, OpenRow>();
  readonly missing = new MissingRates();
  untaxedDocuments = 0;

  constructor(
    private readonly period: { from: string; until: string; timeZone: string },
    private readonly form: OpenForm,
    private readonly seller: {
      findTreatment: FindTreatment;
      renewedRates: RenewedRates | null;
      conversions: DocumentConversions | undefined;
    },
  ) {}

  /** Whether each document of a currency states its tax in that of the form. */
  readsEach(currency: string): boolean {
    return this.seller.conversions !== undefined && currency !== this.form.currency;
  }

  async prepare(scan: Scan, documents: readonly TaxedDocument[]): Promise<void> {
    await this.seller.conversions?.prepare(scan, documents);
  }

  addDocument(document: TaxedDocument): void {
    const { creditedIssuedAt, country, currency } = document;
    if (!document.taxes) {
      this.untaxedDocuments += 1;
      return;
    }
    const taxes = listSignedTaxes(document);
    const isConverted = this.readsEach(currency);
    const converted = isConverted ? this.seller.conversions?.convert(document, taxes) : undefined;
    let isMissing = false;
    for (const [nth, { taxableMinor, taxMinor, ...found }] of taxes.entries()) {
      const row = this.findRow(
        describeTerms({ country, currency }, found, this.seller.findTreatment),
        creditedIssuedAt,
      );
      addAmounts(row, { documents: 1, taxableMinor, taxMinor });
      if (!isConverted || row.code === null) continue;
      addConverted(row, converted?.[nth]);
      isMissing ||= converted === undefined;
    }
    if (isMissing)
      this.addMissing({ day: this.seller.conversions!.findDay(document), currency, documents: 1 });
  }

  addSum({ kind, country, currency, category, percent, reason, ...amounts }: ReadTaxSum): void {
    if (kind === 'untaxed') this.untaxedDocuments += amounts.documents;
    if (kind === 'untaxed' || kind === 'taxed') return;
    const found: Found = { category, percent, ...(reason && { reason }) };
    addAmounts(
      this.findRow(describeTerms({ country, currency }, found, this.seller.findTreatment), null),
      amounts,
    );
  }

  /** Converts the rows of other currencies by the rates of the last day of the period, or of the quarter that they correct. */
  async convertRows(reads: Pick<Reads, 'many'>): Promise<void> {
    const { currency: to } = this.form;
    for (const row of this.rows.values()) {
      if (to === null || row.currency === to || row.code === null || row.documents <= 0) continue;
      const period = { until: row.correctedUntil ?? this.period.until, timeZone: this.period.timeZone };
      const currencies = { from: row.currency, to };
      const { day, found } = await findPeriodRates(reads, currencies, period);
      if (!found) {
        this.addMissing({ day, currency: row.currency, documents: row.documents });
        row.unconvertedDocuments = row.documents;
        continue;
      }
      row.convertedTaxableMinor = convertMinor(row.taxableMinor, currencies, found.rates);
      row.convertedTaxMinor = convertMinor(row.taxMinor, currencies, found.rates);
      row.rates = { ...found.rates };
      row.rateDate = found.rateDay;
    }
  }

  /** Returns the rows in the order of the form: what it takes, then what it does not. */
  list(): TaxReturnRow[] {
    // The documents of a sum may have been voided since.
    const rows = [...this.rows.values()].filter(({ documents }) => documents > 0);
    for (const line of groupBy(rows, nameLine).values()) declareLine(line, this.form.currency);
    return rows.map(({ declare: _, ...row }) => row).toSorted(compareRows);
  }

  private addMissing(missing: Omit<MissingRate, 'taxCurrency'>): void {
    this.missing.add({ ...missing, taxCurrency: this.form.currency! });
  }

  private findRow(terms: TaxTermsOfPlace, creditedIssuedAt: string | null): OpenRow {
    const { from } = this.period;
    const isCorrection = creditedIssuedAt !== null && creditedIssuedAt < from;
    const { by, ...line } = this.form.findLine(terms, isCorrection);
    const isNamed = isCorrection && this.form.listsCorrections && line.code !== null;
    const [correctedFrom, correctedUntil] = isNamed ? this.findQuarter(creditedIssuedAt) : [null, null];
    const pick = <Key extends (typeof by)[number]>(key: Key): TaxTermsOfPlace[Key] | null =>
      by.includes(key) ? terms[key] : null;
    const shown = {
      country: pick('country'),
      category: pick('category'),
      percent: pick('percent'),
      reason: pick('reason'),
      currency: terms.currency,
      correctedFrom,
      correctedUntil,
    };
    const key = JSON.stringify([line.code, line.leftOut, shown]);
    const known = this.rows.get(key);
    if (known) return known;
    const row: OpenRow = {
      ...line,
      ...shown,
      treatment: by.includes('country') ? terms.treatment : null,
      rateType: findRateType(shown, this.period, this.seller.renewedRates),
      ...noAmounts,
      rates: {},
      declaredCurrency: line.code === null ? terms.currency : (this.form.currency ?? terms.currency),
    };
    this.rows.set(key, row);
    return row;
  }

  /** Returns the bounds of the calendar quarter of an instant before the period; it ends with the period's start at the latest. */
  private findQuarter(at: string): [string, string] {
    const { from, timeZone } = this.period;
    const [start, end] = listBounds({ from: at, until: addMs(at, 1), by: 'quarter', timeZone });
    return [start!, end! < from ? end! : from];
  }
}

const noAmounts = {
  documents: 0,
  taxableMinor: 0n,
  taxMinor: 0n,
  convertedTaxableMinor: null,
  convertedTaxMinor: null,
  unconvertedDocuments: 0,
  rateDate: null,
  declaredTaxableMinor: 0n,
  declaredTaxMinor: 0n,
};

function addAmounts(row: OpenRow, { documents, taxableMinor, taxMinor }: Amounts): void {
  row.documents += documents;
  row.taxableMinor += taxableMinor;
  row.taxMinor += taxMinor;
}

/** Adds the amounts of a document in the currency of the form; undefined if its rate is not known. */
function addConverted(row: OpenRow, amounts: LineAmounts | undefined): void {
  if (!amounts) {
    row.unconvertedDocuments += 1;
    return;
  }
  row.convertedTaxableMinor = (row.convertedTaxableMinor ?? 0n) + amounts.taxableMinor;
  row.convertedTaxMinor = (row.convertedTaxMinor ?? 0n) + amounts.taxMinor;
}

/** The line of a row, whose rows differ in the currency alone. */
const nameLine = (row: OpenRow): string =>
  JSON.stringify([
    row.code,
    row.leftOut,
    row.country,
    row.category,
    row.percent,
    row.reason,
    row.correctedFrom,
    row.code === null && row.currency,
  ]);

/**
 * Sets the amounts of the rows of a line as the form takes them. The form rounds the whole line, so each currency adds to what is
 * declared what the amounts up to its own do: the rows add up to the line.
 */
function declareLine(rows: OpenRow[], currency: string | null): void {
  if (currency === null) {
    for (const row of rows) setDeclared(row, row.declare?.(row) ?? row, noneDeclared);
    return;
  }
  const sorted = rows.toSorted(
    (a, b) =>
      Number(a.currency !== currency) - Number(b.currency !== currency) ||
      compareText(a.currency, b.currency),
  );
  const total = { ...noneDeclared };
  let declared: LineAmounts = noneDeclared;
  for (const row of sorted) {
    const isOwn = row.currency === row.declaredCurrency;
    total.taxableMinor += isOwn ? row.taxableMinor : (row.convertedTaxableMinor ?? 0n);
    total.taxMinor += isOwn ? row.taxMinor : (row.convertedTaxMinor ?? 0n);
    const next = row.declare?.(total) ?? { ...total };
    setDeclared(row, next, declared);
    declared = next;
  }
}

const noneDeclared: LineAmounts = { taxableMinor: 0n, taxMinor: 0n };

function setDeclared(row: OpenRow, line: LineAmounts, before: LineAmounts): void {
  row.declaredTaxableMinor = line.taxableMinor - before.taxableMinor;
  row.declaredTaxMinor = line.taxMinor - before.taxMinor;
}

const compareRows = (a: TaxReturnRow, b: TaxReturnRow): number =>
  Number(a.code === null) - Number(b.code === null) ||
  compareText(a.leftOut ?? '', b.leftOut ?? '') ||
  Number(a.correctedFrom !== null) - Number(b.correctedFrom !== null) ||
  compareText(a.code ?? '', b.code ?? '') ||
  compareText(a.correctedFrom ?? '', b.correctedFrom ?? '') ||
  compareText(a.country ?? '~', b.country ?? '~') ||
  compareText(a.currency, b.currency) ||
  Number(b.percent) - Number(a.percent) ||
  compareText(a.category ?? '', b.category ?? '') ||
  compareText(a.reason ?? '', b.reason ?? '');

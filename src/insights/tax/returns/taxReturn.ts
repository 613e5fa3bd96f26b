/** A tax return: the figures of its lines for a period, which add up to the documents of the period. */
import { addMs, parsePeriod } from '../../../lib/time.ts';
import type { RenewedRates } from '../../../storage/model/renewedRates.ts';
import type { TaxTotal } from '../../../storage/model/common.ts';
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
import { findRateType, type RateType } from './rateTypes.ts';
import { openForm, type OpenForm, type TaxReturnKind } from './forms.ts';
import type { ReturnLine } from './returnLines.ts';

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
  declaredTaxableMinor: bigint;
  declaredTaxMinor: bigint;
}

export interface TaxReturnFigures {
  kind: TaxReturnKind;
  timeZone: string;
  from: string;
  until: string;
  rows: TaxReturnRow[];
  untaxedDocuments: number;
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
  const figures = new ReturnFigures({ from, until, timeZone }, form, {
    findTreatment: createTreatments(tenant),
    renewedRates: tenant.record.renewedRates,
  });
  await addTaxes(tenant, [from, until], figures);
  const { untaxedDocuments } = figures;
  return { kind, timeZone, from, until, rows: figures.list(), untaxedDocuments };
}

type Found = Omit<TaxTotal, 'taxableMinor' | 'taxMinor'>;
type Amounts = Pick<TaxReturnRow, 'documents' | 'taxableMinor' | 'taxMinor'>;

/** The rows of a return while they are added up. */
class ReturnFigures {
  private readonly rows = new Map<string, TaxReturnRow & Pick<ReturnLine, 'declare'>>();
  untaxedDocuments = 0;

  constructor(
    private readonly period: { from: string; until: string; timeZone: string },
    private readonly form: OpenForm,
    private readonly seller: { findTreatment: FindTreatment; renewedRates: RenewedRates | null },
  ) {}

  addDocument(document: TaxedDocument): void {
    const { creditedIssuedAt, country, currency } = document;
    if (!document.taxes) {
      this.untaxedDocuments += 1;
      return;
    }
    for (const { taxableMinor, taxMinor, ...found } of listSignedTaxes(document))
      this.add(describeTerms({ country, currency }, found, this.seller.findTreatment), creditedIssuedAt, {
        documents: 1,
        taxableMinor,
        taxMinor,
      });
  }

  addSum({ kind, country, currency, category, percent, reason, ...amounts }: ReadTaxSum): void {
    if (kind === 'untaxed') this.untaxedDocuments += amounts.documents;
    if (kind === 'untaxed' || kind === 'taxed') return;
    const found: Found = { category, percent, ...(reason && { reason }) };
    this.add(describeTerms({ country, currency }, found, this.seller.findTreatment), null, amounts);
  }

  /** Returns the rows in the order of the form: what it takes, then what it does not. */
  list(): TaxReturnRow[] {
    return (
      [...this.rows.values()]
        // The documents of a sum may have been voided since.
        .filter(({ documents }) => documents > 0)
        .map(({ declare, ...row }) => {
          const { taxableMinor, taxMinor } = declare?.(row) ?? row;
          return { ...row, declaredTaxableMinor: taxableMinor, declaredTaxMinor: taxMinor };
        })
        .toSorted(compareRows)
    );
  }

  private add(terms: TaxTermsOfPlace, creditedIssuedAt: string | null, amounts: Amounts): void {
    const row = this.findRow(terms, creditedIssuedAt);
    row.documents += amounts.documents;
    row.taxableMinor += amounts.taxableMinor;
    row.taxMinor += amounts.taxMinor;
  }

  private findRow(terms: TaxTermsOfPlace, creditedIssuedAt: string | null) {
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
    const row = {
      ...line,
      ...shown,
      treatment: by.includes('country') ? terms.treatment : null,
      rateType: findRateType(shown, this.period, this.seller.renewedRates),
      documents: 0,
      taxableMinor: 0n,
      taxMinor: 0n,
      declaredTaxableMinor: 0n,
      declaredTaxMinor: 0n,
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

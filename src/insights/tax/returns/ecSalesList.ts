/**
 * The recapitulative statement (Directive 2006/112/EC, article 262): what businesses of other member states bought without tax,
 * by their VAT ids. The German Zusammenfassende Meldung and the French DES and état récapitulatif ask for it.
 */
import { parsePeriod } from '../../../lib/time.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import { parseTimeZone } from '../../revenue/buckets.ts';
import { findPeriodsWith } from '../periodsWith.ts';
import { listSignedTaxes, readTaxedInvoices, readTaxedNotes, type TaxedDocument } from '../taxedDocuments.ts';
import { compareText, createTreatments, describeTerms, type FindTreatment } from '../taxTerms.ts';
import { readVatIds } from '../vatIds.ts';
import { roundToWhole } from './returnLines.ts';

/** A row of the list, in minor units. */
export interface EcSalesRow {
  /** As the documents name it; null where they name none. */
  vatId: string | null;
  kind: 'goods' | 'services';
  country: string | null;
  currency: string;
  documents: number;
  taxableMinor: bigint;
  declaredTaxableMinor: bigint;
}

export interface EcSalesFigures {
  timeZone: string;
  from: string;
  until: string;
  rows: EcSalesRow[];
}

interface Question {
  from: string;
  until: string;
  timeZone?: string | null;
}

/** Returns the list of a period. Errors: `validation_failed`, `query_timeout`. */
export async function findEcSalesList(tenant: TenantScope, question: Question): Promise<EcSalesFigures> {
  const timeZone = parseTimeZone(question.timeZone ?? tenant.record.timezone, 'timeZone');
  const { from, until } = parsePeriod(question, timeZone);
  const findTreatment = createTreatments(tenant);
  const rows = new Map<string, EcSalesRow>();
  await tenant.scan(async (scan) => {
    const period = { from, before: until };
    const periods = await findPeriodsWith(tenant, scan, period, {
      matches: ({ country, category, reason }) =>
        findTreatment(country, category, reason) === 'intra_community',
    });
    const add = async (documents: AsyncGenerator<TaxedDocument[]>) => {
      for await (const some of documents) {
        const listed = some.flatMap((document) => listSales(document, findTreatment));
        const vatIds = await readVatIds(scan, [...new Set(listed.map(({ id }) => id))]);
        for (const sale of listed) addSale(rows, { ...sale, vatId: vatIds.get(sale.id) ?? null });
        scan.check();
      }
    };
    for (const each of periods) await add(readTaxedInvoices(scan, each));
    await add(readTaxedNotes(scan, period));
  });
  return { timeZone, from, until, rows: [...rows.values()].map(declare).toSorted(compareRows) };
}

interface Sale {
  id: string;
  kind: EcSalesRow['kind'];
  country: string | null;
  currency: string;
  taxableMinor: bigint;
}

function listSales(document: TaxedDocument, findTreatment: FindTreatment): Sale[] {
  const { id, country, currency } = document;
  return listSignedTaxes(document).flatMap((tax) => {
    const terms = describeTerms({ country, currency }, tax, findTreatment);
    if (terms.treatment !== 'intra_community') return [];
    const kind = tax.category === 'K' ? 'goods' : 'services';
    return { id, kind, country: terms.country, currency, taxableMinor: tax.taxableMinor };
  });
}

function addSale(
  rows: Map<string, EcSalesRow>,
  { id: _, taxableMinor, ...sale }: Sale & Pick<EcSalesRow, 'vatId'>,
) {
  const { vatId, kind, country, currency } = sale;
  const key = JSON.stringify([vatId, kind, country, currency]);
  const row = rows.get(key) ?? { ...sale, documents: 0, taxableMinor: 0n, declaredTaxableMinor: 0n };
  rows.set(key, row);
  row.documents += 1;
  row.taxableMinor += taxableMinor;
}

/** The lists of Germany and France take whole euros. */
const declare = (row: EcSalesRow): EcSalesRow => ({
  ...row,
  declaredTaxableMinor: row.currency === 'eur' ? roundToWhole(row.taxableMinor) : row.taxableMinor,
});

const compareRows = (a: EcSalesRow, b: EcSalesRow): number =>
  compareText(a.vatId ?? '~', b.vatId ?? '~') ||
  compareText(a.kind, b.kind) ||
  compareText(a.country ?? '~', b.country ?? '~') ||
  compareText(a.currency, b.currency);

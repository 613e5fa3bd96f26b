/**
 * Amounts of other currencies in the currency of a form (directive 2006/112/EC): of the one-stop shop by the rate of the last day of
 * the period (article 369h), of national returns as each document states its tax, by the rate of the day of the tax (article 91).
 */
import { findPublishedRates, findRates, type FoundRates } from '../../../billing/tax/exchangeRates.ts';
import { convertMinor, findPublicationDay, type EuroRates } from '../../../lib/euroRates.ts';
import { addMs, toLocalDate } from '../../../lib/time.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import type { Scan } from '../../../storage/scan.ts';
import type { Reads } from '../../../storage/store.ts';
import type { SignedTax, TaxedDocument } from '../taxedDocuments.ts';
import type { LineAmounts } from './returnLines.ts';

/** A day whose rate is not known. */
export interface MissingRate {
  day: string;
  currency: string;
  taxCurrency: string;
  documents: number;
}

/** Counts the documents that lack a rate, by day and currency. */
export class MissingRates {
  private readonly found = new Map<string, MissingRate>();

  add(missing: MissingRate): void {
    const key = `${missing.day} ${missing.currency}`;
    const documents = (this.found.get(key)?.documents ?? 0) + missing.documents;
    this.found.set(key, { ...missing, documents });
  }

  /** Returns them, oldest first. */
  list(): MissingRate[] {
    return [...this.found.keys()].toSorted().map((key) => this.found.get(key)!);
  }
}

/** Returns the rates of the last day of a period whose end is exclusive, and the day for which they are published. */
export async function findPeriodRates(
  reads: Pick<Reads, 'many'>,
  { from, to }: { from: string; to: string },
  { until, timeZone }: { until: string; timeZone: string },
): Promise<{ day: string; found: FoundRates | undefined }> {
  const last = toLocalDate(addMs(until, -1), timeZone);
  return { day: findPublicationDay(last), found: await findPublishedRates(reads, [from, to], last) };
}

type ConversionRow = Row<'taxConversions'>;

/** Few enough to be bound to one statement. */
const idsAtOnce = 500;

/** Converts the taxes of documents in other currencies than that of a form. */
export class DocumentConversions {
  private kept = new Map<string, ConversionRow>();
  private readonly rates = new Map<string, FoundRates | undefined>();

  constructor(
    private readonly to: string,
    private readonly timezone: string,
  ) {}

  /** Reads what documents state of their tax, and the rates of the days of the others. */
  async prepare(scan: Scan, documents: readonly TaxedDocument[]): Promise<void> {
    const foreign = documents.filter(({ currency, taxes }) => currency !== this.to && taxes !== null);
    this.kept = new Map();
    for (let at = 0; at < foreign.length; at += idsAtOnce) {
      const id = foreign.slice(at, at + idsAtOnce).map((document) => document.id);
      for (const row of await scan.select('taxConversions', { where: { id } })) this.kept.set(row.id, row);
    }
    for (const document of foreign) {
      const { currency } = document;
      const day = this.findDay(document);
      const key = `${day} ${currency}`;
      if (this.isStated(document) || this.rates.has(key)) continue;
      this.rates.set(key, await findRates({ many: scan.select }, [currency, this.to], day));
    }
  }

  /** Returns the day of the tax of a document, whose rate counts. */
  findDay({ id, issuedAt, creditedIssuedAt }: TaxedDocument): string {
    return this.kept.get(id)?.day ?? toLocalDate(creditedIssuedAt ?? issuedAt, this.timezone);
  }

  /** Converts the taxes of a document that was prepared; undefined if no rate is known. */
  convert(document: TaxedDocument, taxes: readonly SignedTax[]): LineAmounts[] | undefined {
    const { currency: from } = document;
    const row = this.kept.get(document.id);
    const own = row?.taxMinor == null ? undefined : (row.rates ?? {});
    const rates = own ?? this.rates.get(`${this.findDay(document)} ${from}`)?.rates;
    if (!rates || (from !== 'eur' && !Object.hasOwn(rates, from))) return undefined;
    const stated = row?.currency === this.to ? (row.taxMinor ?? undefined) : undefined;
    return convertTaxes(taxes, { from, to: this.to }, rates, stated);
  }

  private isStated({ id }: TaxedDocument): boolean {
    return this.kept.get(id)?.taxMinor != null;
  }
}

const abs = (amount: bigint) => (amount < 0n ? -amount : amount);

/**
 * Converts the taxes of a document. Where it states its whole tax in the other currency, they add up to that: the largest takes
 * what rounding leaves.
 */
export function convertTaxes(
  taxes: readonly SignedTax[],
  currencies: { from: string; to: string },
  rates: EuroRates,
  stated?: bigint,
): LineAmounts[] {
  const converted = taxes.map(({ taxableMinor, taxMinor }) => ({
    taxableMinor: convertMinor(taxableMinor, currencies, rates),
    taxMinor: convertMinor(taxMinor, currencies, rates),
  }));
  if (stated === undefined) return converted;
  const sum = (all: readonly { taxMinor: bigint }[]) =>
    all.reduce((total, { taxMinor }) => total + taxMinor, 0n);
  const total = sum(taxes) < 0n ? -abs(stated) : abs(stated);
  const rest = total - sum(converted);
  const largest = taxes.reduce(
    (best, { taxMinor }, nth) => (abs(taxMinor) > abs(taxes[best]!.taxMinor) ? nth : best),
    0,
  );
  return converted.map((each, nth) => (nth === largest ? { ...each, taxMinor: each.taxMinor + rest } : each));
}

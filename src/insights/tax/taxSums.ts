/** Sums of the tax of invoices by day, in the form in which they are stored. */
import { joinTotals } from '../../billing/pricing/tax.ts';
import type { NewRow, Row } from '../../storage/model/rowTypes.ts';
import type { TaxedDocument } from './taxedDocuments.ts';

type SumKey = Omit<NewRow<'taxSums'>, 'documents' | 'taxableMinor' | 'taxMinor'>;

/** The columns that are summed. */
export const summedColumns = [
  'documents',
  'taxableMinor',
  'taxMinor',
] as const satisfies (keyof Row<'taxSums'>)[];

/** The columns that distinguish the sums of a day. */
export const sumColumns = [
  'currency',
  'kind',
  'country',
  'category',
  'percent',
  'reason',
] as const satisfies (keyof Row<'taxSums'>)[];

/** Sums in memory. */
export class TaxSums {
  private readonly byKey = new Map<string, NewRow<'taxSums'>>();

  /** Adds an invoice to a day, or takes it off. */
  add({ kind, currency, country, taxes }: TaxedDocument, day: string, direction: 1 | -1 = 1): void {
    const counted = { day, currency, country: '', category: '', percent: '', reason: '' } as const;
    this.addTo({ ...counted, kind: taxes ? 'taxed' : 'untaxed' }, direction, 0n, 0n);
    for (const { category, percent, reason, country: own, taxableMinor, taxMinor } of joinTotals(
      taxes ?? [],
      { byCountry: true },
    )) {
      const key = {
        day,
        currency,
        kind,
        country: own ?? country ?? '',
        category,
        percent,
        reason: reason ?? '',
      } as const;
      this.addTo(
        key,
        direction,
        BigInt(direction) * BigInt(taxableMinor),
        BigInt(direction) * BigInt(taxMinor),
      );
    }
  }

  /** Lists the sums that changed. */
  list(): NewRow<'taxSums'>[] {
    return [...this.byKey.values()].filter(
      ({ documents, taxableMinor, taxMinor }) => documents !== 0 || taxableMinor !== 0n || taxMinor !== 0n,
    );
  }

  private addTo(key: SumKey, documents: number, taxableMinor: bigint, taxMinor: bigint): void {
    const { day, currency, kind, country, category, percent, reason } = key;
    const name = [day, currency, kind, country, category, percent, reason].join('|');
    const sum = this.byKey.get(name) ?? { ...key, documents: 0, taxableMinor: 0n, taxMinor: 0n };
    this.byKey.set(name, sum);
    sum.documents += documents;
    sum.taxableMinor += taxableMinor;
    sum.taxMinor += taxMinor;
  }
}

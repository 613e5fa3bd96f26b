/** How the documents of a tenant are numbered. */
import type { NumberSeries } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';

export type DocumentKind = 'invoice' | 'credit_note';

const defaultSeries: Record<DocumentKind, NumberSeries> = {
  invoice: { prefix: 'INV', pattern: '{prefix}-{yyyy}-{seq:5}', reset: 'yearly' },
  credit_note: { prefix: 'CN', pattern: '{prefix}-{yyyy}-{seq:5}', reset: 'yearly' },
};

/** Returns the series of a kind of document. */
export const findNumberSeries = (
  { numberSeries }: Pick<Row<'tenants'>, 'numberSeries'>,
  kind: DocumentKind,
): NumberSeries => numberSeries?.[kind] ?? defaultSeries[kind];

/** Formats a number by the pattern of its series. `date` is the local date (YYYY-MM-DD) of issue. */
export const formatDocumentNumber = (
  { prefix, pattern }: NumberSeries,
  count: number,
  date: string,
): string =>
  pattern.replace(/\{(prefix|yyyy|yy|mm|seq(?::(\d+))?)\}/g, (_, placeholder: string, digits?: string) => {
    if (placeholder === 'prefix') return prefix;
    if (placeholder === 'yyyy') return date.slice(0, 4);
    if (placeholder === 'yy') return date.slice(2, 4);
    if (placeholder === 'mm') return date.slice(5, 7);
    return String(count).padStart(Number(digits ?? 1), '0');
  });

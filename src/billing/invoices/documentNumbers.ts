/** Document numbers: given at finalization in the unit of work that finalizes, so that a series has no gaps. */
import { toLocalDate } from '../../lib/time.ts';
import { sumLines } from '../pricing/invoiceLines.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import {
  findCounterId,
  findNumberSeries,
  formatDocumentNumber,
  type DocumentKind,
} from '../../tenants/numberSeries.ts';

/** Lists the counter that the invoices of a batch need. */
export const listCounters = (tenant: Row<'tenants'>, now: string): string[] => [
  findCounterId('invoice', findNumberSeries(tenant, 'invoice'), findDate(now, tenant.timezone)),
];

/** Takes the next number of a series, at the time of the unit. */
export async function takeDocumentNumber(unit: UnitOfWork, kind: DocumentKind): Promise<string> {
  const series = findNumberSeries(unit.tenant, kind);
  const date = findDate(unit.now, unit.tenant.timezone);
  const id = findCounterId(kind, series, date);
  const counter = await unit.one('numberCounters', { id });
  const value = (counter?.value ?? 0) + 1;
  if (counter) await unit.updateUntraced('numberCounters', { id }, { value });
  else await unit.insertUntraced('numberCounters', { id, value });
  return formatDocumentNumber(series, value, date);
}

/**
 * Takes the number of an invoice. One whose credits exceed its charges is a credit note (EN 16931, type 381) and has a number
 * of their series.
 */
export async function takeInvoiceNumber(
  unit: UnitOfWork,
  lines: NumberedLine[],
): Promise<Pick<Row<'invoices'>, 'documentNumber' | 'documentKind'>> {
  const isCredit = sumCharged(lines) < 0n;
  return {
    documentNumber: await takeDocumentNumber(unit, isCredit ? 'credit_note' : 'invoice'),
    documentKind: isCredit ? 'credit_note' : null,
  };
}

type NumberedLine = Pick<Row<'invoiceLines'>, 'kind' | 'amountMinor'> &
  Parameters<typeof sumLines>[0][number];

/** Returns the sum of the lines before the balance pays, in minor units, tax included. */
export const sumCharged = (lines: NumberedLine[]): bigint =>
  sumLines(lines.filter(({ kind }) => kind !== 'BALANCE'));

const monthEnd = /-(28|29|30|31|01)T/;

/** Returns the date in a time zone. Only its month and year count here, so within a month the zone does not matter. */
const findDate = (instant: string, timeZone: string): string =>
  monthEnd.test(instant) ? toLocalDate(instant, timeZone) : instant.slice(0, 10);

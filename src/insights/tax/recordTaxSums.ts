/** Keeps the sums of days that are over when one of their invoices changes. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { ChangedRecord } from '../../tenancy/changedRecords.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findDay } from '../revenue/spans.ts';
import { describeInvoices, findIssue, isTaxed } from './taxedDocuments.ts';
import { summedColumns, TaxSums } from './taxSums.ts';

type ChangedInvoice = ChangedRecord<'invoices'>;

/**
 * Whether a change may concern a day that was summed. An invoice that is issued now does not, unless the tenant has a clock,
 * which may stand in the past: so creation and renewals read and write nothing here.
 */
function mayConcern({ before, after }: ChangedInvoice, { now, tenant }: UnitOfWork): boolean {
  const was = before !== undefined && isTaxed(before);
  if (!was) return isTaxed(after) && (findIssue(after) !== now || tenant.clockAt !== null);
  return (
    !isTaxed(after) ||
    before.taxes !== after.taxes ||
    before.taxCountry !== after.taxCountry ||
    before.documentKind !== after.documentKind ||
    findIssue(before) !== findIssue(after)
  );
}

/** Changes the sums by the invoices of a unit of work that were issued on a day that is summed, within it. */
export function recordTaxSums(unit: UnitOfWork): Promise<void> | undefined {
  const changed = unit.changed.list('invoices').filter((each) => mayConcern(each, unit));
  return changed.length === 0 ? undefined : changeSums(unit, changed);
}

async function changeSums(unit: UnitOfWork, changed: ChangedInvoice[]): Promise<void> {
  const progress = await unit.one('taxProgress', {});
  if (!progress) return;
  const { until, changes } = progress;
  await unit.updateUntraced('taxProgress', {}, { changes: changes + 1 });
  const sums = new TaxSums();
  const add = async (invoices: (Row<'invoices'> | undefined)[], direction: 1 | -1) => {
    const summed = invoices.filter((row) => row !== undefined && isTaxed(row) && findIssue(row) < until);
    for (const document of await describeInvoices(unit, summed as Row<'invoices'>[]))
      sums.add(document, findDay(document.issuedAt, unit.tenant.timezone), direction);
  };
  await add(
    changed.map(({ before }) => before),
    -1,
  );
  await add(
    changed.map(({ after }) => after),
    1,
  );
  for (const sum of sums.list()) await unit.accumulate('taxSums', sum, summedColumns);
}

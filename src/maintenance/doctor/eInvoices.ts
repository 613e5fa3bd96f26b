/** Examines the e-invoices for the tenant's access point. */
import { hourMs } from '../../lib/durations.ts';
import { addMs } from '../../lib/time.ts';
import { eInvoiceStatuses } from '../../storage/model/eInvoices.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

type Blame = (fault: { subject: string; found: string }) => void;

/** Checks that documents and deliveries agree, and that nothing is long overdue. `now` is the tenant's time. */
export async function examineEInvoices(
  queries: Queries,
  tenant: Row<'tenants'>,
  now: string,
  blame: Blame,
): Promise<void> {
  const { alias: tenantAlias, eInvoiceFormats, clockAt } = tenant;
  const late = addMs(now, -hourMs);
  const ids = new Set<string>();
  for await (const page of readPages(queries, 'eInvoiceDeliveries', tenantAlias)) {
    const documents = await readStatuses(queries, page);
    for (const { id, status, dueAt } of page) {
      ids.add(id);
      const shown = documents.get(id);
      if (shown !== status)
        blame({
          subject: id,
          found: `is ${status} by its delivery, ${shown ?? 'not there'} by its document`,
        });
      if ((status === 'queued') !== (dueAt !== null))
        blame({ subject: id, found: `is ${status}, and its next attempt is ${dueAt ?? 'not planned'}` });
      // A test clock does not wait for an access point that fails.
      const isLate = dueAt !== null && dueAt <= late && clockAt === null && eInvoiceFormats !== null;
      if (isLate) blame({ subject: id, found: `has been due since ${dueAt}` });
    }
  }
  for (const name of ['invoices', 'creditNotes'] as const) {
    const where = { tenantAlias, eInvoiceStatus: [...eInvoiceStatuses] };
    const documents = await queries.select(name, { where });
    for (const { id } of documents)
      if (!ids.has(id)) blame({ subject: id, found: 'has a status of an e-invoice, but no delivery' });
  }
}

async function readStatuses(
  queries: Queries,
  page: Row<'eInvoiceDeliveries'>[],
): Promise<ReadonlyMap<string, string | null>> {
  const [first] = page;
  if (!first) return new Map();
  const where = { tenantAlias: first.tenantAlias, id: page.map(({ id }) => id) };
  const [invoices, notes] = [
    await queries.select('invoices', { where }),
    await queries.select('creditNotes', { where }),
  ];
  return new Map([...invoices, ...notes].map(({ id, eInvoiceStatus }) => [id, eInvoiceStatus]));
}

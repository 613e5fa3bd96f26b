import type { DocumentRecord } from '../../documents/record.ts';
import { addMs } from '../../lib/time.ts';
import { erasedMark } from '../../billing/customers/erasedData.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { isErased } from '../../billing/customers/erasedData.ts';
import { readPages } from '../tenantFiles/tableScan.ts';
import { dayMs } from '../../lib/durations.ts';

/**
 * Checks the documents of erased customers: each is erased or kept until its retention ends, and none is kept for longer; a
 * server that was off is given a day.
 */
export async function examineRetention(
  queries: Queries,
  { alias: tenantAlias }: Row<'tenants'>,
  now: string,
  blame: (fault: { subject: string; found: string }) => void,
): Promise<void> {
  const ended = await queries.select('documents', {
    where: { tenantAlias, retainedUntil: { to: addMs(now, -dayMs) } },
    leaveOut: ['record'],
  });
  for (const { id: subject, retainedUntil } of ended)
    blame({ subject, found: `is of an erased customer and was to be erased at ${retainedUntil}` });
  for await (const page of readPages(queries, 'customers', tenantAlias)) {
    const customerId = page.filter(isErased).map(({ id }) => id);
    if (customerId.length === 0) continue;
    for (const { id: subject, record } of await queries.select('documents', {
      where: { tenantAlias, customerId, retainedUntil: null },
    })) {
      const { buyer } = record as unknown as DocumentRecord;
      if (buyer.name !== erasedMark && !buyer.name.startsWith(`${erasedMark} `))
        blame({ subject, found: 'names an erased customer, but is not kept until a date' });
    }
  }
}

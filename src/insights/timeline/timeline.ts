import type { TraceRow } from '../activity/traces.ts';
import type { TenantTable } from '../../storage/model/rowTypes.ts';
import type { Selection } from '../../storage/query/queries.ts';
import { columnNames } from '../../storage/query/tableMeta.ts';
import type { Scan } from '../../storage/scan.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { ActivityType } from '../../tenancy/traces/eventTypes.ts';

/** The tables whose records belong to a customer, the type of their events, and the order of their customer index. */
const recordsOfCustomer = [
  { table: 'intents', type: 'IntentEvent', orderBy: ['createdAt', 'id'] },
  { table: 'subscriptions', type: 'SubscriptionEvent', orderBy: ['createdAt', 'id'] },
  { table: 'paymentMethods', type: 'PaymentMethodEvent', orderBy: ['createdAt', 'id'] },
  { table: 'invoices', type: 'InvoiceEvent', orderBy: ['createdAt', 'id'] },
  { table: 'discounts', type: 'DiscountEvent', orderBy: ['id'] },
  { table: 'invoiceItems', type: 'InvoiceItemEvent', orderBy: ['createdAt', 'id'] },
] as const;

/** Payments have no index by customer; they are found by their invoice or intent. */
const paidRecords: Partial<Record<TenantTable, 'invoiceId' | 'intentId'>> = {
  invoices: 'invoiceId',
  intents: 'intentId',
};

/** The number of resources whose traces one query searches. */
const resourcesAtOnce = 1000;

/**
 * Lists the traces of a customer and of their intents, subscriptions, invoices, payments, payment methods, discounts and invoice
 * items
 * in commit order, newest first by default. Reads the index of traces by resource once for each resource, outside of
 * the event loop, because a trace does not name its customer: a further index would slow down every write. Errors:
 * `validation_failed`, `cursor_invalid`, `query_timeout`.
 */
export function listTimeline(
  tenant: TenantScope,
  customerId: string,
  activityType: ActivityType | null | undefined,
  args: PageArgs,
  leaveOut?: readonly (keyof TraceRow)[],
): Promise<Page<TraceRow>> {
  const resources = (scan: Scan) => listResources(scan, customerId, activityType ?? undefined);
  const source = {
    read: async (selection: Selection<'traces'> & { limit: number }) => {
      const eventIds = await tenant.scan((scan) => findEvents(scan, resources(scan), selection));
      const rows = await tenant.read.many('traces', { where: { eventId: eventIds }, leaveOut });
      const byId = new Map(rows.map((row) => [row.eventId, row]));
      // A replica may not have received the latest traces yet.
      return eventIds.flatMap((id) => byId.get(id) ?? []);
    },
    count: () =>
      tenant.scan(async (scan) => {
        let total = 0;
        for await (const resourceId of resources(scan)) {
          total += await scan.count('traces', { where: { resourceId }, orderBy: ['resourceId', 'eventId'] });
        }
        return total;
      }),
  };
  const list = { name: 'timeline', table: 'traces', where: {}, by: ['eventId'] } as const;
  return readPage(tenant, { ...list, source, request: { customerId, activityType } }, args);
}

/** Returns the ids of the first events of a page among those of the resources, in order. */
async function findEvents(
  scan: Scan,
  resources: AsyncIterable<string[]>,
  { direction, past, limit }: Selection<'traces'> & { limit: number },
): Promise<string[]> {
  const leaveOut = columnNames('traces').filter((column) => column !== 'eventId');
  let found: string[] = [];
  for await (const resourceId of resources) {
    const rows = await scan.select('traces', {
      where: { resourceId },
      orderBy: ['eventId'],
      sortsFound: true,
      direction,
      past,
      limit,
      leaveOut,
    });
    // Event ids are ASCII: their order is that of the database.
    const sorted = [...found, ...rows.map(({ eventId }) => eventId)].toSorted();
    found = (direction === 'asc' ? sorted : sorted.toReversed()).slice(0, limit);
  }
  return found;
}

/** Iterates over the ids of a customer and of the records that belong to them, of one type of event if given. */
async function* listResources(
  scan: Scan,
  customerId: string,
  wanted: string | undefined,
): AsyncGenerator<string[]> {
  const isWanted = (type: string) => wanted === undefined || wanted === type;
  if (isWanted('CustomerEvent')) yield [customerId];
  for (const { table, type, orderBy } of recordsOfCustomer) {
    const paidBy = isWanted('PaymentEvent') ? paidRecords[table] : undefined;
    if (!isWanted(type) && !paidBy) continue;
    for await (const ids of listIds(scan, table, { customerId }, orderBy)) {
      if (isWanted(type)) yield ids;
      if (paidBy) yield* listPayments(scan, paidBy, ids);
    }
  }
}

/** Iterates over the payments of invoices or intents; a payment of both belongs to its invoice. */
const listPayments = (scan: Scan, paidBy: 'invoiceId' | 'intentId', ids: string[]) =>
  listIds(
    scan,
    'payments',
    paidBy === 'invoiceId' ? { invoiceId: ids } : { intentId: ids, invoiceId: null },
    [paidBy, 'createdAt', 'id'],
  );

/** Iterates over the ids of the rows that match, in the order of an index, a limited number at a time. */
async function* listIds(
  scan: Scan,
  table: (typeof recordsOfCustomer)[number]['table'] | 'payments',
  where: object,
  orderBy: readonly string[],
): AsyncGenerator<string[]> {
  const leaveOut = columnNames(table).filter((column) => !orderBy.includes(column));
  let past: string[] | undefined;
  do {
    const selection = { where, orderBy, past, limit: resourcesAtOnce, leaveOut };
    const rows = await scan.select(table, selection as Selection<typeof table>);
    if (rows.length > 0) yield rows.map(({ id }) => id);
    const last = rows.length === resourcesAtOnce ? rows.at(-1) : undefined;
    past = last && orderBy.map((column) => last[column as keyof typeof last]);
  } while (past);
}

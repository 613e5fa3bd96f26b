import { buildOrderColumns } from '../../billing/catalog/products.ts';
import type { TenantTable } from '../../storage/model/rowTypes.ts';
import {
  toCurrentEventName,
  toCurrentPayloadQuery,
  toCurrentSpelling,
} from '../../tenancy/traces/eventTypes.ts';
import type { JsonRow } from './jsonl.ts';

/**
 * Converts a row exported by an earlier release to the current format: renames values and adds columns derived from the
 * row itself, as the database migrations do. Mails that were waiting are cancelled: the exporting server sends them. `now`
 * is the instant of the import.
 */
export function upgradeRow(name: TenantTable, row: JsonRow, now: string): JsonRow {
  switch (name) {
    case 'intents':
      return { ...row, status: toCurrentSpelling(String(row['status'])) };
    case 'webhookDeliveries': {
      const { status, type } = row as { status: string; type: string };
      return { ...row, status: toCurrentSpelling(status), type: toCurrentEventName(type) };
    }
    case 'mailDeliveries':
      return row['status'] === 'pending' ? cancelMail(row) : row;
    case 'webhookEndpoints': {
      const { events, query } = row as { events: unknown; query: string | null };
      return {
        ...row,
        events: Array.isArray(events) ? events.map((each) => toCurrentEventName(String(each))) : events,
        query: query === null ? null : toCurrentPayloadQuery(query),
      };
    }
    case 'customers':
      return Object.hasOwn(row, 'vatIdStatus') ? row : { ...row, vatIdStatus: findVatIdStatus(row) };
    case 'groups':
      return { ...row, nameLower: row['nameLower'] ?? (row['name'] as string).toLowerCase() };
    case 'products': {
      const sortOrder = (row['sortOrder'] ?? null) as number | null;
      return { ...row, ...buildOrderColumns({ name: row['name'] as string, sortOrder }) };
    }
    case 'discounts':
      return Object.hasOwn(row, 'endRecordedFor') ? row : { ...row, endRecordedFor: findPastEnd(row, now) };
    case 'traces':
      return { ...row, ...buildTraceColumns(row) };
    default:
      return row;
  }
}

/** Earlier releases had no column for the status by which lists find VAT ids. */
function findVatIdStatus({ vatIdCheck, vatIdCheckDueAt }: JsonRow): string | null {
  const { status = null } = (vatIdCheck ?? {}) as { status?: string };
  return status ?? (vatIdCheckDueAt ? 'unavailable' : null);
}

/** Earlier releases recorded no ends: those that have passed stay without an event. */
function findPastEnd(row: JsonRow, now: string): string | null {
  const endsAt = (row['endsAt'] ?? null) as string | null;
  return endsAt !== null && endsAt <= now ? endsAt : null;
}

function cancelMail(row: JsonRow): JsonRow {
  const { createdAt: at, tries } = row as { createdAt: string; tries: object[] };
  const imported = { at, durationMs: 0, response: null, error: 'tenant_imported' };
  const ended = { dueAt: null, claimedUntil: null, finishedAt: at };
  return { ...row, ...ended, status: 'cancelled', tries: [...tries, imported] };
}

/** Returns the columns by which a trace is found. */
function buildTraceColumns({ activityType, payload }: JsonRow) {
  const { resourceId, object } = payload as { resourceId?: unknown; object?: { customerId?: unknown } };
  const customerId = activityType === 'CustomerEvent' ? resourceId : object?.customerId;
  return { resourceId: toTextOrNull(resourceId), customerId: toTextOrNull(customerId) };
}

const toTextOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

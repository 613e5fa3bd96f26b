import type { TableName } from '../../storage/model/rowTypes.ts';
import { toCurrentEventName, toCurrentPayloadQuery, toCurrentSpelling } from '../../traces/eventTypes.ts';
import type { JsonRow } from './jsonl.ts';

/**
 * A row of a file that an earlier release exported, as this one keeps it: in its words, and with the columns that are
 * derived from the row itself. The migrations do the same to a database.
 */
export function inPresentForm(name: TableName, row: JsonRow): JsonRow {
  switch (name) {
    case 'intents':
      return { ...row, status: toCurrentSpelling(String(row['status'])) };
    case 'webhookDeliveries': {
      const { status, type } = row as { status: string; type: string };
      return { ...row, status: toCurrentSpelling(status), type: toCurrentEventName(type) };
    }
    case 'webhookEndpoints': {
      const { events, query } = row as { events: unknown; query: string | null };
      return {
        ...row,
        events: Array.isArray(events) ? events.map((each) => toCurrentEventName(String(each))) : events,
        query: query === null ? null : toCurrentPayloadQuery(query),
      };
    }
    case 'groups':
    case 'products':
      return { ...row, nameLower: row['nameLower'] ?? (row['name'] as string).toLowerCase() };
    case 'traces':
      return { ...row, resourceId: row['resourceId'] ?? resourceOf(row['payload']) };
    default:
      return row;
  }
}

function resourceOf(payload: unknown): string | null {
  const { resourceId } = payload as { resourceId?: unknown };
  return typeof resourceId === 'string' ? resourceId : null;
}

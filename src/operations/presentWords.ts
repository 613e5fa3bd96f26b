import type { TableName } from '../db/schema.ts';
import { currentSpelling } from '../traces/eventTypes.ts';
import type { AnyRow } from './rowLines.ts';

/** A row of a file that an earlier release exported, in the words of this one; the migrations do the same to a database. */
export function inPresentWords(name: TableName, row: AnyRow): AnyRow {
  if (name === 'intents') return { ...row, status: currentSpelling(String(row['status'])) };
  if (name === 'webhookDeliveries') {
    const { status, type } = row as { status: string; type: string };
    return { ...row, status: currentSpelling(status), type: eventNow(type) };
  }
  if (name !== 'webhookEndpoints') return row;
  const { events, query } = row as { events: unknown; query: string | null };
  return {
    ...row,
    events: Array.isArray(events) ? events.map((each) => eventNow(String(each))) : events,
    query: query?.replace(/\bon(\s+)Subscription\b/g, 'on$1SubscriptionContract') ?? null,
  };
}

/** The present name of an event. */
function eventNow(name: string): string {
  const dot = name.indexOf('.') + 1;
  return name.slice(0, dot) + currentSpelling(name.slice(dot));
}

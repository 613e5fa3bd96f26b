// Writes usage as the product does, with prepared statements only: events, their ids, what was counted, and reservations.
import { alias, createId } from './store.mjs';

const quarterMs = 15 * 60_000;
const spanMs = 35 * 86_400_000;
const meterId = 'mtr_floor';
/** What each customer may use. */
const limit = 1_000_000_000_000;
const endOfPeriod = '9999-12-31T00:00:00.000Z';

export function prepareUsage({ writer, reader, commit }) {
  const insertId = writer.prepare(
    `INSERT INTO usage_ids (tenant_alias, span, event_id, id) VALUES ('${alias}', ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const insertEvent = writer.prepare(
    `INSERT INTO usage_events (tenant_alias, id, event_id, event, customer_id, at, properties, received_at)
     VALUES ('${alias}', ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addToBucket = writer.prepare(
    `INSERT INTO usage_buckets (tenant_alias, meter_id, customer_id, starts_at, group_key, events, sum)
     VALUES ('${alias}', '${meterId}', ?, ?, ?, ?, ?) ON CONFLICT (tenant_alias, meter_id, customer_id, starts_at, group_key)
     DO UPDATE SET events = events + excluded.events, sum = CAST(sum + excluded.sum AS TEXT)`,
  );
  const insertReservation = writer.prepare(
    `INSERT INTO reservations (tenant_alias, id, customer_id, feature, meter_id, amount, expires_at, open_until, created_at)
     VALUES ('${alias}', ?, ?, ?, '${meterId}', ?, ?, ?, ?)`,
  );
  const prepareBalance = (connection) => ({
    total: connection.prepare(
      `SELECT sum FROM usage_totals WHERE tenant_alias = '${alias}' AND meter_id = '${meterId}' AND customer_id = ?
       AND ends_at = '${endOfPeriod}'`,
    ),
    reserved: connection.prepare(
      `SELECT coalesce(sum(CAST(amount AS INTEGER)), 0) AS units FROM reservations
       WHERE tenant_alias = '${alias}' AND customer_id = ? AND feature = ? AND open_until > ?`,
    ),
  });
  const read = ({ total, reserved }, customerId, feature) => ({
    used: Number(total.get(customerId)?.sum ?? 0),
    reserved: Number(reserved.get(customerId, feature, new Date().toISOString()).units),
  });
  const [own, others] = [prepareBalance(writer), prepareBalance(reader)];

  const record = (events) => {
    const nowMs = Date.now();
    const now = new Date(nowMs).toISOString();
    const startsAt = new Date(nowMs - (nowMs % quarterMs)).toISOString();
    const span = new Date(nowMs - (nowMs % spanMs)).toISOString().slice(0, 10);
    const counted = new Map();
    let accepted = 0;
    for (const { id: eventId, event, customerId, properties } of events) {
      const id = createId('use');
      if (insertId.run(span, eventId, id).changes === 0) continue;
      accepted += 1;
      insertEvent.run(id, eventId, event, customerId, now, JSON.stringify(properties), now);
      const groupKey = JSON.stringify([properties.model]);
      const place = `${customerId} ${groupKey}`;
      const bucket = counted.get(place);
      if (bucket) {
        bucket.events += 1;
        bucket.sum += properties.tokens;
      } else counted.set(place, { customerId, groupKey, events: 1, sum: properties.tokens });
    }
    for (const { customerId, groupKey, events: count, sum } of counted.values())
      addToBucket.run(customerId, startsAt, groupKey, count, String(sum));
    return {
      accepted,
      duplicates: events.length - accepted,
      conflicts: [],
      refused: [],
      unassigned: 0,
    };
  };

  const reserve = ({ customerId, feature, amount, ttlSeconds }) => {
    const { used, reserved } = read(own, customerId, feature);
    if (used + reserved + Number(amount) > limit) return null;
    const nowMs = Date.now();
    const [now, until] = [nowMs, nowMs + ttlSeconds * 1000].map((ms) => new Date(ms).toISOString());
    const id = createId('res');
    insertReservation.run(id, customerId, feature, amount, until, until, now);
    return { id, customerId, feature, amount, status: 'open', expiresAt: until, createdAt: now };
  };

  return {
    recordUsage: ({ events }) => commit(() => record(events)),
    reserve: (input) => commit(() => reserve(input)),
    check: (customerId, feature, amount) => {
      const { used, reserved } = read(others, customerId, feature);
      const remaining = limit - used - reserved;
      const allowed = Number(amount) <= remaining;
      return { allowed, limit: String(limit), used: String(used), reserved: String(reserved), remaining };
    },
  };
}

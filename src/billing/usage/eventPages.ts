/** Reads events page by page: those of a customer by their time, or those of all by their receipt. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';

const eventsAtOnce = 1000;

/** Reads the events of a customer from `from` until `until`, which is exclusive, in the order of their time. */
export async function* readEventsOf(
  reads: Reads,
  { customerId, from, until }: { customerId: string; from: string; until: string },
): AsyncGenerator<Row<'usageEvents'>[]> {
  for (let past: string[] | undefined; ;) {
    const events = await reads.many('usageEvents', {
      where: { customerId, at: { from, before: until } },
      orderBy: ['at', 'id'],
      past,
      limit: eventsAtOnce,
    });
    yield events;
    const last = events.at(-1);
    if (!last || events.length < eventsAtOnce) return;
    past = [last.at, last.id];
  }
}

/** Reads the events that were received since an instant, the newest first. Their ids sort by receipt, but for a moment. */
export async function* readReceived(
  reads: Pick<Reads, 'many'>,
  since: string,
): AsyncGenerator<Row<'usageEvents'>[]> {
  for (let past: string[] | undefined; ;) {
    const events = await reads.many('usageEvents', {
      where: {},
      orderBy: ['id'],
      direction: 'desc',
      past,
      limit: eventsAtOnce,
    });
    const recent = events.filter(({ receivedAt }) => receivedAt >= since);
    yield recent;
    const last = events.at(-1);
    if (!last || events.length < eventsAtOnce || recent.length === 0) return;
    past = [last.id];
  }
}

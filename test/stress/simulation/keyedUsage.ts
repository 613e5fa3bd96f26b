/** Usage that two gateways get at the same moment, and what is known of it afterwards. */
import type Database from 'better-sqlite3';
import type { Random } from '../../../src/lib/random.ts';
import { addMs } from '../../../src/lib/time.ts';
import { hourMs } from '../../../src/lib/durations.ts';
import { dayMs } from '../../support/clock.ts';
import type { Keyed } from './keyed.ts';
import type { Place } from './world.ts';

/** The body of an answer, or the reason of its error. */
export interface Answered {
  data?: Record<string, any>;
  reason?: string;
}

/** A request to each of two gateways. */
interface SharedUse {
  requests: [Keyed, Keyed];
  /** What the answers have wrong. */
  findFaults: (answers: [Answered, Answered]) => string[];
}

/** An event with its content, as text. */
type Acknowledged = Map<string, string>;

const events = `mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) {
  accepted duplicates conflicts { index } refused { index reason } unassigned } }`;
const consumption = `mutation ($input: ConsumeEntitlementInput!) { consumeEntitlement(input: $input) {
  allowed used } }`;

/** Opens what clients remember of the usage that gateways have acknowledged. */
export function openUses(random: Random) {
  const acknowledged = new Map<string, Acknowledged>();
  const remember = (alias: string): Acknowledged => {
    const known = acknowledged.get(alias) ?? new Map<string, string>();
    acknowledged.set(alias, known);
    return known;
  };
  return {
    /** Builds events, or a use of a limit, of the customers of a place at its time; undefined without customers. */
    build: (place: Place, now: string, disk: Database.Database): SharedUse | undefined => {
      const ids = disk
        .prepare('SELECT id FROM customers WHERE tenant_alias = ? ORDER BY id')
        .pluck()
        .all(place.alias) as string[];
      if (ids.length === 0) return undefined;
      return random.chance(0.7)
        ? buildEvents(random, { customerIds: ids, now, acknowledged: remember(place.alias) })
        : buildConsumption(random, ids);
    },
    /** Finds acknowledged events that are not there once, with their content. */
    findFaults: (disk: Database.Database): string[] =>
      [...acknowledged].flatMap(([alias, known]) => findLost(disk, alias, known)),
    count: () => [...acknowledged.values()].reduce((sum, { size }) => sum + size, 0),
  };
}

interface Sending {
  customerIds: string[];
  now: string;
  acknowledged: Acknowledged;
}

type Event = ReturnType<typeof makeEvent>;

const makeEvent = (random: Random, { customerIds, now }: Sending) => ({
  id: `shared-${random.whole(0, 2 ** 31)}-${random.whole(0, 2 ** 31)}`,
  event: 'call',
  customerId: random.pick(customerIds),
  at: addMs(now, -Number(random.weighted({ 0: 6, [5 * hourMs]: 3, [12 * dayMs]: 2, [37 * dayMs]: 0.3 }))),
  properties: { n: `${random.whole(0, 30)}`, model: 'large', user: `user-${random.whole(1, 9)}` },
});

/** Builds events for both gateways: late ones, and some that have other content for the second gateway, in another order. */
function buildEvents(random: Random, sending: Sending): SharedUse {
  const sent = Array.from({ length: random.whole(1, 40) }, () => makeEvent(random, sending));
  const others = sent
    .map((event) => (random.chance(0.2) ? { ...event, properties: { ...event.properties, n: '31' } } : event))
    .toReversed();
  const write = (list: Event[]): Keyed => ({ query: events, variables: { events: list } });
  return {
    requests: [write(sent), write(others)],
    findFaults: (answers) => {
      const [first, second] = answers.map(({ data }) => data?.['recordUsage']);
      if (!first || !second) return ['usage was not answered'];
      const [one, other] = [readOutcomes(sent, first), readOutcomes(others, second)];
      return [
        ...(first.accepted + second.accepted > sent.length ? ['usage was accepted twice'] : []),
        ...sent.flatMap(({ id }) => judge(id, one.get(id)!, other.get(id)!, sending.acknowledged)),
      ];
    },
  };
}

/** What a gateway answered about an event. */
interface Outcome {
  content: string;
  is: 'taken' | 'conflict' | 'refused';
  reason?: string;
}

const writeContent = ({ at, customerId, properties: { n } }: Event) => `${customerId} ${at} ${n}`;

function readOutcomes(sent: Event[], { conflicts, refused }: Record<string, any>): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>(
    sent.map((event) => [event.id, { content: writeContent(event), is: 'taken' }]),
  );
  const set = (index: number, change: Partial<Outcome>) =>
    Object.assign(outcomes.get(sent[index]!.id)!, change);
  for (const { index } of conflicts) set(index, { is: 'conflict' });
  for (const { index, reason } of refused) set(index, { is: 'refused', reason });
  return outcomes;
}

/** Compares what both gateways said of an event, and remembers what was taken. */
function judge(id: string, one: Outcome, other: Outcome, acknowledged: Acknowledged): string[] {
  const kinds = [one.is, other.is];
  const taken = [one, other].filter(({ is }) => is === 'taken');
  for (const { content } of taken) acknowledged.set(id, content);
  // A customer may be deleted between the two requests; what is too old is refused by both.
  const isGone = [one, other].some(({ reason }) => reason === 'customer_not_found');
  if (isGone || kinds.every((kind) => kind === 'refused')) return [];
  const isRight =
    one.content === other.content ? taken.length === 2 : taken.length === 1 && kinds.includes('conflict');
  return isRight ? [] : [`${id} was ${one.is} with ${one.content}, and ${other.is} with ${other.content}`];
}

/** Finds acknowledged events that are not there once, with their content. Those of a customer who is gone went with them. */
function findLost(disk: Database.Database, alias: string, known: Acknowledged): string[] {
  const rows = disk
    .prepare(
      `SELECT event_id AS id, customer_id AS customerId, at, properties FROM usage_events
       WHERE tenant_alias = ? AND event_id LIKE 'shared-%'`,
    )
    .all(alias) as { id: string; customerId: string; at: string; properties: string }[];
  const customers = new Set(
    disk.prepare('SELECT id FROM customers WHERE tenant_alias = ?').pluck().all(alias) as string[],
  );
  const found = new Map<string, string[]>();
  for (const { id, customerId, at, properties } of rows) {
    const content = `${customerId} ${at} ${JSON.parse(properties).n}`;
    found.set(id, [...(found.get(id) ?? []), content]);
  }
  return [...known].flatMap(([id, content]) => {
    const contents = found.get(id) ?? [];
    if (contents.length === 0 && !customers.has(content.split(' ')[0]!)) return [];
    return contents.length === 1 && contents[0] === content
      ? []
      : [
          `${alias}: ${id} was acknowledged with ${content}, and is there with ${contents.join(', ') || 'nothing'}`,
        ];
  });
}

function buildConsumption(random: Random, customerIds: string[]): SharedUse {
  const use = { customerId: random.pick(customerIds), feature: 'quota', amount: `${random.whole(1, 12)}` };
  const id = `shared-use-${random.whole(0, 2 ** 31)}-${random.whole(0, 2 ** 31)}`;
  const request = { query: consumption, variables: { input: { id, ...use } } };
  return {
    requests: [request, request],
    findFaults: (answers) =>
      answers.flatMap(({ data, reason }) => {
        if (!data) return reason === 'customer_not_found' ? [] : [`a use was answered by ${reason}`];
        const { allowed, used } = data['consumeEntitlement'];
        return allowed && Number(used) < Number(use.amount) ? ['an allowed use was not counted'] : [];
      }),
  };
}

import { useState } from 'react';
import { Link } from 'wouter';
import { useConnected, useLive } from '../../data/live.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Loaded } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { When } from '../../design/Values.tsx';
import { useEventSentence } from '../../events/sentence.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { FeedQuery, type FeedEntry } from './query.ts';
import { texts } from './texts.ts';

const most = 12;

/** What happened last; new events arrive at the top by themselves. */
export function LiveFeed() {
  const t = useTexts(texts);
  const connected = useConnected();
  const result = useScreenQuery(FeedQuery, {});
  const [arrived, setArrived] = useState<FeedEntry[]>([]);
  useLive((traces) => setArrived((before) => [...traces.toReversed(), ...before].slice(0, most)));
  return (
    <aside className="home-feed">
      <Section
        title={t.feed}
        actions={
          <Status tone={connected ? 'good' : 'waiting'}>{connected ? t.connected : t.connecting}</Status>
        }
      >
        <Loaded result={result}>
          {({ traces }) => <Entries entries={merge(arrived, traces?.nodes ?? [])} />}
        </Loaded>
        <Link href="/events">{t.allEvents}</Link>
      </Section>
    </aside>
  );
}

function Entries({ entries }: { entries: FeedEntry[] }) {
  const t = useTexts(texts);
  const write = useEventSentence();
  if (entries.length === 0) return <p className="soft">{t.noEvents}</p>;
  return (
    <ol className="home-events" aria-live="polite" aria-relevant="additions">
      {entries.map((entry) => {
        const { customer } = entry.event;
        const { sentence } = write(entry);
        return (
          <li key={entry.id}>
            <Link href={`/events/${entry.eventId}`} className="home-event">
              {sentence}
            </Link>
            <small className="soft">
              {customer && (
                <>
                  <Link href={`/customers/${customer.customerId}`}>
                    <bdi>{nameCustomer(customer)}</bdi>
                  </Link>
                  {' · '}
                </>
              )}
              <When at={entry.createdAt} as="past" />
            </small>
          </li>
        );
      })}
    </ol>
  );
}

/** The events that arrived, before those that were there; each once. */
function merge(arrived: FeedEntry[], loaded: FeedEntry[]): FeedEntry[] {
  const ids = new Set(arrived.map(({ id }) => id));
  return [...arrived, ...loaded.filter(({ id }) => !ids.has(id))].slice(0, most);
}

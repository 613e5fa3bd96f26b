import { useState } from 'react';
import { Link } from 'wouter';
import { useConnected, useLive, type LiveTrace } from '../../data/live.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Loaded } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { When } from '../../design/Values.tsx';
import { useEventSentence } from '../../texts/events.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { FeedQuery } from './query.ts';
import { texts } from './texts.ts';

const shown = 15;

/** What has just happened; new events appear as they are recorded. */
export function Feed() {
  const t = useTexts(texts);
  const connected = useConnected();
  const result = useScreenQuery(FeedQuery, {});
  const [live, setLive] = useState<LiveTrace[]>([]);
  useLive((traces) => setLive((before) => [...traces.toReversed(), ...before].slice(0, shown)));
  return (
    <Section
      title={t.feed}
      actions={
        connected ? <Status tone="good">{t.live}</Status> : <Status tone="waiting">{t.notLive}</Status>
      }
    >
      <Loaded result={result}>
        {({ traces }) => {
          const known = new Set(live.map(({ eventId }) => eventId));
          const earlier = (traces?.nodes ?? []).filter(({ eventId }) => !known.has(eventId));
          return <Entries entries={[...live, ...earlier].slice(0, shown)} />;
        }}
      </Loaded>
    </Section>
  );
}

function Entries({ entries }: { entries: LiveTrace[] }) {
  const write = useEventSentence();
  return (
    <ol className="feed" aria-live="polite">
      {entries.map((entry) => {
        const { customer } = entry.event;
        return (
          <li key={entry.eventId}>
            <span>{write(entry).sentence}</span>
            <small className="soft">
              {customer && (
                <>
                  <Link href={`/customers/${customer.id}`}>{nameCustomer(customer)}</Link>
                  {', '}
                </>
              )}
              <When at={entry.createdAt} as="relative" />
            </small>
          </li>
        );
      })}
    </ol>
  );
}

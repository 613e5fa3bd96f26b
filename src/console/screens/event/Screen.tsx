import { Link } from 'wouter';
import { useScreenQuery } from '../../data/query.tsx';
import { Loaded } from '../../design/Feedback.tsx';
import { Json } from '../../design/Json.tsx';
import { Columns, Facts, Page, Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { Id, Nothing, When } from '../../design/Values.tsx';
import { useEventSentence } from '../../events/sentence.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { EventQuery, type EventData, type EventDelivery } from './query.ts';
import { texts } from './texts.ts';

/** One event: what changed, who caused it, and where it was sent. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const write = useEventSentence();
  const result = useScreenQuery(EventQuery, { id });
  const event = result.data?.event;
  const words = event && write({ executorId: event.trace.executorId, payload: event.trace.payload, event });
  return (
    <Page
      title={event?.type ?? t.event}
      parent={{ href: '/events', title: t.parent }}
      subtitle={words && `${words.sentence} ${words.actor}`}
      request={{ document: EventQuery, variables: { id } }}
    >
      <Loaded result={result}>
        {({ event: found, deliveries }) =>
          found && (
            <Columns facts={<EventFacts event={found} />}>
              {Object.keys(found.changes).length > 0 && (
                <Section title={t.changes}>
                  <Json label={t.changes} value={found.changes} />
                </Section>
              )}
              {found.details && (
                <Section title={t.details}>
                  <Json label={t.details} value={found.details} />
                </Section>
              )}
              <Section title={t.object}>
                <Json label={t.object} value={found.object} />
              </Section>
              <Deliveries deliveries={deliveries?.nodes ?? []} />
            </Columns>
          )
        }
      </Loaded>
    </Page>
  );
}

function EventFacts({ event }: { event: EventData }) {
  const t = useTexts(texts);
  const { eventId, timestamp, resourceId, customer, trace } = event;
  return (
    <Facts
      facts={[
        [t.id, <Id id={eventId} />],
        [t.time, <When at={timestamp} as="time" />],
        [t.record, <Id id={resourceId} />],
        [
          t.customer,
          customer ? (
            <Link href={`/customers/${customer.customerId}`}>
              <bdi>{nameCustomer(customer)}</bdi>
            </Link>
          ) : undefined,
        ],
        [t.executor, <bdi>{trace.executorId}</bdi>],
        [t.cause, trace.parentId ? <Id id={trace.parentId} /> : undefined],
      ]}
    />
  );
}

function Deliveries({ deliveries }: { deliveries: EventDelivery[] }) {
  const t = useTexts(texts);
  return (
    <Section title={t.deliveries}>
      <Table
        caption={t.deliveries}
        rows={deliveries}
        rowKey={({ id }) => id}
        empty={t.noDeliveries}
        columns={[
          {
            header: t.endpoint,
            cell: ({ id, endpoint }) => (
              <Link href={`/deliveries/${id}`}>{endpoint?.url ?? <Nothing />}</Link>
            ),
          },
          { header: t.status, cell: ({ status }) => status },
          { header: t.time, align: 'end', cell: ({ createdAt }) => <When at={createdAt} as="time" /> },
        ]}
      />
    </Section>
  );
}

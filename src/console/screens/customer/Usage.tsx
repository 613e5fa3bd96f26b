import { useState } from 'react';
import { CurrentUsage } from '../../billing/CurrentUsage.tsx';
import { UsageChart } from '../../billing/UsageChart.tsx';
import { useClock } from '../../data/clock.tsx';
import { graphql } from '../../data/graphql.ts';
import { dayMs } from '../../data/periods.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Select } from '../../design/Field.tsx';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { CustomerData } from './query.ts';
import { usageTexts as texts } from './texts.ts';

const EventsQuery = graphql(`
  query CustomerUsageEvents($id: ID!) {
    usageEvents(customerId: $id, first: 10) {
      nodes {
        id
        event
        at
        properties
        voidedAt
      }
    }
    meters(first: 100, order: DESC) {
      nodes {
        id
        name
        archivedAt
      }
    }
  }
`);

const UsageQuery = graphql(`
  query CustomerUsage($id: ID!, $meterId: ID!, $from: DateTime!, $until: DateTime!) {
    usage(meterId: $meterId, customerId: $id, from: $from, until: $until, by: day) {
      value
      events
      windows {
        from
        value
      }
    }
  }
`);

const shownDays = 30;

/** The usage of a customer: what it costs so far, by day, and the latest events. Nothing before the first event. */
export function Usage({ customer }: { customer: CustomerData }) {
  const t = useTexts(texts);
  const { id } = customer;
  const { data } = useScreenQuery(EventsQuery, { id }, { types: ['MeterEvent'] });
  const events = data?.usageEvents?.nodes ?? [];
  const metered = (customer.subscriptions?.nodes ?? []).filter(
    ({ status, items }) => status !== 'cancelled' && items.some(({ price }) => price?.meterId),
  );
  const meters = (data?.meters?.nodes ?? []).filter(({ archivedAt }) => archivedAt === null);
  const writeProperties = (properties: Record<string, unknown>) =>
    Object.entries(properties)
      .map(([name, value]) => `${name}: ${String(value)}`)
      .join(', ');
  return (
    <>
      {metered.map((subscription) => (
        <CurrentUsage
          key={subscription.id}
          subscriptionId={subscription.id}
          name={subscription.productName}
        />
      ))}
      {events.length > 0 && (
        <Section title={t.usage}>
          {meters.length > 0 && <UsageByDay customerId={id} meters={meters} />}
          <Table
            caption={t.latestEvents}
            rows={events}
            rowKey={(event) => event.id}
            columns={[
              {
                header: t.event,
                cell: ({ event, voidedAt }) => (
                  <>
                    {event} {voidedAt && <small className="soft">{t.takenBack}</small>}
                  </>
                ),
              },
              {
                header: t.properties,
                cell: ({ properties }) => <span dir="auto">{writeProperties(properties)}</span>,
              },
              { header: t.at, align: 'end', cell: ({ at }) => <When at={at} /> },
            ]}
          />
        </Section>
      )}
    </>
  );
}

interface UsageByDayProps {
  customerId: string;
  meters: { id: string; name: string }[];
}

function UsageByDay({ customerId: id, meters }: UsageByDayProps) {
  const t = useTexts(texts);
  const [meterId, setMeterId] = useState(meters[0]!.id);
  const end = (Math.floor(useClock() / dayMs) + 1) * dayMs;
  const [from, until] = [end - shownDays * dayMs, end].map((at) => new Date(at).toISOString());
  const { data } = useScreenQuery(UsageQuery, { id, meterId, from: from!, until: until! });
  const name = meters.find((meter) => meter.id === meterId)?.name ?? '';
  const usage = data?.usage;
  return (
    <div className="stack">
      {meters.length > 1 && (
        <Select
          label={t.meter}
          choices={meters.map((meter) => ({ value: meter.id, label: meter.name }))}
          value={meterId}
          onChange={({ target }) => setMeterId(target.value)}
        />
      )}
      {usage && <UsageChart name={name} usage={usage} height={180} file={`usage-${id}`} />}
    </div>
  );
}

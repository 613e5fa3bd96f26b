import type { LiveTrace } from '../../data/live.tsx';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { Page } from '../../design/Page.tsx';
import { Id, When } from '../../design/Values.tsx';
import { useEventSentence } from '../../events/sentence.ts';
import { useTexts } from '../../texts/language.tsx';
import { EventsQuery, type TraceRow } from './query.ts';
import { texts } from './texts.ts';

type Kind = LiveTrace['activityType'];

const kinds: Kind[] = [
  'CustomerEvent',
  'SubscriptionEvent',
  'IntentEvent',
  'InvoiceEvent',
  'InvoiceItemEvent',
  'PaymentEvent',
  'PaymentMethodEvent',
  'CreditNoteEvent',
  'DiscountEvent',
  'ProductEvent',
  'PriceEvent',
  'GroupEvent',
  'CouponEvent',
  'PromotionCodeEvent',
  'TaxRateEvent',
  'TenantEvent',
  'ClockEvent',
  'ActionRequestEvent',
  'ApiKeyEvent',
  'OperatorEvent',
  'WebhookEvent',
  'MailTemplateEvent',
  'CustomerNoteEvent',
  'FeatureEvent',
  'ProductEntitlementEvent',
  'EntitlementOverrideEvent',
  'UsagePriceOverrideEvent',
  'CreditTypeEvent',
  'AutoTopUpEvent',
];

/** The log of all events, the newest first; new ones appear as they happen. */
export function Screen() {
  const t = useTexts(texts);
  const columns = useColumns();
  return (
    <Page title={t.title} layout="list" request={{ document: EventsQuery, variables: { first: 50 } }}>
      <DataTable
        name="events"
        caption={t.title}
        document={EventsQuery}
        connection={(data) => data.traces}
        filters={[
          { name: 'activityType', label: t.kind, choices: kinds.map((value) => ({ value, label: value })) },
          { name: 'executorId', label: t.executor },
        ]}
        columns={columns}
        href={({ eventId }) => `/events/${eventId}`}
        follows={{ types: kinds }}
        empty={<Empty title={t.empty}>{t.emptyText}</Empty>}
      />
    </Page>
  );
}

function useColumns(): Column<TraceRow>[] {
  const t = useTexts(texts);
  const write = useEventSentence();
  return [
    {
      id: 'time',
      header: t.time,
      cell: ({ createdAt }) => <When at={createdAt} as="time" />,
      csv: ({ createdAt }) => createdAt,
      width: 190,
    },
    {
      id: 'happened',
      header: t.happened,
      cell: (row) => write(row).sentence,
      csv: (row) => write(row).sentence,
      width: 290,
    },
    {
      id: 'executor',
      header: t.executor,
      cell: (row) => <bdi title={row.executorId}>{write(row).actor}</bdi>,
      csv: ({ executorId }) => executorId,
      width: 140,
    },
    {
      id: 'type',
      header: t.type,
      cell: ({ event }) => <bdi>{event.type}</bdi>,
      csv: ({ event }) => event.type,
      width: 240,
    },
    {
      id: 'record',
      header: t.record,
      cell: ({ event }) => <Id id={event.resourceId} />,
      csv: ({ event }) => event.resourceId,
      width: 170,
    },
  ];
}

import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { Loaded, ProblemNote } from '../../design/Feedback.tsx';
import { Json } from '../../design/Json.tsx';
import { Columns, Facts, Page, Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Tries } from '../../design/Tries.tsx';
import { Id, Nothing, When } from '../../design/Values.tsx';
import { useDeliveryWords } from '../../texts/deliveries.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { DeliveredEventQuery, DeliveryQuery, ReplayDelivery, type DeliveryData } from './query.ts';
import { texts } from './texts.ts';
import { TriesAxis } from './TriesAxis.tsx';

/** One delivery of a webhook: why it arrived, or why not. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const describe = useDeliveryWords();
  const toast = useToast();
  const refusal = useRefusal('manage_webhooks');
  const result = useScreenQuery(DeliveryQuery, { id });
  const { run, busy, problem } = useAction(ReplayDelivery);
  const delivery = result.data?.delivery;
  const shown = delivery && describe({ ...delivery, tries: delivery.attempts.length });
  const resend = async () => {
    if (!(await run({ id }))) return;
    toast(t.resent);
    result.refetch();
  };
  return (
    <Page
      title={delivery?.type ?? t.delivery}
      parent={{ href: delivery ? `/webhooks/${delivery.endpointId}` : '/webhooks', title: t.parent }}
      badge={shown && <Status tone={shown.tone}>{shown.name}</Status>}
      actions={
        <Button look="main" refused={refusal} busy={busy} onClick={() => void resend()}>
          {t.resend}
        </Button>
      }
      request={{ document: DeliveryQuery, variables: { id } }}
    >
      {problem && <ProblemNote problem={problem} />}
      <Loaded result={result}>
        {({ delivery: found }) =>
          found && (
            <Columns facts={<DeliveryFacts delivery={found} />}>
              <DeliveryTries delivery={found} />
              <Payload eventId={found.eventId} />
            </Columns>
          )
        }
      </Loaded>
    </Page>
  );
}

function DeliveryFacts({ delivery }: { delivery: DeliveryData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const { id, endpoint, sequence, eventId, createdAt, finishedAt, nextAttemptAt } = delivery;
  return (
    <Facts
      facts={[
        [t.id, <Id id={id} />],
        [t.endpoint, endpoint ? <Link href={`/webhooks/${endpoint.id}`}>{endpoint.url}</Link> : undefined],
        [t.event, <Link href={`/events/${eventId}`}>{eventId}</Link>],
        [t.sequence, format.number(sequence)],
        [t.created, <When at={createdAt} as="time" />],
        [t.finished, finishedAt ? <When at={finishedAt} as="time" /> : undefined],
        [t.next, nextAttemptAt ? <When at={nextAttemptAt} as="future" /> : undefined],
      ]}
    />
  );
}

function DeliveryTries({ delivery: { attempts } }: { delivery: DeliveryData }) {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Tries
      attempts={attempts}
      response={({ statusCode, error }) =>
        statusCode !== null && statusCode < 300 ? (
          <Status tone="good">{String(statusCode)}</Status>
        ) : (
          <>
            {statusCode !== null && <Status tone="bad">{String(statusCode)}</Status>} {error ?? <Nothing />}
          </>
        )
      }
    >
      {attempts.length > 1 && (
        <TriesAxis attempts={attempts} label={t.summary(format.number(attempts.length))} />
      )}
    </Tries>
  );
}

function Payload({ eventId }: { eventId: string }) {
  const t = useTexts(texts);
  const result = useScreenQuery(DeliveredEventQuery, { id: eventId });
  return (
    <Section title={t.payload}>
      <Loaded result={result}>{({ event }) => event && <Json label={t.payload} value={event} />}</Loaded>
    </Section>
  );
}

import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { UsageChart } from '../../billing/UsageChart.tsx';
import { useAction } from '../../data/action.tsx';
import { useClock } from '../../data/clock.tsx';
import { dayMs } from '../../data/periods.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import { Columns, Facts, Page, Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Id, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { texts as listTexts } from '../meters/texts.ts';
import { ArchiveMeter, MeterQuery, type MeterData, type UsageData } from './query.ts';
import { texts } from './texts.ts';
import { VersionDialog } from './VersionDialog.tsx';
import { Versions, writeFilter } from './Versions.tsx';

const shownDays = 30;

/** One meter: what it counts, and what all customers have used by day. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const refusal = useRefusal('manage_catalog');
  const [changing, setChanging] = useState(false);
  const [archiving, setArchiving] = useState(false);
  // Whole days of UTC are whole quarters of an hour in every zone.
  const end = (Math.floor(useClock() / dayMs) + 1) * dayMs;
  const [from, until] = [end - shownDays * dayMs, end].map((at) => new Date(at).toISOString());
  const variables = { id, from: from!, until: until! };
  const result = useScreenQuery(MeterQuery, variables, { types: ['MeterEvent'] });
  const meter = result.data?.meter;
  return (
    <Page
      title={meter?.name ?? t.meter}
      parent={{ href: '/meters', title: t.meters }}
      badge={meter?.archivedAt && <Status tone="neutral">{t.archived}</Status>}
      actions={
        meter && (
          <>
            <Button refused={meter.archivedAt ? t.alreadyEnded : refusal} onClick={() => setChanging(true)}>
              {t.change}
            </Button>
            <Button
              look="quiet"
              refused={meter.archivedAt ? t.alreadyEnded : refusal}
              onClick={() => setArchiving(true)}
            >
              {t.archive}
            </Button>
          </>
        )
      }
      request={{ document: MeterQuery, variables }}
    >
      <Loaded result={result}>
        {({ meter: found, usage }) =>
          found ? (
            <Columns facts={<MeterFacts meter={found} />}>
              {usage && <UsageByDay meter={found} usage={usage} />}
              <Versions versions={found.versions} />
            </Columns>
          ) : (
            <Empty title={t.missing} />
          )
        }
      </Loaded>
      {changing && meter && (
        <VersionDialog meter={meter} onClose={() => setChanging(false)} onDone={result.refetch} />
      )}
      {archiving && meter && <Archive id={id} name={meter.name} onClose={() => setArchiving(false)} />}
    </Page>
  );
}

function MeterFacts({ meter }: { meter: MeterData }) {
  const t = useTexts(texts);
  const words = useTexts(listTexts);
  const format = useFormat();
  const { id, event, aggregation, value, groupBy, filter, unitMultiplier, persistent } = meter;
  return (
    <Facts
      facts={[
        [t.id, <Id id={id} />],
        [words.event, event],
        [words.counts, words[aggregation]],
        [words.property, value ?? undefined],
        [words.groupBy, groupBy.length > 0 ? groupBy.join(', ') : undefined],
        [t.filter, writeFilter(filter)],
        [words.unitMultiplier, unitMultiplier === '1' ? undefined : format.number(Number(unitMultiplier))],
        [words.persistent, persistent ? t.yes : undefined],
        [t.startsAt, <When at={meter.startsAt} />],
        [t.endsAt, meter.archivedAt ? <When at={meter.archivedAt} /> : undefined],
      ]}
    />
  );
}

function UsageByDay({ meter, usage }: { meter: MeterData; usage: UsageData }) {
  const t = useTexts(texts);
  return (
    <Section title={t.usage}>
      <UsageChart name={meter.name} usage={usage} height={260} file={`meter-${meter.id}`} />
      <p className="soft">{t.backfillHint}</p>
    </Section>
  );
}

function Archive({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(ArchiveMeter);
  const archive = async () => {
    if (!(await action.run({ id }))) return;
    toast(t.archivedToast);
    onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t.archiveTitle(name)}
      label={t.archive}
      action={action}
      onConfirm={() => void archive()}
      onClose={onClose}
    >
      <p>{t.archiveText}</p>
    </ConfirmAction>
  );
}

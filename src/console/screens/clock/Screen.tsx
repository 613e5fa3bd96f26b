import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useLive, type LiveTrace } from '../../data/live.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Empty, Loaded, Note } from '../../design/Feedback.tsx';
import { Columns, Figure, Page, Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { Timeline } from '../../design/Timeline.tsx';
import { Money, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { AdvanceClock, ClockQuery, ForecastQuery, type ClockData } from './query.ts';
import { texts } from './texts.ts';
import './clock.css';
import { dayMs } from '../../data/periods.ts';

const mostEntries = 200;

/** The clock of a test tenant: dragged forward, it shows what would happen, and then what happens. */
export function Screen() {
  const t = useTexts(texts);
  const result = useScreenQuery(ClockQuery, {}, { types: ['ClockEvent'] });
  return (
    <Page title={t.title} request={{ document: ClockQuery }}>
      <Loaded result={result}>
        {({ tenant }) =>
          tenant &&
          (tenant.isTest ? (
            <Clock tenant={tenant} onDone={result.refetch} />
          ) : (
            <LiveTime clock={tenant.clock} />
          ))
        }
      </Loaded>
    </Page>
  );
}

/** A live tenant has no clock to move: what time it is there, and where one is. */
function LiveTime({ clock }: { clock: string }) {
  const t = useTexts(texts);
  const { operator } = useSession();
  const [, navigate] = useLocation();
  return (
    <>
      <Figure name={t.now}>
        <When at={clock} as="time" />
      </Figure>
      <Empty
        title={t.live}
        action={
          operator?.canCreateTenants && (
            <Button onClick={() => navigate('~/console/new-tenant')}>{t.newTest}</Button>
          )
        }
      >
        {t.liveText}
      </Empty>
    </>
  );
}

function Clock({ tenant, onDone }: { tenant: ClockData; onDone: () => void }) {
  const t = useTexts(texts);
  const format = useFormat();
  const refusal = useRefusal('control_clock');
  const action = useAction(AdvanceClock);
  const { run, busy } = action;
  const [asked, setAsked] = useState(false);
  const [days, setDays] = useState(30);
  const [shownDays, setShownDays] = useState(30);
  const addDays = (count: number) => new Date(Date.parse(tenant.clock) + count * dayMs).toISOString();
  const target = addDays(days);
  const choose = (count: number) => {
    setDays(count);
    setShownDays(count);
  };
  const advance = async () => {
    if (!(await run({ to: target }))) return;
    setAsked(false);
    onDone();
  };
  const { clockAdvance } = tenant;
  return (
    <Columns facts={<Happened />} narrow="after">
      <Figure name={t.now}>
        <When at={tenant.clock} as="time" />
      </Figure>
      {!tenant.ownsClock && <Note>{t.notOwn}</Note>}
      <Section title={t.to}>
        <div className="clock-axis">
          <input
            type="range"
            min={1}
            max={366}
            value={days}
            aria-label={t.slider}
            aria-valuetext={`${t.days(format.number(days))}, ${format.date(target)}`}
            onChange={({ target: { value } }) => setDays(Number(value))}
            onPointerUp={() => setShownDays(days)}
            onKeyUp={() => setShownDays(days)}
          />
          <div className="row">
            <Button onClick={() => choose(1)}>{t.day}</Button>
            <Button onClick={() => choose(7)}>{t.week}</Button>
            <Button onClick={() => choose(30)}>{t.month}</Button>
            <Button onClick={() => choose(366)}>{t.year}</Button>
            <Button look="main" icon="clock" refused={refusal} busy={busy} onClick={() => setAsked(true)}>
              {t.advanceTo(format.dateTime(target))}
            </Button>
          </div>
          {clockAdvance && !clockAdvance.reached && (
            <p role="status">{t.working(format.number(clockAdvance.remaining))}</p>
          )}
        </div>
      </Section>
      <Forecast until={addDays(shownDays)} />
      {asked && (
        <ConfirmAction
          title={t.title}
          label={t.advance(format.dateTime(target))}
          action={action}
          onConfirm={() => void advance()}
          onClose={() => setAsked(false)}
        >
          <p>{t.advanceNote(format.dateTime(target))}</p>
        </ConfirmAction>
      )}
    </Columns>
  );
}

function Forecast({ until }: { until: string }) {
  const t = useTexts(texts);
  const format = useFormat();
  const result = useScreenQuery(ForecastQuery, { until });
  return (
    <Section title={t.forecast}>
      <Loaded result={result}>
        {({ tenant }) => (
          <Table
            caption={t.forecast}
            rows={tenant?.forecast ?? []}
            rowKey={({ date, total }) => date + total.currency}
            empty={t.nothing}
            columns={[
              { header: t.date, cell: ({ date }) => <When at={date} /> },
              { header: t.charges, align: 'end', cell: ({ charges }) => format.number(charges) },
              { header: t.total, align: 'end', cell: ({ total }) => <Money amount={total} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Happened() {
  const t = useTexts(texts);
  const [entries, setEntries] = useState<LiveTrace[]>([]);
  useLive((traces) => setEntries((before) => [...traces.toReversed(), ...before].slice(0, mostEntries)));
  return (
    <Section title={t.happened}>
      {entries.length === 0 ? <p className="soft">{t.waiting}</p> : <Timeline entries={entries} />}
    </Section>
  );
}

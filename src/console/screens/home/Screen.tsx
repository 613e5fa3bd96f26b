import { useMemo } from 'react';
import { useClock } from '../../data/clock.tsx';
import { findDaysBefore, formatIsoDate, findNoon, subtractMonths } from '../../data/periods.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { useUrlValue } from '../../data/url.ts';
import { useZone } from '../../data/zone.ts';
import { Loaded, ProblemNote } from '../../design/Feedback.tsx';
import { Select } from '../../design/Field.tsx';
import { Page } from '../../design/Page.tsx';
import { useTexts } from '../../texts/language.tsx';
import { Attention } from './Attention.tsx';
import { Charts } from './Charts.tsx';
import { CountryNote } from './CountryNote.tsx';
import { Figures } from './Figures.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { LiveFeed } from './LiveFeed.tsx';
import { SetUp } from './SetUp.tsx';
import { FiguresQuery, HomeQuery, type HomeData } from './query.ts';
import { texts } from './texts.ts';
import './home.css';

const follows = {
  types: ['SubscriptionEvent', 'InvoiceEvent', 'PaymentEvent', 'ProductEvent', 'WebhookEvent'] as const,
};

/** How the business does, and what needs a person. */
export function Screen() {
  const t = useTexts(texts);
  const result = useScreenQuery(HomeQuery, {}, { types: [...follows.types] });
  const currencies = result.data?.revenueCurrencies ?? [];
  const [chosen, choose] = useUrlValue('currency');
  const currency = currencies.includes(chosen) ? chosen : currencies[0];
  return (
    <Page
      title={t.title}
      layout="full"
      request={{ document: HomeQuery }}
      actions={
        currencies.length > 1 && (
          <Select
            compact
            label={t.currency}
            value={currency}
            choices={currencies.map((each) => ({ value: each, label: each.toUpperCase() }))}
            onChange={({ target }) => choose(target.value === currencies[0] ? '' : target.value)}
          />
        )
      }
    >
      <div className="home">
        <div className="home-main">
          <CountryNote />
          <SetUp />
          <Loaded result={result} skeleton={<HomeSkeleton />}>
            {(data) => <Content data={data} currency={currency} />}
          </Loaded>
        </div>
        <LiveFeed />
      </div>
    </Page>
  );
}

function Content({ data, currency }: { data: HomeData; currency: string | undefined }) {
  if (!currency) return <FirstSteps />;
  return (
    <>
      <Attention data={data} />
      <Business currency={currency} />
    </>
  );
}

/** The figures and pictures of one currency. */
function Business({ currency }: { currency: string }) {
  const variables = useVariables(currency);
  const result = useScreenQuery(FiguresQuery, variables, { types: [...follows.types] });
  if (result.problem) return <ProblemNote problem={result.problem} retry={result.refetch} />;
  return (
    <>
      <Figures data={result.data} />
      {result.data ? <Charts data={result.data} currency={currency} /> : <div className="home-wait" />}
    </>
  );
}

function useVariables(currency: string) {
  const now = useClock();
  const zone = useZone();
  const until = findDaysBefore(now, 0);
  return useMemo(() => {
    const end = Date.parse(until);
    const today = formatIsoDate(end, zone);
    return {
      currency,
      until,
      days: findDaysBefore(end, 29),
      before: findDaysBefore(end, 59),
      beforeUntil: findDaysBefore(end, 30),
      months: findNoon(subtractMonths(today, 23), zone) ?? until,
    };
  }, [currency, until, zone]);
}

/** Keeps the places of what is coming. */
function HomeSkeleton() {
  return (
    <>
      <div className="home-todo-wait" />
      <Figures data={undefined} />
      <div className="home-wait" />
    </>
  );
}

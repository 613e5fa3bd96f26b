import { useState } from 'react';
import { useScreenQuery } from '../../data/query.tsx';
import { useUrlValue } from '../../data/url.ts';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import { Select } from '../../design/Field.tsx';
import { Columns, Page } from '../../design/Page.tsx';
import { useClock } from '../../data/clock.tsx';
import { findMonthStart } from '../../data/months.ts';
import { useTenant } from '../../data/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { Feed } from './Feed.tsx';
import { HomeCharts, HomeFigures } from './Figures.tsx';
import { CurrenciesQuery, HomeQuery } from './query.ts';
import { Queue } from './Queue.tsx';
import { texts } from './texts.ts';
import './home.css';

/** The home screen: what needs a person, how the business is, what happens now. */
export function Screen() {
  const t = useTexts(texts);
  const currencies = useScreenQuery(CurrenciesQuery, {}, { types: ['SubscriptionEvent', 'PaymentEvent'] });
  const known = currencies.data?.revenueCurrencies ?? [];
  const [chosen, choose] = useUrlValue('currency');
  const currency = known.includes(chosen) ? chosen : known[0];
  const request = { document: HomeQuery, variables: useMonths(currency ?? 'usd') };
  return (
    <Page
      title={t.title}
      request={request}
      actions={
        known.length > 1 && (
          <Select
            compact
            label={t.currency}
            value={currency}
            choices={known.map((value) => ({ value, label: value.toUpperCase() }))}
            onChange={({ target }) => choose(target.value)}
          />
        )
      }
    >
      <Columns facts={<Feed />}>
        <Queue />
        <Loaded result={currencies}>
          {() =>
            currency ? (
              <Business key={currency} currency={currency} />
            ) : (
              <Empty title={t.empty}>{t.emptyText}</Empty>
            )
          }
        </Loaded>
      </Columns>
    </Page>
  );
}

const shownMonths = 12;

/** The last twelve months of the tenant, this one included. */
function useMonths(currency: string) {
  const now = useClock();
  const { timezone } = useTenant();
  const [from, until] = [1 - shownMonths, 1].map((offset) => findMonthStart(now, timezone, offset));
  return { currency, from: from!, until: until! };
}

function Business({ currency }: { currency: string }) {
  const variables = useMonths(currency);
  const result = useScreenQuery(HomeQuery, variables, { types: ['SubscriptionEvent', 'PaymentEvent'] });
  const [shown, show] = useState<[number, number]>();
  return (
    <Loaded result={result}>
      {(data) => (
        <>
          <HomeFigures data={data} />
          <HomeCharts data={data} shown={shown} show={show} />
        </>
      )}
    </Loaded>
  );
}

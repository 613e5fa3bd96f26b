import { useState } from 'react';
import { Link } from 'wouter';
import { Discounts } from '../../billing/Discounts.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { useClock } from '../../data/clock.tsx';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import { Columns, Page, Section } from '../../design/Page.tsx';
import { SubscriptionStatus } from '../../design/RecordStatus.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { Forecast, Invoices, Items } from './parts.tsx';
import { ForecastQuery, SubscriptionQuery, type SubscriptionData } from './query.ts';
import { Schedule } from './Schedule.tsx';
import { SubscriptionActions, type SubscriptionActionName } from './SubscriptionActions.tsx';
import { SubscriptionDialog } from './SubscriptionDialog.tsx';
import { SubscriptionFacts } from './SubscriptionFacts.tsx';
import { SubscriptionNotes } from './SubscriptionNotes.tsx';
import { texts } from './texts.ts';
import { dayMs } from '../../data/periods.ts';

const forecastDays = 400;

/** One subscription: what happens next and why, and what can be changed. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const follows = { ids: [id], types: ['PaymentEvent', 'InvoiceEvent', 'DiscountEvent'] as const };
  const result = useScreenQuery(SubscriptionQuery, { id }, { ids: follows.ids, types: [...follows.types] });
  // To the day, so that the request stays the same while the clock ticks.
  const until = new Date((Math.floor(useClock() / dayMs) + forecastDays) * dayMs).toISOString();
  const future = useScreenQuery(
    ForecastQuery,
    { id, until },
    { ids: follows.ids, types: [...follows.types] },
  );
  const [dialog, setDialog] = useState<SubscriptionActionName>();
  const subscription = result.data?.subscription;
  const forecast = future.data?.forecast ?? [];
  const invoices = result.data?.invoices?.nodes ?? [];
  const done = () => {
    setDialog(undefined);
    result.refetch();
    future.refetch();
  };
  return (
    <Page
      title={subscription ? nameSubscription(subscription) : t.subscription}
      badge={subscription && <SubscriptionStatus status={subscription.status} />}
      parent={{ href: '/subscriptions', title: t.subscriptions }}
      subtitle={subscription && <CustomerLink subscription={subscription} />}
      actions={subscription && <SubscriptionActions subscription={subscription} onChoose={setDialog} />}
      request={{ document: SubscriptionQuery, variables: { id } }}
    >
      <Loaded result={result}>
        {({ subscription: found }) =>
          found ? (
            <Columns facts={<SubscriptionFacts subscription={found} />}>
              <SubscriptionNotes subscription={found} invoices={invoices} onChoose={setDialog} />
              <Section title={t.schedule}>
                <Schedule subscription={found} invoices={invoices} forecast={forecast} />
              </Section>
              <Items subscription={found} />
              <Discounts discounts={found.discounts} onDone={done} />
              <Forecast forecast={forecast} />
              <Invoices invoices={invoices} />
            </Columns>
          ) : (
            <Empty title={t.missing} />
          )
        }
      </Loaded>
      {dialog && subscription && (
        <SubscriptionDialog
          name={dialog}
          subscription={subscription}
          onClose={() => setDialog(undefined)}
          onDone={done}
        />
      )}
    </Page>
  );
}

const nameSubscription = ({ productName, quantity }: SubscriptionData): string =>
  quantity > 1 ? `${productName} × ${quantity}` : productName;

function CustomerLink({ subscription: { customer } }: { subscription: SubscriptionData }) {
  const t = useTexts(texts);
  if (!customer) return t.erasedCustomer;
  return <Link href={`/customers/${customer.id}`}>{nameCustomer(customer)}</Link>;
}

import { useState } from 'react';
import { Link } from 'wouter';
import { CurrentUsage } from '../../billing/CurrentUsage.tsx';
import { Discounts } from '../../billing/Discounts.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { useClock } from '../../data/clock.tsx';
import { Empty, Loaded, Note } from '../../design/Feedback.tsx';
import { Columns, Page, Section } from '../../design/Page.tsx';
import { SubscriptionStatus, InvoiceStatus } from '../../design/RecordStatus.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import {
  ForecastQuery,
  SubscriptionQuery,
  type SubscriptionData,
  type BillData,
  type ForecastData,
} from './query.ts';
import { Schedule } from './Schedule.tsx';
import { SubscriptionActions, type SubscriptionActionName } from './SubscriptionActions.tsx';
import { SubscriptionDialog } from './SubscriptionDialog.tsx';
import { SubscriptionFacts } from './SubscriptionFacts.tsx';
import { texts } from './texts.ts';
import { dayMs } from '../../data/periods.ts';
import { sumAmounts } from '../../billing/arithmetic.ts';
import { LineTable } from '../../billing/LineTable.tsx';
import { Icon } from '../../design/Icon.tsx';
import { Table } from '../../design/Table.tsx';
import { Money, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { writeInterval } from './interval.ts';
import { useFailureWords } from '../../billing/failures.ts';
import { Button } from '../../design/Button.tsx';

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
              {found.cancelledAt === null && found.items.some(({ price }) => price?.meterId) && (
                <CurrentUsage subscriptionId={found.id} />
              )}
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
          forecast={forecast}
          invoices={invoices}
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
  return (
    <Link href={`/customers/${customer.id}`}>
      <bdi>{nameCustomer(customer)}</bdi>
    </Link>
  );
}

/** The main price and the add-ons. */
function Items({ subscription: { items } }: { subscription: SubscriptionData }) {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Section title={t.items}>
      <Table
        caption={t.items}
        rows={items}
        rowKey={({ id }) => id}
        columns={[
          {
            header: t.product,
            cell: ({ productName, productId, isMain }) => (
              <>
                <Link href={`/catalog/${productId}`}>{productName}</Link>{' '}
                {!isMain && <small className="soft">{t.addOn}</small>}
              </>
            ),
          },
          {
            header: t.interval,
            cell: ({ price }) => price && writeInterval(price.recurring, t, format),
          },
          { header: t.quantity, align: 'end', cell: ({ quantity }) => format.number(quantity) },
          { header: t.price, align: 'end', cell: ({ agreedPrice: price }) => <Money amount={price} /> },
        ]}
        footer={
          items.length > 1 && (
            <tr>
              <td colSpan={3}>{t.perPeriod}</td>
              <td className="end">
                <Money amount={sumAmounts(items.map(({ agreedPrice }) => agreedPrice))} />
              </td>
            </tr>
          )
        }
      />
    </Section>
  );
}

const shownForecasts = 3;

/** The next invoices, each with its lines. */
function Forecast({ forecast }: { forecast: ForecastData[] }) {
  const t = useTexts(texts);
  const format = useFormat();
  const expected = forecast.filter(({ lines }) => lines.length > 0);
  return (
    <Section title={t.forecast}>
      {expected.length === 0 && <p className="soft">{t.noForecast}</p>}
      {expected.some(({ usageEstimated }) => usageEstimated) && <p className="soft">{t.usageEstimated}</p>}
      {expected.slice(0, shownForecasts).map(({ date, total, lines }, index) => (
        <details key={date} open={index === 0} className="forecast">
          <summary>
            <span>
              <Icon name="next" /> <When at={date} />
            </span>
            <Money amount={total} />
          </summary>
          <LineTable caption={t.linesOn(format.date(date))} lines={lines} />
        </details>
      ))}
      {expected.length > shownForecasts && (
        <Table
          caption={t.later}
          rows={expected.slice(shownForecasts)}
          rowKey={({ date }) => date}
          columns={[
            { header: t.later, cell: ({ date }) => <When at={date} /> },
            { header: t.amount, align: 'end', cell: ({ total }) => <Money amount={total} /> },
          ]}
        />
      )}
    </Section>
  );
}

/** The latest invoices. */
function Invoices({ invoices }: { invoices: BillData[] }) {
  const t = useTexts(texts);
  return (
    <Section title={t.invoices}>
      <Table
        caption={t.invoices}
        rows={invoices}
        rowKey={({ id }) => id}
        empty={t.noInvoices}
        columns={[
          {
            header: t.number,
            cell: ({ id, documentNumber }) => (
              <Link href={`/invoices/${id}`}>{documentNumber ?? t.draft}</Link>
            ),
          },
          {
            header: t.status,
            cell: ({ status, overdue }) => <InvoiceStatus status={status} overdue={overdue} />,
          },
          { header: t.date, cell: ({ createdAt }) => <When at={createdAt} /> },
          { header: t.amount, align: 'end', cell: ({ total }) => <Money amount={total} /> },
        ]}
      />
    </Section>
  );
}

interface SubscriptionNotesProps {
  subscription: SubscriptionData;
  invoices: BillData[];
  onChoose: (name: SubscriptionActionName) => void;
}

/** What is not as usual: failed charges, a scheduled change or end, a pause. */
function SubscriptionNotes({ subscription, invoices, onChoose }: SubscriptionNotesProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const explain = useFailureWords();
  const { dunning, scheduledChange: change, parkedReason, pausedAt, resumesAt, cancelledAt } = subscription;
  const open = invoices.find(({ status }) => status === 'open');
  const stopped = dunning?.retriesStoppedReason;
  const ends =
    subscription.cancelAt ?? (subscription.cancelAtPeriodEnd ? subscription.currentPeriodEnd : null);
  return (
    <>
      {parkedReason && (
        <Note tone="bad">
          {t.parked} {parkedReason}
        </Note>
      )}
      {dunning && (
        <Note tone="bad">
          <div>
            <p>
              {t.failedSince(format.date(dunning.firstFailedAt), format.number(dunning.attempts))}{' '}
              {stopped && `${explain({ code: dunning.retriesStoppedCode, reason: stopped })}. `}
              {dunning.nextRetryAt ? t.nextTry(format.dateTime(dunning.nextRetryAt)) : t.noNextTry}
            </p>
            <p>{t[`final_${dunning.finalAction}`](format.date(dunning.finalAt))}</p>
            {open && <Link href={`/invoices/${open.id}`}>{t.openInvoice(format.money(open.amountDue))}</Link>}
          </div>
        </Note>
      )}
      {change && (
        <Note tone="waiting">
          <div>
            {t.changesOn(
              format.date(change.effectiveAt),
              change.quantity > 1 ? `${change.productName} × ${change.quantity}` : change.productName,
              format.money(change.agreedPrice),
            )}
          </div>
          <Button onClick={() => onChoose('undoChange')}>{t.undo}</Button>
        </Note>
      )}
      {ends && !cancelledAt && (
        <Note tone="late">
          <div>{t.endsOn(format.date(ends))}</div>
          <Button onClick={() => onChoose('uncancel')}>{t.undo}</Button>
        </Note>
      )}
      {pausedAt && (
        <Note tone="late">
          <div>
            {resumesAt
              ? t.pausedUntil(format.date(pausedAt), format.dateTime(resumesAt))
              : t.pausedSince(format.date(pausedAt))}
          </div>
          <Button onClick={() => onChoose('pause')}>{t.movePause}</Button>
        </Note>
      )}
      {cancelledAt && <Note>{t.endedOn(format.date(cancelledAt))}</Note>}
    </>
  );
}

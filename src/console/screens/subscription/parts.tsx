import { Link } from 'wouter';
import { sumAmounts } from '../../billing/arithmetic.ts';
import { LineTable } from '../../billing/LineTable.tsx';
import { Icon } from '../../design/Icon.tsx';
import { Section } from '../../design/Page.tsx';
import { InvoiceStatus } from '../../design/RecordStatus.tsx';
import { Table } from '../../design/Table.tsx';
import { Money, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { BillData, ForecastData, SubscriptionData } from './query.ts';
import { writeInterval } from './interval.ts';
import { texts } from './texts.ts';

/** The main price and the add-ons. */
export function Items({ subscription: { items } }: { subscription: SubscriptionData }) {
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
export function Forecast({ forecast }: { forecast: ForecastData[] }) {
  const t = useTexts(texts);
  const format = useFormat();
  const expected = forecast.filter(({ lines }) => lines.length > 0);
  return (
    <Section title={t.forecast}>
      {expected.length === 0 && <p className="soft">{t.noForecast}</p>}
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
export function Invoices({ invoices }: { invoices: BillData[] }) {
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

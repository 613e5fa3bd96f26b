import { Link } from 'wouter';
import { Chart } from '../../design/Chart.tsx';
import { Section } from '../../design/Page.tsx';
import { useMoneyAxis, type MoneyAxis } from '../../texts/axis.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { buildMovementSeries } from '../reports/movements.ts';
import type { FiguresData, MonthFigures } from './query.ts';
import { texts } from './texts.ts';
import { movementTexts } from '../reports/texts.ts';

/** The pictures: MRR and its movements, net revenue, forecast, failed and recovered payments. */
export function Charts({ data, currency }: { data: FiguresData; currency: string }) {
  const t = useTexts(texts);
  const axis = useMoneyAxis(data.days?.total.mrrEnd);
  const months = data.months?.points ?? [];
  return (
    <>
      <Section title={t.mrrMonths} actions={<Link href="/reports">{t.toReports}</Link>}>
        <div className="home-charts">
          <MrrChart months={months} axis={axis} file={`mrr-${currency}`} />
          <MovementsChart months={months} axis={axis} file={`mrr-movements-${currency}`} />
        </div>
      </Section>
      <div className="home-pair">
        <Section title={t.netRevenue} actions={<Link href="/reports?tab=revenue">{t.details}</Link>}>
          <NetRevenueChart data={data} axis={axis} file={`net-revenue-${currency}`} />
        </Section>
        <Section title={t.forecast} actions={<Link href="/reports?tab=forecast">{t.details}</Link>}>
          <ForecastChart data={data} axis={axis} file={`forecast-${currency}`} />
        </Section>
        <Section title={t.payments} actions={<Link href="/reports?tab=payments">{t.details}</Link>}>
          <PaymentsChart months={months.slice(-12)} axis={axis} file={`payments-${currency}`} />
        </Section>
      </div>
    </>
  );
}

interface PartProps {
  axis: MoneyAxis;
  file: string;
}

function MrrChart({ months, axis, file }: PartProps & { months: MonthFigures[] }) {
  const t = useTexts(texts);
  const format = useFormat();
  const values = months.map(({ mrrEnd }) => Number(mrrEnd.decimal));
  const [last = 0, yearBefore = 0] = [values.at(-1), values.at(-13)];
  const share = yearBefore > 0 ? (last - yearBefore) / yearBefore : undefined;
  return (
    <Chart
      title={t.mrr}
      summary={
        share === undefined
          ? axis.format(last)
          : share < 0
            ? t.mrrLess(axis.format(last), format.percent(-share))
            : t.mrrMore(axis.format(last), format.percent(share))
      }
      points={months.map(({ start }) => format.month(start))}
      series={[{ label: t.mrr, kind: 'line', color: 1, values }]}
      height={200}
      file={file}
      {...axis}
    />
  );
}

function MovementsChart({ months, axis, file }: PartProps & { months: MonthFigures[] }) {
  const t = useTexts(texts);
  const names = useTexts(movementTexts);
  const format = useFormat();
  const series = buildMovementSeries(months, names);
  const last = series.map(({ values }) => values.at(-1) ?? 0);
  const [gains, losses] = [last.filter((value) => value > 0), last.filter((value) => value < 0)].map((all) =>
    all.reduce((total, value) => total + value, 0),
  );
  return (
    <Chart
      title={t.movements}
      summary={t.movementsSummary(axis.format(gains ?? 0), axis.format(-(losses ?? 0)))}
      points={months.map(({ start }) => format.month(start))}
      series={series}
      height={200}
      file={file}
      {...axis}
    />
  );
}

/** Net revenue of the last 30 days as it adds up, against the 30 days before. */
function NetRevenueChart({ data, axis, file }: PartProps & { data: FiguresData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const addUp = (points: { netRevenue: { decimal: string } }[]) => {
    let total = 0;
    return points.map(({ netRevenue }) => (total += Number(netRevenue.decimal)));
  };
  const now = data.days?.points ?? [];
  const [values, before] = [addUp(now), addUp(data.before?.points ?? [])];
  return (
    <Chart
      title={t.netRevenueDays}
      summary={t.netRevenueSummary(axis.format(values.at(-1) ?? 0), axis.format(before.at(-1) ?? 0))}
      points={now.map(({ start }) => format.date(start))}
      series={[
        { label: t.these30, kind: 'line', color: 1, values },
        { label: t.before30, kind: 'line', color: 6, dashed: true, values: before },
      ]}
      file={file}
      {...axis}
    />
  );
}

function ForecastChart({ data, axis, file }: PartProps & { data: FiguresData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const months = data.revenueForecast ?? [];
  const values = months.map(({ invoiced }) => Number(invoiced.decimal));
  return (
    <Chart
      title={t.forecastTitle}
      summary={[
        t.forecastSummary(axis.format(values.reduce((total, value) => total + value, 0))),
        ...(months.some(({ usageEstimated }) => usageEstimated) ? [t.usageEstimated] : []),
      ].join('. ')}
      points={months.map(({ start }) => format.month(start))}
      series={[
        { label: t.invoiced, kind: 'bars', color: 2, values },
        {
          label: t.committed,
          kind: 'line',
          color: 3,
          values: months.map(({ committedMrr }) => Number(committedMrr.decimal)),
        },
      ]}
      file={file}
      {...axis}
    />
  );
}

/** Recovered payments above zero, failed ones below. */
function PaymentsChart({ months, axis, file }: PartProps & { months: MonthFigures[] }) {
  const t = useTexts(texts);
  const format = useFormat();
  const count = (pick: (month: MonthFigures) => { count: number }) =>
    format.number(months.reduce((total, month) => total + pick(month).count, 0));
  return (
    <Chart
      title={t.paymentsTitle}
      summary={t.paymentsSummary(
        count(({ failedPayments }) => failedPayments),
        count(({ recoveredPayments }) => recoveredPayments),
      )}
      points={months.map(({ start }) => format.month(start))}
      series={[
        {
          label: t.recovered,
          kind: 'stacked',
          color: 1,
          values: months.map(({ recoveredPayments }) => Number(recoveredPayments.amount.decimal)),
        },
        {
          label: t.failed,
          kind: 'stacked',
          color: 5,
          pattern: 'lines',
          values: months.map(({ failedPayments }) => 0 - Number(failedPayments.amount.decimal)),
        },
      ]}
      file={file}
      format={(value) => axis.format(Math.abs(value))}
      tick={(value) => axis.tick(Math.abs(value))}
    />
  );
}

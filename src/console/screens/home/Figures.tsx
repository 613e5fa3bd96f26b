import { Button } from '../../design/Button.tsx';
import { Chart } from '../../design/Chart.tsx';
import type { ChartSeries } from '../../design/chartSeries.ts';
import { Figure } from '../../design/Page.tsx';
import { Money } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { HomeData } from './query.ts';
import { texts } from './texts.ts';

const read = (amount: { decimal: string } | null | undefined): number => Number(amount?.decimal ?? 0);

/** The figures of this month, each with that of the month before. */
export function HomeFigures({ data }: { data: HomeData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const points = data.revenue?.points ?? [];
  const [before, now] = [points.at(-2), points.at(-1)];
  if (!now) return null;
  const start = read(now.mrrStart);
  const growth = start > 0 ? (read(now.mrrEnd) - start) / start : undefined;
  const rate = now.customerChurnRate;
  return (
    <div className="home-figures">
      <Figure
        name={t.mrr}
        note={growth === undefined ? undefined : t.thisMonth(withSign(format.percent(growth), growth))}
      >
        <Money amount={now.mrrEnd} />
      </Figure>
      <Figure name={t.netRevenue} note={before && t.lastMonth(format.money(before.netRevenue))}>
        <Money amount={now.netRevenue} />
      </Figure>
      <Figure name={t.active} note={t.customers(format.number(now.activeCustomers))}>
        {format.number(now.activeSubscriptions)}
      </Figure>
      <Figure
        name={t.churn}
        note={t.movedCustomers(format.number(now.newCustomers), format.number(now.churnedCustomers))}
      >
        {rate === null ? '–' : format.percent(Number(rate))}
      </Figure>
    </div>
  );
}

const withSign = (text: string, value: number): string => (value > 0 ? `+${text}` : text);

interface ChartsProps {
  data: HomeData;
  /** The months that somebody brushed over. */
  shown: [number, number] | undefined;
  show: (range: [number, number] | undefined) => void;
}

/** MRR with its forecast, and what moved it. */
export function HomeCharts({ data, shown, show }: ChartsProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const points = data.revenue?.points ?? [];
  const [first, last] = shown ?? [0, points.length - 1];
  const range = points.slice(first, last + 1);
  const currency = points[0]?.mrrEnd.currency ?? 'usd';
  const write = (value: number) => format.money({ decimal: String(Math.round(value * 100) / 100), currency });
  const movement = (
    label: string,
    color: ChartSeries['color'],
    key: 'new' | 'expansion' | 'reactivation' | 'contraction' | 'churn',
    sign = 1,
  ): ChartSeries => ({
    label,
    color,
    kind: 'stacked',
    values: range.map((point) => sign * read(point[key])),
  });
  const forecast = data.revenueForecast ?? [];
  const ends = points.map(({ mrrEnd }) => read(mrrEnd));
  return (
    <>
      <Chart
        title={t.mrr}
        summary={t.mrrSummary(write(ends[0] ?? 0), write(ends.at(-1) ?? 0))}
        points={[...points, ...forecast].map(({ start }) => format.month(start))}
        series={[
          { label: t.mrr, color: 1, kind: 'line', values: [...ends, ...forecast.map(() => null)] },
          {
            label: t.committed,
            color: 3,
            kind: 'line',
            dashed: true,
            values: [
              ...ends.map((value, index) => (index === ends.length - 1 ? value : null)),
              ...forecast.map(({ committedMrr }) => read(committedMrr)),
            ],
          },
        ]}
        format={write}
      />
      <Chart
        title={t.movements}
        summary={t.movementsSummary(range.length)}
        points={range.map(({ start }) => format.month(start))}
        series={[
          movement(t.new, 1, 'new'),
          movement(t.expansion, 2, 'expansion'),
          movement(t.reactivation, 3, 'reactivation'),
          movement(t.contraction, 4, 'contraction', -1),
          movement(t.churned, 5, 'churn', -1),
        ]}
        format={write}
        onSelect={(from, until) => show([first + from, first + until])}
      />
      {shown && <Button onClick={() => show(undefined)}>{t.allMonths}</Button>}
    </>
  );
}

import type { VariablesOf } from '../../data/graphql.ts';
import { useRefusal } from '../../app/permissions.ts';
import { useSaveLines, type CsvValue } from '../../data/csv.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { useUrlValue } from '../../data/url.ts';
import { useZone } from '../../data/zone.ts';
import { formatIsoDate } from '../../data/periods.ts';
import { Button } from '../../design/Button.tsx';
import { Chart } from '../../design/Chart.tsx';
import type { ChartSeries } from '../../design/chartSeries.ts';
import { Loaded } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { Money, Nothing } from '../../design/Values.tsx';
import { useMoneyAxis } from '../../texts/axis.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts, useLanguage } from '../../texts/language.tsx';
import { formatMetric, readNumber, type Metric, type Report, type ReportChart } from './metrics.ts';
import { ReportQuery, type Point, type ReportData } from './query.ts';
import { texts } from './texts.ts';
import { useSettings } from './settings.ts';

interface ViewProps {
  name: string;
  report: Report;
  variables: VariablesOf<typeof ReportQuery>;
}

/** A report: its charts, and below them its table. */
export function ReportView({ name, report, variables }: ViewProps) {
  const result = useScreenQuery(ReportQuery, variables, { types: ['SubscriptionEvent', 'PaymentEvent'] });
  return (
    <Loaded result={result}>
      {(data) => (
        <>
          <div className="report-charts">
            {report.charts.map((chart) => (
              <MetricChart
                key={chart.id}
                chart={chart}
                data={data}
                file={`${chart.id}-${variables.currency}`}
              />
            ))}
          </div>
          <MetricTable file={`${name}-${variables.currency}`} columns={report.columns} data={data} />
        </>
      )}
    </Loaded>
  );
}

function MetricChart({ chart, data, file }: { chart: ReportChart; data: ReportData; file: string }) {
  const t = useTexts(texts);
  const format = useFormat();
  const zone = useZone();
  const nameOf = usePeriodName();
  const [, setFrom] = useUrlValue('from');
  const [, setUntil] = useUrlValue('until');
  const points = data.revenue?.points ?? [];
  const [main] = chart.series;
  const write = formatMetric(main!.metric.kind, format, useMoneyAxis(data.revenue?.total.mrrEnd));
  const isDouble = chart.series.some(({ negative }) => negative);
  const abs = (pick: (value: number) => string) => (value: number) =>
    pick(isDouble ? Math.abs(value) : value);
  const read = (metric: Metric, of: Point[], sign = 1) =>
    of.map((point) => {
      const value = readNumber(metric, point);
      return value === null ? null : 0 + sign * value;
    });
  const series: ChartSeries[] = chart.series.map(({ metric, negative, ...look }) => ({
    ...look,
    label: t[metric.id] as string,
    values: read(metric, points, negative ? -1 : 1),
  }));
  if (chart.compared && data.before) {
    const before = read(main!.metric, data.before.points).slice(0, points.length);
    series.push({ label: t.before, kind: 'line', color: 6, dashed: true, values: before });
  }
  const last = points.at(-1) && readNumber(main!.metric, points.at(-1)!);
  const select = (first: number, end: number) => {
    setFrom(formatIsoDate(Date.parse(points[first]!.start), zone));
    setUntil(formatIsoDate(Date.parse(points[end]!.end) - 1, zone));
  };
  return (
    <Chart
      title={t[chart.id] as string}
      summary={
        last === null || last === undefined
          ? t.noFigure
          : t.lastIs(nameOf(points.at(-1)!.start), t[main!.metric.id] as string, write.format(last))
      }
      points={points.map(({ start }) => nameOf(start))}
      series={series}
      file={file}
      format={abs(write.format)}
      tick={abs(write.tick)}
      onSelect={select}
    />
  );
}

interface MetricTableProps {
  file: string;
  columns: Metric[];
  data: ReportData;
}

function MetricTable({ file, columns, data }: MetricTableProps) {
  const t = useTexts(texts);
  const nameOf = usePeriodName();
  const refusal = useRefusal('export_data');
  const points = data.revenue?.points ?? [];
  const total = data.revenue?.total;
  const saveLines = useSaveLines();
  const save = () =>
    saveLines(file, [
      [t.period, ...columns.map(({ id }) => t[id] as string)],
      ...points.map((point) => [point.start, ...columns.map((metric) => writeCsv(metric, point))]),
    ]);
  return (
    <Section
      title={t.figures}
      actions={
        <Button look="quiet" icon="download" refused={refusal} onClick={save}>
          {t.csv}
        </Button>
      }
    >
      <Table
        caption={t.figures}
        rows={points.toReversed()}
        rowKey={({ start }) => start}
        columns={[
          { header: t.period, cell: ({ start }) => <span className="report-period">{nameOf(start)}</span> },
          ...columns.map((metric) => ({
            header: t[metric.id] as string,
            align: 'end' as const,
            cell: (point: Point) => <Figure metric={metric} point={point} />,
          })),
        ]}
        footer={
          total && (
            <tr>
              <td>{t.all}</td>
              {columns.map((metric) => (
                <td key={metric.id} className="end" data-label={t[metric.id]}>
                  <Figure metric={metric} point={total} />
                </td>
              ))}
            </tr>
          )
        }
      />
    </Section>
  );
}

/** A figure of a table, exactly. */
function Figure({ metric, point }: { metric: Metric; point: Point }) {
  const format = useFormat();
  const value = metric.read(point);
  if (value === null) return <Nothing />;
  if (typeof value === 'object') return <Money amount={value} />;
  if (metric.kind === 'rate') return <>{format.percent(Number(value))}</>;
  return <>{format.number(Number(value), { maximumFractionDigits: 2 })}</>;
}

function writeCsv(metric: Metric, point: Point): CsvValue {
  const value = metric.read(point);
  return typeof value === 'string' ? { decimal: value } : value;
}

/** Returns a function that names the period that begins at an instant: Mar 2026, Q1 2026, 2026. */
function usePeriodName(): (start: string) => string {
  const t = useTexts(texts);
  const { by } = useSettings();
  const { language } = useLanguage();
  const format = useFormat();
  const timeZone = useZone();
  const year = new Intl.DateTimeFormat(language, { timeZone, year: 'numeric', calendar: 'gregory' });
  return (start) => {
    if (by === 'month') return format.month(start);
    if (by === 'year') return year.format(new Date(start));
    if (by !== 'quarter') return format.date(start);
    const month = Number(formatIsoDate(Date.parse(start), timeZone).slice(5, 7));
    return t.quarterName(format.number(Math.ceil(month / 3)), year.format(new Date(start)));
  };
}

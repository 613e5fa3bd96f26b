import type { ChartSeries } from '../../design/chartSeries.ts';
import type { Format, Amount } from '../../texts/format.ts';
import type { MoneyAxis } from '../../texts/axis.ts';
import type { Point } from './query.ts';
import type { texts } from './texts.ts';

type Names = (typeof texts)['en'];

/** A figure of a period: how it is read and written. */
export interface Metric {
  id: keyof Names;
  kind: 'money' | 'count' | 'rate' | 'ratio';
  read: (point: Point) => Amount | string | number | null;
}

const money = (id: keyof Names, read: (point: Point) => Amount | null): Metric => ({
  id,
  kind: 'money',
  read,
});
const count = (id: keyof Names, read: (point: Point) => number): Metric => ({
  id,
  kind: 'count',
  read,
});
const rate = (id: keyof Names, read: (point: Point) => string | null): Metric => ({
  id,
  kind: 'rate',
  read,
});

const metrics = {
  mrrStart: money('mrrStart', (point) => point.mrrStart),
  new: money('new', (point) => point.new),
  expansion: money('expansion', (point) => point.expansion),
  reactivation: money('reactivation', (point) => point.reactivation),
  contraction: money('contraction', (point) => point.contraction),
  churn: money('churn', (point) => point.churn),
  mrrEnd: money('mrrEnd', (point) => point.mrrEnd),
  activeSubscriptions: count('activeSubscriptions', (point) => point.activeSubscriptions),
  activeCustomers: count('activeCustomers', (point) => point.activeCustomers),
  newCustomers: count('newCustomers', (point) => point.newCustomers),
  churnedCustomers: count('churnedCustomers', (point) => point.churnedCustomers),
  reactivatedCustomers: count('reactivatedCustomers', (point) => point.reactivatedCustomers),
  netRevenue: money('netRevenue', (point) => point.netRevenue),
  invoiced: money('invoiced', (point) => point.invoiced),
  refunded: money('refunded', (point) => point.refunded),
  credited: money('credited', (point) => point.credited),
  breakage: money('breakage', (point) => point.breakage),
  failedCount: count('failedCount', (point) => point.failedPayments.count),
  failed: money('failed', (point) => point.failedPayments.amount),
  recoveredCount: count('recoveredCount', (point) => point.recoveredPayments.count),
  recovered: money('recovered', (point) => point.recoveredPayments.amount),
  trialsStarted: count('trialsStarted', (point) => point.trialsStarted),
  trialsConverted: count('trialsConverted', (point) => point.trialsConverted),
  trialsLost: count('trialsLost', (point) => point.trialsLost),
  trialConversionRate: rate('trialConversionRate', (point) => point.trialConversionRate),
  customerChurnRate: rate('customerChurnRate', (point) => point.customerChurnRate),
  grossMrrChurnRate: rate('grossMrrChurnRate', (point) => point.grossMrrChurnRate),
  netMrrChurnRate: rate('netMrrChurnRate', (point) => point.netMrrChurnRate),
  nrr: rate('nrr', (point) => point.nrr),
  quickRatio: { id: 'quickRatio', kind: 'ratio', read: (point) => point.quickRatio },
  arpu: money('arpu', (point) => point.arpu),
  ltv: money('ltv', (point) => point.ltv),
} satisfies Record<string, Metric>;

interface MetricSeries extends Pick<ChartSeries, 'kind' | 'color' | 'pattern'> {
  metric: Metric;
  /** Below zero. */
  negative?: boolean;
}

/** A chart of a report: its series, and whether the first one is compared with the period before. */
export interface ReportChart {
  id: keyof Names;
  series: MetricSeries[];
  compared?: boolean;
}

/** A report: its charts, and the columns of its table. */
export interface Report {
  charts: ReportChart[];
  columns: Metric[];
}

const {
  failed,
  recovered,
  trialsStarted,
  trialsConverted,
  trialsLost,
  customerChurnRate,
  grossMrrChurnRate,
  netMrrChurnRate,
  nrr,
  quickRatio,
  arpu,
  ltv,
  newCustomers,
  churnedCustomers,
  reactivatedCustomers,
} = metrics;

/** The reports of `revenue`, by the name of their tab. */
export const reports: Record<'mrr' | 'revenue' | 'retention' | 'trials' | 'payments', Report> = {
  mrr: {
    charts: [
      { id: 'mrr', series: [{ metric: metrics.mrrEnd, kind: 'line', color: 1 }], compared: true },
      {
        id: 'movements',
        series: [
          { metric: metrics.new, kind: 'stacked', color: 1 },
          { metric: metrics.expansion, kind: 'stacked', color: 2, pattern: 'lines' },
          { metric: metrics.reactivation, kind: 'stacked', color: 3, pattern: 'dots' },
          { metric: metrics.contraction, kind: 'stacked', color: 4, pattern: 'lines', negative: true },
          { metric: metrics.churn, kind: 'stacked', color: 5, negative: true },
        ],
      },
    ],
    columns: [
      metrics.mrrStart,
      metrics.new,
      metrics.expansion,
      metrics.reactivation,
      metrics.contraction,
      metrics.churn,
      metrics.mrrEnd,
      metrics.activeSubscriptions,
      metrics.activeCustomers,
    ],
  },
  revenue: {
    charts: [
      { id: 'netRevenue', series: [{ metric: metrics.netRevenue, kind: 'bars', color: 2 }], compared: true },
    ],
    columns: [metrics.invoiced, metrics.credited, metrics.refunded, metrics.netRevenue, metrics.breakage],
  },
  retention: {
    charts: [
      {
        id: 'churnRates',
        series: [
          { metric: customerChurnRate, kind: 'line', color: 5 },
          { metric: netMrrChurnRate, kind: 'line', color: 3 },
        ],
      },
      { id: 'nrr', series: [{ metric: nrr, kind: 'line', color: 1 }], compared: true },
      { id: 'arpu', series: [{ metric: arpu, kind: 'line', color: 3 }], compared: true },
    ],
    columns: [
      newCustomers,
      reactivatedCustomers,
      churnedCustomers,
      customerChurnRate,
      grossMrrChurnRate,
      netMrrChurnRate,
      nrr,
      quickRatio,
      arpu,
      ltv,
    ],
  },
  trials: {
    charts: [
      {
        id: 'trials',
        series: [
          { metric: trialsStarted, kind: 'line', color: 3 },
          { metric: trialsConverted, kind: 'stacked', color: 1 },
          { metric: trialsLost, kind: 'stacked', color: 6, pattern: 'lines', negative: true },
        ],
      },
    ],
    columns: [trialsStarted, trialsConverted, trialsLost, metrics.trialConversionRate],
  },
  payments: {
    charts: [
      {
        id: 'payments',
        series: [
          { metric: recovered, kind: 'stacked', color: 1 },
          { metric: failed, kind: 'stacked', color: 5, pattern: 'lines', negative: true },
        ],
      },
    ],
    columns: [metrics.failedCount, failed, metrics.recoveredCount, recovered],
  },
};

/** Returns a figure as a number, or null if there is none. */
export function readNumber({ read }: Metric, point: Point): number | null {
  const value = read(point);
  if (value === null) return null;
  return Number(typeof value === 'object' ? value.decimal : value);
}

/** Returns how to write the values of a metric in a chart. */
export function formatMetric(kind: Metric['kind'], format: Format, axis: MoneyAxis): MoneyAxis {
  const writeNumber = (value: number) => format.number(value);
  const writeShare = (value: number) => format.percent(value);
  const write = {
    money: axis,
    count: { format: writeNumber, tick: writeNumber },
    rate: { format: writeShare, tick: writeShare },
    ratio: { format: writeNumber, tick: writeNumber },
  };
  return write[kind];
}

import { useEffect, useRef, useState } from 'react';
import { useClock } from '../../data/clock.tsx';
import { useFormat, type Format, type Amount } from '../../texts/format.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import type { BillData, ForecastData, SubscriptionData } from './query.ts';
import { texts } from './texts.ts';
import './Schedule.css';

/** An invoice on the axis: issued, or expected. */
interface AxisBill {
  kind: 'issued' | 'expected';
  at: number;
  id?: string;
  status?: string;
  amount: Amount;
}

/** An instant on the axis that is not an invoice. */
interface AxisMark {
  kind: 'now' | 'trialEnd' | 'planChange' | 'end' | 'retry' | 'resumption';
  at: number;
}

/** All that the axis shows, between two instants in milliseconds. */
interface Axis {
  from: number;
  until: number;
  bills: AxisBill[];
  marks: AxisMark[];
  period?: { from: number; until: number };
}

interface AxisSources {
  subscription: SubscriptionData;
  invoices: BillData[];
  forecast: ForecastData[];
  now: number;
  /** How many invoices before and after now fit. */
  room: number;
}

/** Chooses what to show: the last invoices, the current period, the next invoices, and what is known to happen. */
function buildAxis({ subscription, invoices, forecast, now, room }: AxisSources): Axis {
  const issued = invoices
    .filter(({ status }) => status !== 'void')
    .slice(0, room)
    .map(({ id, status, createdAt, total }): AxisBill => {
      return { kind: 'issued', id, status, at: Date.parse(createdAt), amount: total };
    })
    .toReversed();
  const expected = forecast
    .filter(({ date, lines }) => lines.length > 0 && Date.parse(date) > now)
    .slice(0, room)
    .map(({ date, total }): AxisBill => ({ kind: 'expected', at: Date.parse(date), amount: total }));
  const bills = [...issued, ...expected];
  const { currentPeriodStart: start, currentPeriodEnd: end } = subscription;
  const period = start && end ? { from: Date.parse(start), until: Date.parse(end) } : undefined;
  const marks = listMarks(subscription, now);
  const instants = [
    ...bills.map(({ at }) => at),
    ...marks.filter(({ kind }) => kind !== 'trialEnd').map(({ at }) => at),
    ...(period ? [period.from, period.until] : []),
  ];
  const [from, until] = [Math.min(...instants), Math.max(...instants)];
  const within = marks.filter(({ at }) => at >= from && at <= until);
  return { from, until: Math.max(until, from + 1), bills, marks: within, ...(period && { period }) };
}

function listMarks(subscription: SubscriptionData, now: number): AxisMark[] {
  const { trialEndsAt, scheduledChange, cancelAtPeriodEnd, currentPeriodEnd, cancelledAt } = subscription;
  const end = cancelledAt ?? subscription.cancelAt ?? (cancelAtPeriodEnd ? currentPeriodEnd : undefined);
  const found: [AxisMark['kind'], string | null | undefined][] = [
    ['trialEnd', trialEndsAt],
    ['planChange', scheduledChange?.effectiveAt],
    ['retry', subscription.dunning?.nextRetryAt],
    ['resumption', subscription.resumesAt],
    ['end', end],
  ];
  const known = found.flatMap(([kind, at]) => (at ? [{ kind, at: Date.parse(at) }] : []));
  return [{ kind: 'now', at: now }, ...known];
}

/** Returns the entries whose labels do not touch: those that come first in the list win. */
function pickLabels<Entry>(entries: Entry[], place: (entry: Entry) => number, width: number): Set<Entry> {
  const shown = new Set<Entry>();
  for (const entry of entries) {
    if ([...shown].every((other) => Math.abs(place(other) - place(entry)) >= width)) shown.add(entry);
  }
  return shown;
}

interface ScheduleProps {
  subscription: SubscriptionData;
  invoices: BillData[];
  forecast: ForecastData[];
}

const height = 148;
const line = 74;
/** Dates of the Persian calendar are longer. */
const labelWidths = { en: 80, de: 84, fr: 88, fa: 112 };

/** The schedule on a time axis: past invoices, the current period, the next invoices, and what will change. */
export function Schedule({ subscription, invoices, forecast }: ScheduleProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const now = useClock();
  const [frame, width] = useWidth();
  const { language } = useLanguage();
  const labelWidth = labelWidths[language];
  const edge = labelWidth / 2 + 2;
  const axis = buildAxis({ subscription, invoices, forecast, now, room: width < 520 ? 2 : 4 });
  const share = (at: number) => (at - axis.from) / (axis.until - axis.from);
  const place = (at: number) => {
    const x = edge + share(at) * (width - 2 * edge);
    return language === 'fa' ? width - x : x;
  };
  return (
    <div ref={frame} className="schedule">
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={summarize(axis, t, format)}>
          <line className="schedule-axis" x1={edge / 2} x2={width - edge / 2} y1={line} y2={line} />
          {axis.period && <Period period={axis.period} place={place} />}
          <Bills bills={axis.bills} place={place} labelWidth={labelWidth} />
          <Marks marks={axis.marks} place={place} width={width} />
        </svg>
      )}
    </div>
  );
}

type Place = (at: number) => number;

function Period({ period, place }: { period: { from: number; until: number }; place: Place }) {
  const [start, end] = [place(period.from), place(period.until)].toSorted((a, b) => a - b);
  return <rect className="schedule-period" x={start} y={line - 5} width={end! - start!} height={10} rx={5} />;
}

function Bills({ bills, place, labelWidth }: { bills: AxisBill[]; place: Place; labelWidth: number }) {
  const format = useFormat();
  // The next invoices matter most, then the latest.
  const byWeight = [
    ...bills.filter(({ kind }) => kind === 'expected'),
    ...bills.filter(({ kind }) => kind === 'issued').toReversed(),
  ];
  const labelled = pickLabels(byWeight, ({ at }) => place(at), labelWidth - 4);
  return bills.map((bill) => (
    <g key={`${bill.kind} ${bill.at} ${bill.id}`}>
      <circle className={`schedule-bill ${bill.status ?? 'expected'}`} cx={place(bill.at)} cy={line} r={6} />
      {labelled.has(bill) && (
        <>
          <text className="schedule-amount" x={place(bill.at)} y={line + 28}>
            {format.money(bill.amount)}
          </text>
          <text className="schedule-date" x={place(bill.at)} y={line + 46}>
            {format.date(new Date(bill.at).toISOString())}
          </text>
        </>
      )}
    </g>
  ));
}

/** A letter of these labels is hardly wider: enough to keep them within the picture. */
const letterWidth = 6.5;

function Marks({ marks, place, width }: { marks: AxisMark[]; place: Place; width: number }) {
  const t = useTexts(texts);
  const byWeight = marks.toSorted((a, b) => Number(a.kind === 'now') - Number(b.kind === 'now'));
  const upper = pickLabels(byWeight, ({ at }) => place(at), 96);
  const placed = marks.map((mark) => {
    const x = place(mark.at);
    const half = (t[mark.kind].length * letterWidth) / 2;
    const middle = Math.max(Math.min(x, width - half), half);
    return { kind: mark.kind, x, middle, y: upper.has(mark) ? 40 : 18 };
  });
  // The words come last, so that no line of another mark crosses them.
  return (
    <>
      {placed.map(({ kind, x, y }) => (
        <line key={kind} className={`schedule-mark ${kind}`} x1={x} x2={x} y1={y + 6} y2={line} />
      ))}
      {placed.map(({ kind, middle, y }) => (
        <text key={kind} className={`schedule-mark ${kind}`} x={middle} y={y}>
          {t[kind]}
        </text>
      ))}
    </>
  );
}

/** What the axis shows, in a sentence. */
function summarize({ bills, marks, period }: Axis, t: (typeof texts)['en'], format: Format): string {
  const date = (at: number) => format.date(new Date(at).toISOString());
  const parts = [
    ...(period ? [`${t.currentPeriod}: ${date(period.from)} – ${date(period.until)}`] : []),
    ...bills.map(({ kind, at, amount }) => `${t[kind]}: ${date(at)}, ${format.money(amount)}`),
    ...marks.map(({ kind, at }) => `${t[kind]}: ${date(at)}`),
  ];
  return `${t.schedule}. ${parts.join('. ')}.`;
}

/** Returns the width of an element, and follows it. */
function useWidth(): [React.RefObject<HTMLDivElement | null>, number] {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, []);
  return [frame, width];
}

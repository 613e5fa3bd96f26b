/** What the time axis of a subscription shows, and where. */
import type { Amount } from '../../texts/format.ts';
import type { BillData, ForecastData, SubscriptionData } from './query.ts';

/** An invoice on the axis: issued, or expected. */
export interface AxisBill {
  kind: 'issued' | 'expected';
  at: number;
  id?: string;
  status?: string;
  amount: Amount;
}

/** An instant on the axis that is not an invoice. */
export interface AxisMark {
  kind: 'now' | 'trialEnd' | 'planChange' | 'end' | 'retry';
  at: number;
}

/** All that the axis shows, between two instants in milliseconds. */
export interface Axis {
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
export function buildAxis({ subscription, invoices, forecast, now, room }: AxisSources): Axis {
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
    ['end', end],
  ];
  const known = found.flatMap(([kind, at]) => (at ? [{ kind, at: Date.parse(at) }] : []));
  return [{ kind: 'now', at: now }, ...known];
}

/** Returns the entries whose labels do not touch: those that come first in the list win. */
export function pickLabels<Entry>(
  entries: Entry[],
  place: (entry: Entry) => number,
  width: number,
): Set<Entry> {
  const shown = new Set<Entry>();
  for (const entry of entries) {
    if ([...shown].every((other) => Math.abs(place(other) - place(entry)) >= width)) shown.add(entry);
  }
  return shown;
}

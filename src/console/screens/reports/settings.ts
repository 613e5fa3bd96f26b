import { useMemo } from 'react';
import { useClock } from '../../data/clock.tsx';
import { dayMs, findDaysBefore, findNoon, formatIsoDate, subtractMonths } from '../../data/periods.ts';
import { useUrlValue } from '../../data/url.ts';
import { useZone } from '../../data/zone.ts';

/** The lengths of periods, and how many months a report of each covers at first. */
export const intervals = { day: 1, week: 6, month: 23, quarter: 35, year: 59 };
type Interval = keyof typeof intervals;

/** The switches of the definition of MRR: the name in the address, and what is the default. */
export const switches = { pastDue: true, trials: false, paused: false, cancelling: true } as const;
export type Switch = keyof typeof switches;

/** What the address says about a report. */
export interface ReportSettings {
  by: Interval;
  /** Dates of the tenant's calendar, both inclusive. */
  from: string;
  until: string;
  discounts: 'forever' | 'none';
  isOn: (name: Switch) => boolean;
  compare: boolean;
  variables: ReportVariables;
}

interface ReportVariables {
  from: string;
  until: string;
  by: Interval;
  definition: Record<Switch, boolean> & { discounts: 'forever' | 'none' };
  compare: boolean;
  beforeFrom: string;
  beforeUntil: string;
}

/** Reads the settings of a report from the address. */
export function useSettings(): ReportSettings {
  const zone = useZone();
  const today = formatIsoDate(Date.parse(findDaysBefore(useClock(), 0)), zone);
  const [byText] = useUrlValue('by');
  const [fromText] = useUrlValue('from');
  const [untilText] = useUrlValue('until');
  const [definition] = useUrlValue('definition');
  const [compareText] = useUrlValue('compare');
  return useMemo(() => {
    const by: Interval = byText in intervals ? (byText as Interval) : 'month';
    const until = findNoon(untilText, zone) ? untilText : today;
    const from = findNoon(fromText, zone) ? fromText : subtractMonths(until, intervals[by]);
    const changed = definition.split(',');
    const isOn = (name: Switch) => switches[name] !== changed.includes(name);
    const discounts = changed.includes('discounts') ? 'none' : 'forever';
    const compare = compareText === '1';
    const [start, end] = [findNoon(from, zone)!, findNoon(until, zone)!];
    const variables: ReportVariables = {
      from: start,
      until: end,
      by,
      definition: {
        discounts,
        pastDue: isOn('pastDue'),
        trials: isOn('trials'),
        paused: isOn('paused'),
        cancelling: isOn('cancelling'),
      },
      compare,
      ...findBefore(from, until, by, zone),
    };
    return { by, from, until, discounts, isOn, compare, variables };
  }, [byText, fromText, untilText, definition, compareText, today, zone]);
}

/** The period of the same length before: of whole months, if the periods are months or longer. */
function findBefore(from: string, until: string, by: Interval, zone: string) {
  const [start, end] = [Date.parse(`${from}T12:00:00Z`), Date.parse(`${until}T12:00:00Z`)];
  if (by === 'day' || by === 'week') {
    const length =
      by === 'day' ? end - start + dayMs : Math.ceil((end - start + dayMs) / (7 * dayMs)) * 7 * dayMs;
    const shift = (instant: number) => new Date(instant - length).toISOString();
    return { beforeFrom: shift(start), beforeUntil: shift(end) };
  }
  const [fromYear = 0, fromMonth = 0] = from.split('-').map(Number);
  const [untilYear = 0, untilMonth = 0] = until.split('-').map(Number);
  const size = { month: 1, quarter: 3, year: 12 }[by];
  const months = (untilYear - fromYear) * 12 + untilMonth - fromMonth + 1;
  const length = Math.ceil(months / size) * size;
  return {
    beforeFrom: findNoon(subtractMonths(from, length), zone)!,
    beforeUntil: findNoon(subtractMonths(until, length), zone)!,
  };
}

import { useMemo } from 'react';
import { useClock } from '../../data/clock.tsx';
import { dayMs, findDaysBefore, findNoon, formatIsoDate, subtractMonths } from '../../data/periods.ts';
import { useUrlValue } from '../../data/url.ts';
import { useZone } from '../../data/zone.ts';
import type { Choice } from '../../design/Field.tsx';
import { useFormat } from '../../texts/format.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { texts } from './texts.ts';

export const returnKinds = ['plain', 'oss', 'ustva', 'ca3', 'ec_sales'] as const;
export const lengths = ['month', 'quarter', 'year', 'day'] as const;

const monthsOf = { month: 1, quarter: 3, year: 12 };
/** Three years of months; returns are corrected for three years at most. */
const listedPeriods = { month: 36, quarter: 12, year: 6 };

/** Returns the day after a date, or before it. */
function shiftDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** Returns the first day of the calendar period of a date. */
function findStart(date: string, months: number): string {
  const [year = 0, month = 0] = date.split('-').map(Number);
  const first = month - 1 - ((month - 1) % months);
  return new Date(Date.UTC(year, first, 1)).toISOString().slice(0, 10);
}

/** What the address says about a return: the last quarter that is over unless it says otherwise. Days are those of the tenant. */
export function useReturnSettings() {
  const zone = useZone();
  const today = formatIsoDate(Date.parse(findDaysBefore(useClock(), 0)), zone);
  const [kindText] = useUrlValue('return');
  const [byText] = useUrlValue('by');
  const [fromText] = useUrlValue('from');
  const [untilText] = useUrlValue('until');
  return useMemo(() => {
    const kind = returnKinds.find((each) => each === kindText) ?? 'plain';
    const by = lengths.find((each) => each === byText) ?? 'quarter';
    const months = by === 'day' ? 3 : monthsOf[by];
    const last = subtractMonths(findStart(today, months), months);
    const chosen = findNoon(fromText, zone) ? fromText : last;
    const from = by === 'day' ? chosen : findStart(chosen, months);
    const end =
      by === 'day' && findNoon(untilText, zone) ? untilText : shiftDays(subtractMonths(from, -months), -1);
    const until = end < from ? from : end;
    const starts =
      by === 'day'
        ? []
        : Array.from({ length: listedPeriods[by] }, (_, nth) =>
            subtractMonths(findStart(today, months), nth * months),
          );
    if (by !== 'day' && !starts.includes(from)) starts.push(from);
    return { kind, by, from, until, starts, period: { from, until: shiftDays(until, 1) } };
  }, [kindText, byText, fromText, untilText, today, zone]);
}

/** Returns the periods to choose from, newest first, by their names: Mar 2026, Q1 2026, 2026. */
export function useReturnPeriods(): Choice[] {
  const t = useTexts(texts);
  const format = useFormat();
  const { language } = useLanguage();
  const { by, starts } = useReturnSettings();
  const year = new Intl.DateTimeFormat(language, { timeZone: 'UTC', year: 'numeric', calendar: 'gregory' });
  return starts.map((start) => {
    const noon = `${start}T12:00:00Z`;
    const quarter = format.number(Math.ceil(Number(start.slice(5, 7)) / 3));
    const names = {
      month: format.month(noon),
      quarter: t.quarterName(quarter, year.format(new Date(noon))),
      year: year.format(new Date(noon)),
    };
    return { value: start, label: names[by as keyof typeof names] };
  });
}

import { useZone } from '../../data/zone.ts';
import { formatIsoDate } from '../../data/periods.ts';
import { useFormat } from '../../texts/format.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { useSettings } from './settings.ts';
import { texts } from './texts.ts';

/** Returns a function that names the period that begins at an instant: Mar 2026, Q1 2026, 2026. */
export function usePeriodName(): (start: string) => string {
  const t = useTexts(texts);
  const { by } = useSettings();
  const { language } = useLanguage();
  const format = useFormat();
  const timeZone = useZone();
  const year = new Intl.DateTimeFormat(language, { timeZone, year: 'numeric' });
  return (start) => {
    if (by === 'month') return format.month(start);
    if (by === 'year') return year.format(new Date(start));
    if (by !== 'quarter') return format.date(start);
    const month = Number(formatIsoDate(Date.parse(start), timeZone).slice(5, 7));
    return t.quarterName(format.number(Math.ceil(month / 3)), year.format(new Date(start)));
  };
}

import { useUrlValue } from '../../data/url.ts';
import { Field, Select } from '../../design/Field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { lengths, useReturnPeriods, useReturnSettings } from './returnPeriods.ts';
import { returnTexts, texts } from './texts.ts';

/** Chooses the period of a return or of a file: a calendar period, or days. */
export function ReturnPeriod() {
  const t = useTexts(returnTexts);
  const report = useTexts(texts);
  const { by, from, until } = useReturnSettings();
  const periods = useReturnPeriods();
  const [, setBy] = useUrlValue('by');
  const [, setFrom] = useUrlValue('from');
  const [, setUntil] = useUrlValue('until');
  return (
    <>
      <Select
        label={t.length}
        value={by}
        choices={lengths.map((each) => ({ value: each, label: each === 'day' ? t.days : report[each] }))}
        onChange={({ target }) => setBy(target.value === 'quarter' ? '' : target.value)}
      />
      {by === 'day' ? (
        <>
          <Field
            type="date"
            label={report.from}
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
          <Field
            type="date"
            label={report.until}
            value={until}
            onChange={({ target }) => setUntil(target.value)}
          />
        </>
      ) : (
        <Select
          label={report.period}
          value={from}
          choices={periods}
          onChange={({ target }) => setFrom(target.value)}
        />
      )}
    </>
  );
}

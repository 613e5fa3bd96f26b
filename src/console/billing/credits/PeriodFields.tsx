import { Field, FieldRow, Select } from '../../design/Field.tsx';
import type { Form } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { readWhole } from '../../texts/numbers.ts';
import { frequencies } from '../../texts/prices.ts';
import { periodTexts as texts } from './texts.ts';

/** A time in the calendar, as a form holds it. */
export interface PeriodValues {
  period: string;
  frequency: (typeof frequencies)[number];
}

interface PeriodFieldsProps {
  form: Form<PeriodValues>;
  label: string;
  /** Where the server reports problems. */
  path: string;
}

/** The fields of a time in the calendar: "3 months". */
export function PeriodFields({ form: { bind }, label, path }: PeriodFieldsProps) {
  const t = useTexts(texts);
  return (
    <FieldRow>
      <Field label={label} inputMode="numeric" required {...bind('period', `${path}.period`)} />
      <Select
        label={t.unit}
        choices={frequencies.map((value) => ({ value, label: t[value] }))}
        {...bind('frequency', `${path}.frequency`)}
      />
    </FieldRow>
  );
}

/** Returns the time as the schema takes it. */
export const readPeriod = ({ period, frequency }: PeriodValues) => ({
  frequency,
  period: readWhole(period) ?? 0,
});

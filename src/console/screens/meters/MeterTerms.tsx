import { Field, TextArea } from '../../design/Field.tsx';
import { orNull, type Form } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { texts } from './texts.ts';

/** What a version of a meter counts of its events, as a form holds it. */
export interface MeterTerms {
  value: string;
  groupBy: string;
  /** A condition on each line: `model: large, small`. */
  filter: string;
}

interface MeterTermFieldsProps {
  form: Form<MeterTerms>;
  /** Whether it counts the events, and not a property of them. */
  isCount: boolean;
}

/** The fields of what a version of a meter counts. */
export function MeterTermFields({ form: { bind }, isCount }: MeterTermFieldsProps) {
  const t = useTexts(texts);
  return (
    <>
      {!isCount && <Field label={t.property} hint={t.propertyHint} required {...bind('value')} />}
      <Field label={t.groupBy} hint={t.groupByHint} {...bind('groupBy')} />
      <TextArea label={t.filter} hint={t.filterHint} rows={3} {...bind('filter')} />
    </>
  );
}

/** Returns the terms as the schema takes them. */
export const readTerms = ({ value, groupBy, filter }: MeterTerms, isCount: boolean) => ({
  value: isCount ? null : orNull(value),
  groupBy: readList(groupBy),
  filter: filter.split('\n').flatMap(readCondition),
});

/** Reads `a, b`, with the comma of any language. */
const readList = (text: string): string[] => text.split(/[,،]/).flatMap((each) => orNull(each) ?? []);

function readCondition(line: string): { property: string; values: string[] }[] {
  if (line.trim() === '') return [];
  const at = line.indexOf(':');
  // Without a colon there are no values, which the server refuses.
  const [property, values] = at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
  return [{ property: property.trim(), values: readList(values) }];
}

/** Writes terms as the form holds them. */
export const writeTerms = (terms: {
  value: string | null;
  groupBy: readonly string[];
  filter: readonly { property: string; values: readonly string[] }[];
}): MeterTerms => ({
  value: terms.value ?? '',
  groupBy: terms.groupBy.join(', '),
  filter: terms.filter.map(({ property, values }) => `${property}: ${values.join(', ')}`).join('\n'),
});

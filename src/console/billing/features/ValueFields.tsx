import { Checkbox, Field, Select, TextArea } from '../../design/Field.tsx';
import type { Form } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import type { FeatureKind } from './queries.ts';
import { texts } from './texts.ts';
import { readValue, type ValueForm } from './values.ts';

interface ValueFieldsProps {
  kind: FeatureKind;
  form: Pick<Form<ValueForm>, 'values' | 'bind' | 'check'>;
}

/** The fields of a value, by the kind of its feature. */
export function ValueFields({ kind, form: { values, bind, check } }: ValueFieldsProps) {
  const t = useTexts(texts);
  if (kind === 'boolean')
    return (
      <Select
        label={t.value}
        choices={[
          { value: 'true', label: t.yes },
          { value: 'false', label: t.no },
        ]}
        {...bind('yes', 'value')}
      />
    );
  if (kind === 'config') {
    const isWrong = values.json.trim() !== '' && !readValue(kind, values);
    return (
      <TextArea label={t.json} required {...bind('json', 'value')} {...(isWrong && { problem: t.notJson })} />
    );
  }
  return (
    <>
      <Field label={t.units} hint={t.unitsHint} inputMode="decimal" {...bind('units', 'value')} />
      <Checkbox label={t.soft} {...check('soft')} />
      {values.soft && (
        <Field label={t.overageLimit} hint={t.overageHint} inputMode="decimal" {...bind('overageLimit')} />
      )}
    </>
  );
}

import { useLocation } from 'wouter';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Note, ProblemNote } from '../../design/Feedback.tsx';
import { Checkbox, Field, Select } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { readDecimal } from '../../texts/numbers.ts';
import { CreateMeter } from './query.ts';
import { texts } from './texts.ts';

const aggregations = ['sum', 'count', 'max', 'min', 'latest', 'unique', 'weighted_sum'] as const;

interface MeterValues {
  name: string;
  event: string;
  aggregation: (typeof aggregations)[number];
  value: string;
  groupBy: string;
  unitMultiplier: string;
  persistent: boolean;
}

const initial: MeterValues = {
  name: '',
  event: '',
  aggregation: 'sum',
  value: '',
  groupBy: '',
  unitMultiplier: '1',
  persistent: false,
};

/** Creates a meter; all but its name is fixed from then on. */
export function CreateMeterDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const [, navigate] = useLocation();
  const { run, busy, problem } = useAction(CreateMeter);
  const { values, bind, check } = useForm(initial, problem);
  const isCount = values.aggregation === 'count';
  const submit = async () => {
    const { name, event, aggregation, persistent } = values;
    const groupBy = values.groupBy.split(',').flatMap((each) => orNull(each) ?? []);
    const value = isCount ? null : orNull(values.value);
    const unitMultiplier = orNull(readDecimal(values.unitMultiplier));
    const input = { name, event, aggregation, value, groupBy, persistent, unitMultiplier };
    const created = (await run({ input }))?.createMeter;
    if (!created) return;
    toast(t.createdToast);
    navigate(`/meters/${created.id}`);
  };
  return (
    <Dialog
      title={t.create}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="main" busy={busy}>
            {t.create}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <Note>{t.fixedNote}</Note>
      <Field label={t.name} required autoFocus {...bind('name')} />
      <Field label={t.event} hint={t.eventHint} required {...bind('event')} />
      <Select
        label={t.counts}
        choices={aggregations.map((value) => ({ value, label: t[value] }))}
        {...bind('aggregation')}
      />
      {!isCount && <Field label={t.property} hint={t.propertyHint} required {...bind('value')} />}
      <Field label={t.groupBy} hint={t.groupByHint} {...bind('groupBy')} />
      <Field
        label={t.unitMultiplier}
        hint={t.unitMultiplierHint}
        inputMode="decimal"
        {...bind('unitMultiplier')}
      />
      <Checkbox label={t.persistent} hint={t.persistentHint} {...check('persistent')} />
    </Dialog>
  );
}

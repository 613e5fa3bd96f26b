import { useLocation } from 'wouter';
import { useAction } from '../../data/action.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Checkbox, Field, Select } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { readDecimal } from '../../texts/numbers.ts';
import { useLoad } from '../../data/query.tsx';
import { MeterTermFields, readTerms, type MeterTerms } from './MeterTerms.tsx';
import { PreviewMeter } from './PreviewMeter.tsx';
import { CreateMeter, PreviewMeterQuery } from './query.ts';
import { texts } from './texts.ts';

const aggregations = ['sum', 'count', 'max', 'min', 'latest', 'unique', 'weighted_sum'] as const;

interface MeterValues extends MeterTerms {
  name: string;
  event: string;
  aggregation: (typeof aggregations)[number];
  unitMultiplier: string;
  persistent: boolean;
}

const initial: MeterValues = {
  name: '',
  event: '',
  aggregation: 'sum',
  value: '',
  groupBy: '',
  filter: '',
  unitMultiplier: '1',
  persistent: false,
};

/** Creates a meter; all but its name is fixed from then on. */
export function CreateMeterDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const [, navigate] = useLocation();
  const { run, busy, problem } = useAction(CreateMeter);
  const form = useForm(initial, problem);
  const { values, bind, check } = form;
  const load = useLoad();
  const isCount = values.aggregation === 'count';
  const readInput = () => {
    const { name, event, aggregation, persistent } = values;
    const unitMultiplier = orNull(readDecimal(values.unitMultiplier));
    return { name, event, aggregation, persistent, unitMultiplier, ...readTerms(values, isCount) };
  };
  const submit = async () => {
    const created = (await run({ input: readInput() }))?.createMeter;
    if (!created) return;
    toast(t.createdToast);
    navigate(`/meters/${created.id}`);
  };
  return (
    <FormDialog
      title={t.create}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Note>{t.fixedNote}</Note>
      <Field label={t.name} required autoFocus {...bind('name')} />
      <Field label={t.event} hint={t.eventHint} required {...bind('event')} />
      <Select
        label={t.counts}
        choices={aggregations.map((value) => ({ value, label: t[value] }))}
        {...bind('aggregation')}
      />
      <MeterTermFields form={form} isCount={isCount} />
      <Field
        label={t.unitMultiplier}
        hint={t.unitMultiplierHint}
        inputMode="decimal"
        {...bind('unitMultiplier')}
      />
      <Checkbox label={t.persistent} hint={t.persistentHint} {...check('persistent')} />
      <PreviewMeter
        load={async (span) =>
          (await load(PreviewMeterQuery, { input: { ...readInput(), name: values.name || '–' }, ...span }))
            .previewMeter
        }
      />
    </FormDialog>
  );
}

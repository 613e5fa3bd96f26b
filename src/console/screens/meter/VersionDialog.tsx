import { useAction } from '../../data/action.tsx';
import { useLoad } from '../../data/query.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { MeterTermFields, readTerms, writeTerms } from '../meters/MeterTerms.tsx';
import { PreviewMeter } from '../meters/PreviewMeter.tsx';
import { CreateMeterVersion, PreviewMeterVersionQuery, type MeterData } from './query.ts';
import { texts } from './texts.ts';

interface VersionDialogProps {
  meter: MeterData;
  onClose: () => void;
  onDone: () => void;
}

/** The dialog that changes what a meter counts from a time on. */
export function VersionDialog({ meter, onClose, onDone }: VersionDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const load = useLoad();
  const { run, busy, problem } = useAction(CreateMeterVersion);
  const { id, versions, aggregation } = meter;
  const form = useForm({ ...writeTerms(versions.at(-1) ?? meter), startsAt: '' }, problem);
  const isCount = aggregation === 'count';
  const terms = readTerms(form.values, isCount);
  const submit = async () => {
    const startsAt = orNull(form.values.startsAt);
    if (!(await run({ id, input: { ...terms, startsAt } }))) return;
    toast(t.changedToast);
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t.change}
      label={t.changeText}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Note>{t.changeNote}</Note>
      <MeterTermFields form={form} isCount={isCount} />
      <Field label={t.from} hint={t.fromHint} type="date" {...form.bind('startsAt')} />
      <PreviewMeter
        load={async (span) =>
          (await load(PreviewMeterVersionQuery, { id, input: terms, ...span })).previewMeterVersion
        }
      />
    </FormDialog>
  );
}

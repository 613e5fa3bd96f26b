import { useAction } from '../../data/action.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { SetAlerts, type AttachedFeature } from './queries.ts';
import { texts } from './texts.ts';
import { readPercents } from './values.ts';

interface FeatureAlertsProps {
  feature: AttachedFeature['feature'];
  onClose: () => void;
  onDone: () => void;
}

/** Changes the shares of a limit of which events and mails tell. */
export function FeatureAlertsDialog({ feature, onClose, onDone }: FeatureAlertsProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(SetAlerts);
  const { values, bind } = useForm({ alertPercents: feature.alertPercents.join(', ') }, problem);
  const submit = async () => {
    const alertPercents = readPercents(values.alertPercents);
    if (!(await run({ id: feature.id, input: { alertPercents } }))) return;
    toast(t.alertsSaved(feature.name));
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t.alertsTitle(feature.name)}
      label={t.saveAlerts}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Note>{t.alertsNote}</Note>
      <Field label={t.alerts} hint={t.alertsHint} autoFocus {...bind('alertPercents')} />
    </FormDialog>
  );
}

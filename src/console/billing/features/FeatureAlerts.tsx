import { useAction } from '../../data/action.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { AlertFields } from './AlertFields.tsx';
import { SetAlerts, type AttachedFeature } from './queries.ts';
import { texts } from './texts.ts';
import { readAlerts } from './values.ts';

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
  const { usesTenantAlerts } = feature;
  // What a limit of its own begins with is what holds now.
  const form = useForm({ usesTenantAlerts, alertPercents: feature.alertPercents.join(', ') }, problem);
  const submit = async () => {
    const alertPercents = readAlerts(form.values);
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
      <AlertFields form={form} autoFocus />
    </FormDialog>
  );
}

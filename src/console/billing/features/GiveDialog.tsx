import { useAction } from '../../data/action.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { OverrideEntitlement, type CustomerEntitlement } from './queries.ts';
import { texts } from './texts.ts';
import { ValueFields } from './ValueFields.tsx';
import { emptyValue, readOverage, readValue } from './values.ts';

interface GiveDialogProps {
  customerId: string;
  feature: CustomerEntitlement['feature'];
  onClose: () => void;
  onDone: () => void;
}

/** Gives a customer a value of a feature, which decides alone until its end. */
export function GiveDialog({ customerId, feature, onClose, onDone }: GiveDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(OverrideEntitlement);
  const form = useForm({ ...emptyValue, endsAt: '' }, problem);
  const { values, bind } = form;
  const read = readValue(feature.kind, values);
  const submit = async () => {
    if (!read) return;
    const terms = { ...read, ...readOverage(feature.kind, values), endsAt: orNull(values.endsAt) };
    if (!(await run({ input: { customerId, feature: feature.key, ...terms } }))) return;
    toast(t.given(feature.name));
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t.giveTitle(feature.name)}
      label={t.give}
      busy={busy}
      problem={problem}
      refused={read ? undefined : t.notJson}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Note>{t.giveNote}</Note>
      <ValueFields kind={feature.kind} form={form} />
      <Field label={t.ends} hint={t.endsHint} type="date" {...bind('endsAt')} />
    </FormDialog>
  );
}

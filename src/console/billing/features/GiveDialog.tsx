import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Note, ProblemNote } from '../../design/Feedback.tsx';
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
    <Dialog
      title={t.giveTitle(feature.name)}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="main" busy={busy} refused={read ? undefined : t.notJson}>
            {t.give}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <Note>{t.giveNote}</Note>
      <ValueFields kind={feature.kind} form={form} />
      <Field label={t.ends} hint={t.endsHint} type="date" {...bind('endsAt')} />
    </Dialog>
  );
}

import { useAction } from '../../data/action.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Field } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { readDecimal, writeDecimal } from '../../texts/numbers.ts';
import { SetGrantAlert, type Grant } from './grantQueries.ts';
import { grantTexts as texts } from './texts.ts';

interface GrantAlertProps {
  grant: Grant;
  onClose: () => void;
  onDone: () => void;
}

/** Changes the amount of a grant below which an event and a mail tell what is left. */
export function GrantAlertDialog({ grant, onClose, onDone }: GrantAlertProps) {
  const { id, name, amount, alertBelow, alertBelowCredits } = grant;
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(SetGrantAlert);
  const given = alertBelow?.decimal ?? alertBelowCredits;
  const { values, bind } = useForm({ below: given ? writeDecimal(given) : '' }, action.problem);
  const confirm = async () => {
    const decimal = orNull(readDecimal(values.below));
    const input = amount
      ? { alertBelow: decimal === null ? null : { decimal, currency: amount.currency } }
      : { alertBelowCredits: decimal };
    if (!(await action.run({ id, input }))) return;
    toast(t.alertDone);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      title={t.alertTitle(name)}
      label={t.saveAlert}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <Field
        label={t.alertBelow}
        hint={t.alertBelowHint}
        inputMode="decimal"
        autoFocus
        {...bind('below', amount ? 'alertBelow' : 'alertBelowCredits')}
      />
    </ConfirmAction>
  );
}

import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Field } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { readDecimal, writeDecimal } from '../../texts/numbers.ts';
import type { SubscriptionDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';

const SetSpendAlerts = graphql(`
  mutation SetSpendAlerts($id: ID!, $input: UpdateSubscriptionInput!) {
    updateSubscription(id: $id, input: $input) {
      id
      spendAlerts {
        decimal
        currency
      }
    }
  }
`);

/** Reads `50; 1 000,50; 2000`; what is no amount is refused by the server. */
const readAmounts = (text: string): string[] =>
  text
    .split(/[;؛\n]/)
    .filter((part) => part.trim() !== '')
    .map((part) => readDecimal(part));

/** Changes the amounts of usage of which events and mails tell. */
export function SpendAlertsDialog({ subscription, onClose, onDone }: SubscriptionDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(SetSpendAlerts);
  const { id, agreedPrice, spendAlerts } = subscription;
  const initial = { amounts: spendAlerts.map(({ decimal }) => writeDecimal(decimal)).join('; ') };
  const { values, bind } = useForm(initial, action.problem);
  const confirm = async () => {
    const { currency } = agreedPrice;
    const amounts = readAmounts(values.amounts).map((decimal) => ({ decimal, currency }));
    if (!(await action.run({ id, input: { spendAlerts: amounts } }))) return;
    toast(t.alertsDone);
    onDone();
  };
  return (
    <ConfirmAction
      title={t.alerts}
      label={t.saveAlerts}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="soft">{t.alertsNote}</p>
      <Field label={t.alertAmounts} hint={t.alertAmountsHint} autoFocus {...bind('amounts', 'spendAlerts')} />
    </ConfirmAction>
  );
}

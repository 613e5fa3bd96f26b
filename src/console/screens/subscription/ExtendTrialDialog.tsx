import { useState } from 'react';
import { sumAmounts } from '../../billing/arithmetic.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { Field } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { dayMs } from '../../data/periods.ts';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal } from '../../texts/problems.ts';
import type { SubscriptionDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';

const ExtendTrial = graphql(`
  mutation ExtendTrial($id: ID!, $trialEndsAt: DateTime!) {
    extendTrial(id: $id, input: { trialEndsAt: $trialEndsAt }) {
      id
      status
      trialEndsAt
      nextInvoiceAt
    }
  }
`);

const weekMs = 7 * dayMs;

/** Moves the end of a trial to a later day, at the same time of day. */
export function ExtendTrialDialog({ subscription, onClose, onDone }: SubscriptionDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const action = useAction(ExtendTrial);
  const before = subscription.trialEndsAt!;
  const [day, setDay] = useState(new Date(Date.parse(before) + weekMs).toISOString().slice(0, 10));
  const trialEndsAt = `${day}${before.slice(10)}`;
  const isLater = day !== '' && trialEndsAt > before;
  const confirm = async () => {
    if (!(await action.run({ id: subscription.id, trialEndsAt }))) return;
    toast(t.extendTrialDone(format.date(trialEndsAt)));
    onDone();
  };
  return (
    <ConfirmAction
      title={t.extendTrial}
      label={isLater ? t.extendText(format.date(trialEndsAt)) : t.extendTrial}
      refused={isLater ? undefined : t.laterDay}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="soft">
        {t.extendNote(
          format.date(before),
          format.money(sumAmounts(subscription.items.map(({ agreedPrice }) => agreedPrice))),
        )}
      </p>
      <Field
        label={t.trialEnd}
        type="date"
        required
        autoFocus
        min={before.slice(0, 10)}
        value={day}
        {...findRefusal(action.problem, 'trialEndsAt')}
        onChange={({ target }) => setDay(target.value)}
      />
    </ConfirmAction>
  );
}

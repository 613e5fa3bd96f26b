import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Field } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import type { CustomerDialogProps } from './dialogProps.ts';
import { personTexts as texts } from './texts.ts';

const BlockMail = graphql(`
  mutation BlockMail($customerId: ID!, $reason: String!) {
    blockMail(id: $customerId, input: { reason: $reason }) {
      id
      mailBlockedAt
      mailBlockedReason
    }
  }
`);

/** Stops all mail to a customer, for a reason that operators read. */
export function BlockMailDialog({ customer, onClose, onDone }: CustomerDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(BlockMail);
  const { values, bind } = useForm({ reason: '' }, action.problem);
  const reason = values.reason.trim();
  const block = async () => {
    if (!(await action.run({ customerId: customer.id, reason }))) return;
    toast(t.blocked);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t.blockMailTitle(nameCustomer(customer))}
      label={t.blockMail}
      refused={reason ? undefined : t.reasonFirst}
      action={action}
      onConfirm={() => void block()}
      onClose={onClose}
    >
      <p>{t.blockMailText}</p>
      <Field label={t.blockReason} required autoFocus maxLength={500} {...bind('reason')} />
    </ConfirmAction>
  );
}

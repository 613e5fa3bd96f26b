import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { texts } from './texts.ts';

const CreateCustomerMutation = graphql(`
  mutation CreateCustomer($input: CreateCustomerInput!) {
    createCustomer(input: $input) {
      id
      email
    }
  }
`);

/** An id of an own system is proposed, for those who have none yet. */
const createInitial = () => ({
  firstName: '',
  lastName: '',
  email: '',
  associatedId: `user-${crypto.randomUUID().slice(0, 8)}`,
  companyName: '',
});

interface CreateCustomerProps {
  onClose: () => void;
  /** Whether the screen of the customer opens the dialog of a sale. */
  thenSell?: boolean;
}

/** The dialog that creates a customer, and leads to their screen. */
export function CreateCustomer({ onClose, thenSell = false }: CreateCustomerProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const [, navigate] = useLocation();
  const { run, busy, problem } = useAction(CreateCustomerMutation);
  const [initial] = useState(createInitial);
  const { values, bind } = useForm(initial, problem);
  const submit = async () => {
    const { companyName, ...others } = values;
    const done = await run({ input: { ...others, ...(companyName && { companyName }) } });
    if (!done?.createCustomer) return;
    toast(t.createdToast(done.createCustomer.email));
    navigate(`/customers/${done.createCustomer.id}${thenSell ? '?act=sell' : ''}`);
  };
  return (
    <FormDialog
      title={t.create}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={t.firstName} required autoFocus {...bind('firstName')} />
      <Field label={t.lastName} required {...bind('lastName')} />
      <Field label={t.companyName} hint={t.companyHint} {...bind('companyName')} />
      <Field label={t.email} inputMode="email" required {...bind('email')} />
      <Field label={t.associatedId} hint={t.associatedIdHint} required {...bind('associatedId')} />
    </FormDialog>
  );
}

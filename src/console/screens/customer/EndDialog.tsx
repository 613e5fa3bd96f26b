import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../data/action.tsx';
import { graphql, type ResultOf } from '../../data/graphql.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import type { CustomerDialogProps } from './dialogProps.ts';
import { personTexts as texts } from './texts.ts';

const Erase = graphql(`
  mutation EraseCustomer($id: ID!) {
    eraseCustomer(id: $id) {
      id
      retained {
        documents
        until
      }
    }
  }
`);

const Delete = graphql(`
  mutation DeleteCustomer($id: ID!) {
    deleteCustomer(id: $id) {
      id
    }
  }
`);

interface EndDialogProps extends CustomerDialogProps {
  name: 'erase' | 'delete';
}

/** Erases or deletes a customer, once the operator has typed their email address. */
export function EndDialog({ name, customer, onClose, onDone }: EndDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const [, navigate] = useLocation();
  const action = useAction<unknown, { id: string }>(name === 'erase' ? Erase : Delete);
  const [typed, setTyped] = useState('');
  const { id, email } = customer;
  const isTyped = typed.trim().toLowerCase() === email.toLowerCase();
  const sayErased = ({ eraseCustomer }: ResultOf<typeof Erase>) => {
    const retained = eraseCustomer?.retained;
    if (!retained) return t.erasedToast;
    return t.retainedToast(format.number(retained.documents), format.date(retained.until));
  };
  const end = async () => {
    const done = await action.run({ id });
    if (!done) return;
    toast(name === 'erase' ? sayErased(done as ResultOf<typeof Erase>) : t.deletedToast);
    if (name === 'delete') return navigate('/customers');
    onDone();
    return onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t[`${name}Title`](nameCustomer(customer))}
      label={t[name]}
      refused={isTyped ? undefined : t.typeFirst}
      action={action}
      onConfirm={() => void end()}
      onClose={onClose}
    >
      <Note tone="bad">{t[`${name}Text`]}</Note>
      <Field
        label={t.typeEmail(email)}
        dir="ltr"
        required
        autoFocus
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </ConfirmAction>
  );
}

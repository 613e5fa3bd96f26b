import { useState } from 'react';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { parseAmount } from '../../billing/parseAmount.ts';
import { useAction } from '../../data/action.tsx';
import { useClock } from '../../data/clock.tsx';
import { graphql } from '../../data/graphql.ts';
import { Field } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { writeDecimal } from '../../texts/numbers.ts';
import { findRefusal } from '../../texts/problems.ts';
import type { InvoiceDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';

const Record = graphql(`
  mutation RecordPayment($id: ID!, $amount: MoneyInput, $reference: String!, $receivedAt: DateTime) {
    recordPayment(id: $id, input: { amount: $amount, reference: $reference, receivedAt: $receivedAt }) {
      id
      status
      paidAt
    }
  }
`);

/** Records money that came by bank transfer or in cash. */
export function RecordDialog({ invoice, onClose, onDone }: InvoiceDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const action = useAction(Record);
  const today = new Date(useClock()).toISOString().slice(0, 10);
  const [text, setText] = useState(writeDecimal(invoice.amountDue.decimal));
  const [reference, setReference] = useState('');
  const [day, setDay] = useState(today);
  const amount = parseAmount(text, invoice.amountDue);
  const written = amount ? format.money(amount) : '…';
  const confirm = async () => {
    const receivedAt = day && day !== today ? `${day}T00:00:00.000Z` : undefined;
    const variables = { id: invoice.id, reference, ...(receivedAt && { receivedAt }) };
    if (!amount || !(await action.run({ ...variables, amount }))) return;
    toast(t.recordedToast(written));
    onDone();
  };
  return (
    <ConfirmAction
      title={t.recordPayment}
      label={t.recordText(written)}
      refused={amount ? (reference ? undefined : t.referenceNeeded) : t.amountNeeded}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="soft">{t.recordNote}</p>
      <Field
        label={t.amountIn(invoice.amountDue.currency.toUpperCase())}
        inputMode="decimal"
        required
        value={text}
        {...findRefusal(action.problem, 'amount')}
        onChange={({ target }) => setText(target.value)}
      />
      <Field
        label={t.bankReference}
        hint={t.bankReferenceHint}
        required
        autoFocus
        value={reference}
        {...findRefusal(action.problem, 'reference')}
        onChange={({ target }) => setReference(target.value)}
      />
      <Field
        label={t.receivedOn}
        type="date"
        max={today}
        value={day}
        {...findRefusal(action.problem, 'receivedAt')}
        onChange={({ target }) => setDay(target.value)}
      />
    </ConfirmAction>
  );
}

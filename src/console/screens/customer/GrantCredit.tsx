import { useState } from 'react';
import { CurrencyField } from '../../billing/CurrencyField.tsx';
import { useDefaultCurrency } from '../../billing/currencies.ts';
import { isDecimal, readDecimal } from '../../texts/numbers.ts';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal } from '../../texts/problems.ts';
import type { CustomerDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';

const GrantCreditMutation = graphql(`
  mutation GrantCredit($customerId: ID!, $amount: MoneyInput!, $reason: String!) {
    grantCredit(input: { customerId: $customerId, amount: $amount, reason: $reason }) {
      id
    }
  }
`);

/** The dialog that grants a credit. Its button says the amount. */
export function GrantCredit({ customer, onClose, onDone }: CustomerDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const { run, busy, problem } = useAction(GrantCreditMutation);
  const standard = useDefaultCurrency();
  const known = customer.balance[0] ?? customer.subscriptions?.nodes[0]?.agreedPrice;
  const [typed, setTyped] = useState('');
  const decimal = readDecimal(typed);
  const [currency, setCurrency] = useState(known?.currency ?? standard);
  const [reason, setReason] = useState('');
  const amount = isDecimal(decimal) ? format.money({ decimal, currency }) : '…';
  const submit = async () => {
    if (!(await run({ customerId: customer.id, amount: { decimal, currency }, reason }))) return;
    toast(t.grantedToast(amount));
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t.grantCredit}
      label={t.grantText(amount)}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p className="soft">{t.grantNote}</p>
      <Field
        label={t.amount}
        inputMode="decimal"
        required
        autoFocus
        value={typed}
        {...findRefusal(problem, 'amount')}
        onChange={({ target }) => setTyped(target.value)}
      />
      <CurrencyField
        label={t.currency}
        value={currency}
        {...findRefusal(problem, 'currency')}
        onChange={({ target }) => setCurrency(target.value)}
      />
      <Field
        label={t.reason}
        hint={t.reasonHint}
        required
        value={reason}
        {...findRefusal(problem, 'reason')}
        onChange={({ target }) => setReason(target.value)}
      />
    </FormDialog>
  );
}

import { useState } from 'react';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { fromMinor, toMinor } from '../../billing/arithmetic.ts';
import { parseAmount } from '../../billing/parseAmount.ts';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { Field } from '../../design/Field.tsx';
import { orNull } from '../../design/form.ts';
import { Facts } from '../../design/Page.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Money } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { writeDecimal } from '../../texts/numbers.ts';
import { findRefusal } from '../../texts/problems.ts';
import type { InvoiceDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';

const Refund = graphql(`
  mutation RefundInvoice($id: ID!, $amount: MoneyInput, $reason: String) {
    refundInvoice(id: $id, input: { amount: $amount, reason: $reason }) {
      id
      status
      refunded {
        decimal
        currency
      }
      refundable {
        decimal
        currency
      }
    }
  }
`);

/** Gives money back: shows what can be given back before and after. */
export function RefundDialog({ invoice, onClose, onDone }: InvoiceDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const action = useAction(Refund);
  const { id, refundable, refunded } = invoice;
  const [text, setText] = useState(writeDecimal(refundable.decimal));
  const [reason, setReason] = useState('');
  const amount = parseAmount(text, refundable);
  const rest = amount && fromMinor(toMinor(refundable) - toMinor(amount), refundable);
  const isTooMuch = rest !== undefined && toMinor(rest) < 0n;
  const written = amount ? format.money(amount) : '…';
  const confirm = async () => {
    if (!amount || !(await action.run({ id, amount, reason: orNull(reason) }))) return;
    toast(t.refundedToast(written));
    onDone();
  };
  const tooMuch = isTooMuch ? t.tooMuch(format.money(refundable)) : undefined;
  return (
    <ConfirmAction
      title={t.refundTitle(invoice.documentNumber ?? '')}
      label={t.refundText(written)}
      refused={amount ? tooMuch : t.amountNeeded}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="soft">{t.refundNote}</p>
      <Field
        label={t.amountIn(refundable.currency.toUpperCase())}
        inputMode="decimal"
        required
        autoFocus
        value={text}
        {...findRefusal(action.problem, 'amount')}
        {...(tooMuch !== undefined && { problem: tooMuch })}
        onChange={({ target }) => setText(target.value)}
      />
      <Field
        label={t.reason}
        hint={t.reasonHint}
        value={reason}
        maxLength={200}
        {...findRefusal(action.problem, 'reason')}
        onChange={({ target }) => setReason(target.value)}
      />
      <Facts
        facts={[
          [t.refundedBefore, <Money amount={refunded} />],
          [t.refundableAfter, <Money amount={isTooMuch ? undefined : rest} />],
        ]}
      />
    </ConfirmAction>
  );
}

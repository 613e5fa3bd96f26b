import type { ReactNode } from 'react';
import { isPositive } from '../../billing/arithmetic.ts';
import { SendEInvoice } from '../../billing/EInvoice.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { CreditDialog } from './CreditDialog.tsx';
import type { InvoiceDialogProps } from './dialogProps.ts';
import type { InvoiceActionName } from './InvoiceActions.tsx';
import { RecordDialog } from './RecordDialog.tsx';
import { RefundDialog } from './RefundDialog.tsx';
import { SendDialog } from './SendDialog.tsx';
import { texts } from './texts.ts';

const Finalize = graphql(`
  mutation FinalizeInvoice($id: ID!) {
    finalizeInvoice(id: $id) {
      id
      status
      documentNumber
    }
  }
`);

const Pay = graphql(`
  mutation PayInvoice($id: ID!) {
    payInvoice(id: $id) {
      id
      status
      paidAt
    }
  }
`);

const Void = graphql(`
  mutation VoidInvoice($id: ID!) {
    voidInvoice(id: $id) {
      id
      status
    }
  }
`);

const WriteOff = graphql(`
  mutation MarkInvoiceUncollectible($id: ID!) {
    markInvoiceUncollectible(id: $id) {
      id
      status
    }
  }
`);

/** The dialog of an action on an invoice. */
export function InvoiceDialog({ name, ...props }: InvoiceDialogProps & { name: InvoiceActionName }) {
  const t = useTexts(texts);
  const format = useFormat();
  const { id, amountDue, total, documentNumber } = props.invoice;
  const title = documentNumber ?? t.invoice;
  const due = format.money(amountDue);
  if (name === 'refund') return <RefundDialog {...props} />;
  if (name === 'credit') return <CreditDialog {...props} />;
  if (name === 'send') return <SendDialog {...props} />;
  if (name === 'sendEInvoice') return <SendEInvoice {...props} id={id} />;
  if (name === 'record') return <RecordDialog {...props} />;
  if (name === 'pay')
    return (
      <Simple
        {...props}
        mutation={Pay}
        id={id}
        title={title}
        label={t.chargeNow(due)}
        done={t.charged(due)}
        unpaid={t.notPaidYet}
      >
        {t.chargeText(due)}
      </Simple>
    );
  if (name === 'writeOff')
    return (
      <Simple
        {...props}
        mutation={WriteOff}
        id={id}
        title={title}
        label={t.writeOffText(due)}
        done={t.writtenOff}
      >
        {t.writeOffNote}
      </Simple>
    );
  if (name === 'void')
    return (
      <Simple {...props} danger mutation={Void} id={id} title={title} label={t.voidText(due)} done={t.voided}>
        {t.voidNote}
      </Simple>
    );
  const amount = format.money(total);
  return (
    <Simple
      {...props}
      mutation={Finalize}
      id={id}
      title={t.finalize}
      label={t.finalizeText(amount)}
      done={t.finalized}
      paid={isPositive(total) ? t.charged(amount) : undefined}
    >
      {t.finalizeNote}
    </Simple>
  );
}

interface SimpleProps extends InvoiceDialogProps {
  id: string;
  title: string;
  label: string;
  danger?: boolean;
  mutation: typeof Finalize | typeof Pay | typeof WriteOff | typeof Void;
  done: string;
  /** Said instead of `done` if the invoice is paid now, or is not. */
  paid?: string | undefined;
  unpaid?: string;
  children: ReactNode;
}

type Outcome = Record<string, { status: string } | null>;

/** A dialog without fields. */
function Simple({
  id,
  title,
  label,
  danger,
  mutation,
  done,
  paid,
  unpaid,
  children,
  onClose,
  onDone,
}: SimpleProps) {
  const toast = useToast();
  const action = useAction<Outcome, { id: string }>(mutation);
  const confirm = async () => {
    const outcome = await action.run({ id });
    if (!outcome) return;
    const status = Object.values(outcome)[0]?.status;
    toast((status === 'paid' ? paid : unpaid) ?? done);
    onDone();
  };
  return (
    <ConfirmAction
      {...{ title, label, action, onClose }}
      {...(danger && { danger })}
      onConfirm={() => void confirm()}
    >
      <p>{children}</p>
    </ConfirmAction>
  );
}

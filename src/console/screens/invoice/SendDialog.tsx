import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { InvoiceDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';

const Send = graphql(`
  mutation SendInvoice($id: ID!) {
    sendInvoice(id: $id) {
      id
      status
      recipient
    }
  }
`);

/** Sends the invoice to its customer by mail, also again. */
export function SendDialog({ invoice, onClose, onDone }: InvoiceDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(Send);
  const { id, customer, status } = invoice;
  const send = async () => {
    const mail = (await action.run({ id }))?.sendInvoice;
    if (!mail) return;
    // The list of the mails says why, such as without a mail server.
    toast(mail.status === 'cancelled' ? t.cancelled : t.sentTo(mail.recipient));
    onDone();
  };
  return (
    <ConfirmAction
      title={t.send}
      label={t.sendTo(customer?.email ?? '')}
      action={action}
      onClose={onClose}
      onConfirm={() => void send()}
    >
      <p>{status === 'paid' ? t.sendPaidNote : t.sendNote}</p>
    </ConfirmAction>
  );
}

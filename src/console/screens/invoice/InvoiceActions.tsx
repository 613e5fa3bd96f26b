import { useRefusal } from '../../app/permissions.ts';
import { isPositive } from '../../billing/arithmetic.ts';
import { Button } from '../../design/Button.tsx';
import { Menu, type MenuEntry } from '../../design/Menu.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { InvoiceData } from './query.ts';
import { texts } from './texts.ts';
import { texts as billingTexts } from '../../billing/texts.ts';

export type InvoiceActionName =
  'finalize' | 'send' | 'sendEInvoice' | 'pay' | 'record' | 'refund' | 'credit' | 'writeOff' | 'void';

interface InvoiceActionsProps {
  invoice: InvoiceData;
  onChoose: (name: InvoiceActionName) => void;
}

/** What can be done with an invoice in its status: the likeliest as a button, the others in a menu. */
export function InvoiceActions({ invoice, onChoose }: InvoiceActionsProps) {
  const t = useTexts(texts);
  const { eInvoice } = useTexts(billingTexts);
  const format = useFormat();
  const manage = useRefusal('manage_invoices');
  const refund = useRefusal('refund');
  const credit = useRefusal('credit');
  const { status, amountDue, refundable, credited, total, collection, billingReason } = invoice;
  const { customer, subscription, documentNumber } = invoice;
  const isManual = collection === 'send_invoice';
  const canCredit = (status === 'open' || status === 'paid') && credited.decimal !== total.decimal;
  const entry = (name: InvoiceActionName, label: string, refused: string | undefined): MenuEntry => ({
    label,
    refused,
    danger: name === 'void',
    onSelect: () => onChoose(name),
  });
  const due = format.money(amountDue);
  const isAlone = ['one_off', 'subscription_end', 'usage_threshold'].includes(billingReason);
  // What a subscription owes is charged to its method alone.
  const hasMethod =
    Boolean(subscription?.paymentMethod) || (isAlone && Boolean(customer?.paymentMethods?.nodes.length));
  const isSent = documentNumber !== null && (status === 'open' || status === 'paid');
  const hasEInvoice = invoice.eInvoiceDelivery !== null || Boolean(customer?.documentFormat);
  const isOwed = status === 'open' || (status === 'uncollectible' && isAlone);
  const all: [boolean, InvoiceActionName, string, string | undefined][] = [
    [status === 'draft', 'finalize', t.finalize, manage],
    [isOwed && isManual, 'record', t.recordPayment, manage],
    [isOwed && hasMethod && isPositive(amountDue), 'pay', t.chargeNow(due), manage],
    [isOwed && !isManual, 'record', t.recordPayment, manage],
    [status === 'paid' && isPositive(refundable), 'refund', t.refund, refund],
    [canCredit, 'credit', t.creditNote, credit],
    [isSent, 'send', t.send, manage],
    [documentNumber !== null && hasEInvoice, 'sendEInvoice', eInvoice.sendEInvoice, manage],
    [status === 'open' && isAlone, 'writeOff', t.writeOff, manage],
    [isOwed || status === 'draft', 'void', t.voidInvoice, manage],
  ];
  const [first, ...others] = all.filter(([fits]) => fits);
  if (!first) return null;
  return (
    <>
      <Button
        look={status === 'paid' ? 'plain' : 'main'}
        refused={first[3]}
        onClick={() => onChoose(first[1])}
      >
        {first[2]}
      </Button>
      {others.length > 0 && (
        <Menu
          icon="more"
          aria-label={t.moreActions}
          entries={others.map(([, name, label, refused]) => entry(name, label, refused))}
        />
      )}
    </>
  );
}

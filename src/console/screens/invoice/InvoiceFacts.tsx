import { isPositive } from '../../billing/arithmetic.ts';
import { MetadataFacts } from '../../billing/Metadata.tsx';
import { PayLink } from '../../billing/PayLink.tsx';
import { Facts, Figure } from '../../design/Page.tsx';
import { Id, Money, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { InvoiceData } from './query.ts';
import { texts } from './texts.ts';

/** The column beside an invoice: what is owed or was paid, the dates, and what can be given back. */
export function InvoiceFacts({ invoice }: { invoice: InvoiceData }) {
  const t = useTexts(texts);
  const { status, amountDue, total, refundable, customer } = invoice;
  const isOpen = status === 'open';
  return (
    <>
      <Figure name={isOpen ? t.due : t.total}>
        <Money amount={isOpen ? amountDue : total} />
      </Figure>
      <Facts
        facts={[
          [t.collection, t[invoice.collection]],
          [t.dueAt, invoice.dueAt ? <When at={invoice.dueAt} /> : undefined],
          [t.issued, invoice.issuedAt ? <When at={invoice.issuedAt} /> : undefined],
          [t.paid, invoice.paidAt ? <When at={invoice.paidAt} as="time" /> : undefined],
          [t.refundable, isPositive(refundable) ? <Money amount={refundable} /> : undefined],
          [t.payLink, isOpen && customer ? <PayLink customerId={customer.id} /> : undefined],
          [t.reference, isOpen ? <Id id={invoice.paymentReference} /> : undefined],
          [t.email, customer ? <a href={`mailto:${customer.email}`}>{customer.email}</a> : undefined],
          [t.id, <Id id={invoice.id} />],
          [t.created, <When at={invoice.createdAt} />],
        ]}
      />
      <MetadataFacts of="invoice" record={invoice} />
    </>
  );
}

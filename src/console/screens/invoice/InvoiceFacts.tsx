import { Link } from 'wouter';
import { isPositive } from '../../billing/arithmetic.ts';
import { useEInvoiceFacts } from '../../billing/EInvoice.tsx';
import { useEvidenceFact } from '../../billing/LocationEvidence.tsx';
import { MetadataFacts } from '../../billing/Metadata.tsx';
import { PayLink } from '../../billing/PayLink.tsx';
import { Facts, Figure } from '../../design/Page.tsx';
import { Id, Money, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { InvoiceData } from './query.ts';
import { texts } from './texts.ts';

/** The column beside an invoice: what is owed or was paid, the dates, and what can be given back. */
export function InvoiceFacts({ invoice }: { invoice: InvoiceData }) {
  const t = useTexts(texts);
  const { status, amountDue, total, refundable, customer } = invoice;
  const isOpen = status === 'open';
  const eInvoice = useEInvoiceFacts(invoice.eInvoiceDelivery);
  const evidence = useEvidenceFact(invoice.locationEvidence);
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
          ...eInvoice,
          [t.refundable, isPositive(refundable) ? <Money amount={refundable} /> : undefined],
          evidence,
          [t.homeTax, invoice.taxInHomeCurrency ? <HomeTax tax={invoice.taxInHomeCurrency} /> : undefined],
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

/** The tax in the seller's currency with the rates that convert it, or that a rate is missing. */
function HomeTax({ tax }: { tax: NonNullable<InvoiceData['taxInHomeCurrency']> }) {
  const t = useTexts(texts);
  const format = useFormat();
  const writeDay = (day: string) => format.date(`${day}T12:00:00Z`);
  const { amount, rates, rateDate, currency, taxDay } = tax;
  if (!amount || !rateDate)
    return <Link href="/settings/taxes">{t.noRate(writeDay(taxDay), currency.toUpperCase())}</Link>;
  const worth = rates.map(
    (each) =>
      `${format.number(Number(each.rate), { maximumFractionDigits: 12 })} ${each.currency.toUpperCase()}`,
  );
  return (
    <>
      <Money amount={amount} />
      <br />
      <span className="soft">{t.rate(['1 EUR', ...worth].join(' = '), writeDay(rateDate))}</span>
    </>
  );
}

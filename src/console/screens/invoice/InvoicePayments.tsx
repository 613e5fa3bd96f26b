import { MetadataButton } from '../../billing/Metadata.tsx';
import { texts as billingTexts } from '../../billing/texts.ts';
import { useFailureWords } from '../../billing/failures.ts';
import { Section } from '../../design/Page.tsx';
import { Status, type Tone } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { Money, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { InvoiceData } from './query.ts';
import { texts } from './texts.ts';

type Payment = InvoiceData['payments'][number];

const tones: Record<string, Tone> = {
  succeeded: 'good',
  failed: 'bad',
  pending: 'waiting',
  needs_response: 'late',
  inquiry: 'late',
  under_review: 'waiting',
  inquiry_closed: 'good',
  won: 'good',
  lost: 'bad',
};

/** The charges, refunds and disputes of an invoice, newest first. */
export function InvoicePayments({ invoice: { payments } }: { invoice: InvoiceData }) {
  const t = useTexts(texts);
  const billing = useTexts(billingTexts);
  const kinds = { charge: t.charge, refund: t.refundKind, dispute: t.disputeKind };
  return (
    <Section title={t.payments}>
      <Table
        caption={t.payments}
        rows={payments.toReversed()}
        rowKey={({ id }) => id}
        empty={t.noPayments}
        columns={[
          { header: t.date, cell: ({ createdAt }) => <When at={createdAt} as="time" /> },
          { header: t.kind, cell: ({ kind }) => kinds[kind] },
          { header: t.status, cell: (payment) => <PaymentStatus payment={payment} /> },
          { header: t.provider, cell: ({ provider }) => provider },
          { header: t.amount, align: 'end', cell: ({ amount }) => <Money amount={amount} /> },
          {
            header: billing.metadata,
            align: 'end',
            cell: (payment) => <MetadataButton of="payment" record={payment} />,
          },
        ]}
      />
    </Section>
  );
}

function PaymentStatus({ payment: { status, declineCode, failureReason, dispute } }: { payment: Payment }) {
  const t = useTexts(texts);
  const format = useFormat();
  const explain = useFailureWords();
  const shown = dispute?.status ?? status;
  const isOpen = shown === 'needs_response' || shown === 'inquiry';
  const notes = [
    failureReason && explain({ code: declineCode, reason: failureReason }),
    dispute?.reason,
    isOpen && dispute?.evidenceDueAt && t.evidenceUntil(format.dateTime(dispute.evidenceDueAt)),
  ].filter(Boolean);
  return (
    <>
      <Status tone={tones[shown] ?? 'neutral'}>{t[shown]}</Status>
      {notes.length > 0 && <small className="soft"> {notes.join(' · ')}</small>}
    </>
  );
}

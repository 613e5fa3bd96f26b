import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useFailureWords } from '../../billing/failures.ts';
import type { TraceData } from '../../data/fragments.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { ProblemNote, Skeleton } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Status, type Tone } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { Timeline } from '../../design/Timeline.tsx';
import { Money, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { InvoiceHistoryQuery, type InvoiceData, type MailData, type PaymentData } from './query.ts';
import { texts } from './texts.ts';

/** The payments of an invoice, the mails about it, and what happened to it. */
export function InvoiceHistory({ invoice: { id, customerId, createdAt } }: { invoice: InvoiceData }) {
  const t = useTexts(texts);
  const [after, setAfter] = useState<string>();
  const follows = { ids: [id, customerId] };
  const { data, problem } = useScreenQuery(InvoiceHistoryQuery, { id, customerId, after }, follows);
  const { nodes = [], pageInfo } = data?.customer?.timeline ?? {};
  const oldest = nodes.at(-1)?.createdAt;
  const next = pageInfo?.hasNextPage ? pageInfo.endCursor : undefined;
  // The history is that of the customer: it is followed back to the day of the invoice.
  useEffect(() => {
    if (next && oldest && oldest >= createdAt) setAfter(next);
  }, [next, oldest, createdAt]);
  if (problem) return <ProblemNote problem={problem} />;
  if (!data) return <Skeleton lines={4} />;
  const traces = nodes.filter((trace) => isAbout(trace, id));
  const { payments = [], mails = [] } = data.invoice ?? {};
  return (
    <>
      <Payments payments={payments} />
      {mails.length > 0 && <Mails mails={mails} />}
      {traces.length > 0 && (
        <Section title={t.history}>
          <Timeline entries={traces} />
        </Section>
      )}
    </>
  );
}

function isAbout({ event, payload }: TraceData, id: string): boolean {
  const object = payload['object'] as Record<string, unknown> | undefined;
  return event.resourceId === id || object?.['invoiceId'] === id;
}

const paymentTones: Record<string, Tone> = { succeeded: 'good', failed: 'bad', pending: 'waiting' };

function Payments({ payments }: { payments: PaymentData[] }) {
  const t = useTexts(texts);
  const explain = useFailureWords();
  const words = t as unknown as Record<string, string>;
  return (
    <Section title={t.payments}>
      <Table
        caption={t.payments}
        rows={payments}
        rowKey={({ id }) => id}
        empty={t.noPayments}
        columns={[
          { header: t.date, cell: ({ createdAt }) => <When at={createdAt} as="time" /> },
          { header: t.kind, cell: ({ kind }) => (kind === 'refund' ? t.refundKind : t.charge) },
          {
            header: t.status,
            cell: ({ status, failureReason }) => (
              <>
                <Status tone={paymentTones[status] ?? 'neutral'}>{words[status] ?? status}</Status>
                {failureReason && <small className="soft"> {explain(failureReason)}</small>}
              </>
            ),
          },
          { header: t.provider, cell: ({ provider }) => provider },
          { header: t.amount, align: 'end', cell: ({ amount }) => <Money amount={amount} /> },
        ]}
      />
    </Section>
  );
}

function Mails({ mails }: { mails: MailData[] }) {
  const t = useTexts(texts);
  return (
    <Section title={t.mails}>
      <Table
        caption={t.mails}
        rows={mails}
        rowKey={({ id }) => id}
        columns={[
          {
            header: t.subject,
            cell: ({ id, subject, kind }) => <Link href={`/mails/${id}`}>{subject ?? kind}</Link>,
          },
          { header: t.recipient, cell: ({ recipient }) => recipient },
          { header: t.status, cell: ({ status }) => status },
          { header: t.date, align: 'end', cell: ({ createdAt }) => <When at={createdAt} as="time" /> },
        ]}
      />
    </Section>
  );
}

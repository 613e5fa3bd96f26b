import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { TraceData } from '../../data/fragments.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { ProblemNote, Skeleton } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { Timeline } from '../../design/Timeline.tsx';
import { isolate, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { mailTones } from '../../texts/mails.ts';
import { InvoiceHistoryQuery, type InvoiceData, type MailData } from './query.ts';
import { texts } from './texts.ts';
import { mailTexts } from '../../texts/texts.ts';

/** The mails about an invoice, and what happened to it. */
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
  const { mails = [] } = data.invoice ?? {};
  return (
    <>
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

function Mails({ mails }: { mails: MailData[] }) {
  const t = useTexts(texts);
  const words = useTexts(mailTexts);
  return (
    <Section title={t.mails}>
      <Table
        caption={t.mails}
        rows={mails}
        rowKey={({ id }) => id}
        columns={[
          {
            header: t.subject,
            cell: ({ id, subject, kind }) => (
              <Link href={`/mails/${id}`}>{isolate(subject ?? words[kind])}</Link>
            ),
          },
          { header: t.recipient, cell: ({ recipient }) => <bdi>{recipient}</bdi> },
          {
            header: t.status,
            cell: ({ status }) => <Status tone={mailTones[status]}>{words[status]}</Status>,
          },
          { header: t.date, align: 'end', cell: ({ createdAt }) => <When at={createdAt} as="time" /> },
        ]}
      />
    </Section>
  );
}

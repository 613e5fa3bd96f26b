import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { Page } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { mailKinds, mailTones } from '../../texts/mails.ts';
import { MailsQuery, type MailRow } from './query.ts';
import { texts } from './texts.ts';
import { mailTexts } from '../../texts/texts.ts';

const statuses = ['pending', 'sent', 'failed', 'bounced', 'cancelled'] as const;

/** The list of mails to customers. */
export function Screen() {
  const t = useTexts(texts);
  const words = useTexts(mailTexts);
  const columns: Column<MailRow>[] = [
    { id: 'kind', header: t.kind, cell: ({ kind }) => words[kind], csv: ({ kind }) => kind, width: 180 },
    {
      id: 'recipient',
      header: t.recipient,
      cell: ({ recipient }) => <bdi>{recipient}</bdi>,
      csv: ({ recipient }) => recipient,
      width: 220,
    },
    {
      id: 'subject',
      header: t.subject,
      cell: ({ subject }) => subject ?? <Nothing />,
      csv: ({ subject }) => subject,
      width: 300,
    },
    {
      id: 'status',
      header: t.status,
      cell: ({ status }) => <Status tone={mailTones[status]}>{words[status]}</Status>,
      csv: ({ status }) => status,
      width: 140,
    },
    {
      id: 'created',
      header: t.created,
      align: 'end',
      cell: ({ createdAt }) => <When at={createdAt} as="time" />,
      csv: ({ createdAt }) => createdAt,
      width: 200,
    },
  ];
  return (
    <Page title={t.title} layout="list" request={{ document: MailsQuery, variables: { first: 50 } }}>
      <DataTable
        name="mails"
        caption={t.title}
        document={MailsQuery}
        connection={(data) => data.mailDeliveries}
        columns={columns}
        filters={[
          {
            name: 'kind',
            label: t.kind,
            choices: mailKinds.map((value) => ({ value, label: words[value] })),
          },
          {
            name: 'status',
            label: t.status,
            choices: statuses.map((value) => ({ value, label: words[value] })),
          },
        ]}
        href={({ id }) => `/mails/${id}`}
        empty={<Empty title={t.empty}>{t.emptyText}</Empty>}
      />
    </Page>
  );
}

import { useActionWords } from '../../billing/actions.ts';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { Page } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ApprovalsQuery, type ApprovalRow } from './query.ts';
import { texts } from './texts.ts';

const statuses = ['pending', 'approved', 'declined', 'withdrawn', 'expired', 'failed'] as const;

/** The requests for actions. */
export function Screen() {
  const t = useTexts(texts);
  const { describeStatus } = useActionWords();
  const columns = useColumns();
  const filter = {
    name: 'status',
    label: t.status,
    choices: statuses.map((value) => ({ value, label: describeStatus(value).name })),
    parse: (text: string) => text,
  };
  return (
    <Page title={t.title} layout="list" request={{ document: ApprovalsQuery, variables: { first: 50 } }}>
      <DataTable
        name="approvals"
        caption={t.title}
        document={ApprovalsQuery}
        connection={(data) => data.actionRequests}
        columns={columns}
        filters={[filter]}
        href={({ id }) => `/approvals/${id}`}
        follows={{ types: ['ActionRequestEvent'] }}
        empty={<Empty title={t.empty}>{t.emptyText}</Empty>}
      />
    </Page>
  );
}

const nameCustomer = ({ customer }: ApprovalRow): string =>
  customer ? `${customer.firstName} ${customer.lastName}` : '';

function useColumns(): Column<ApprovalRow>[] {
  const t = useTexts(texts);
  const { writeOperation, writeKind, writeAmount, describeStatus } = useActionWords();
  const writeAmounts = ({ preview }: ApprovalRow): string =>
    preview.amounts.map((each) => `${writeKind(each.kind)}: ${writeAmount(each)}`).join(', ');
  const nameAsker = ({ requestedByName, requestedBy }: ApprovalRow): string => requestedByName ?? requestedBy;
  return [
    {
      id: 'operation',
      header: t.operation,
      cell: ({ operation }) => writeOperation(operation),
      csv: ({ operation }) => operation,
      width: 220,
    },
    {
      id: 'amounts',
      header: t.amounts,
      cell: (row) => writeAmounts(row) || <Nothing />,
      csv: writeAmounts,
      width: 260,
    },
    {
      id: 'customer',
      header: t.customer,
      cell: (row) => nameCustomer(row) || <Nothing />,
      csv: nameCustomer,
      width: 180,
    },
    { id: 'asker', header: t.asker, cell: nameAsker, csv: ({ requestedBy }) => requestedBy, width: 180 },
    {
      id: 'status',
      header: t.status,
      cell: ({ status }) => {
        const { tone, name } = describeStatus(status);
        return <Status tone={tone}>{name}</Status>;
      },
      csv: ({ status }) => status,
      width: 130,
    },
    {
      id: 'requested',
      header: t.requested,
      align: 'end',
      cell: ({ requestedAt }) => <When at={requestedAt} />,
      csv: ({ requestedAt }) => requestedAt,
      width: 145,
    },
  ];
}

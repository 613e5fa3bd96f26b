import { currencyColumn, customerColumn, idColumn } from '../../billing/columns.tsx';
import { useFailureWords } from '../../billing/failures.ts';
import { useListFilters } from '../../billing/listFilters.ts';
import { texts as billingTexts } from '../../billing/texts.ts';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { searchFilter, type Filter } from '../../design/filters.tsx';
import { Status, type Tone } from '../../design/Status.tsx';
import { Money, Nothing, When } from '../../design/Values.tsx';
import type { Follows } from '../../data/query.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { DisputesQuery, PaymentsQuery, type PaymentRow } from './listQuery.ts';

const kinds = ['charge', 'refund', 'dispute'] as const;
const statuses = ['succeeded', 'failed', 'pending'] as const;
const disputeStatuses = [
  'needs_response',
  'under_review',
  'inquiry',
  'inquiry_closed',
  'won',
  'lost',
] as const;

const tones: Record<string, Tone> = {
  succeeded: 'good',
  won: 'good',
  failed: 'bad',
  lost: 'bad',
  needs_response: 'late',
};

/** All payments, the refunds, or the disputes. */
export function PaymentList({ of }: { of: 'all' | 'refunds' | 'disputes' }) {
  const t = useTexts(billingTexts);
  const words = t.lists;
  const { customer, dates, currency, amounts } = useListFilters();
  const columns = usePaymentColumns(of);
  const label = (value: keyof typeof words) => words[value] as string;
  const status = (of === 'disputes' ? disputeStatuses : statuses).map((value) => ({
    value,
    label: value === 'failed' ? t.failed : label(value),
  }));
  const filters: Filter[] = [
    searchFilter(t.search),
    ...(of === 'all'
      ? [{ name: 'kind', label: t.kind, choices: kinds.map((value) => ({ value, label: label(value) })) }]
      : []),
    { name: 'status', label: t.status, choices: status },
    ...(of === 'all'
      ? [
          {
            name: 'declineCode',
            label: words.declineCode,
            choices: Object.entries(t.failures).map(([value, text]) => ({ value, label: text })),
          },
        ]
      : []),
    customer,
    currency,
    ...amounts,
    ...dates,
  ];
  const shared = {
    columns,
    filters,
    href: ({ customerId, invoiceId }: PaymentRow) =>
      invoiceId ? `/invoices/${invoiceId}` : `/customers/${customerId}`,
    follows: { types: ['PaymentEvent'] } as Follows,
    empty: <Empty title={words.noPayments}>{words.noPaymentsText}</Empty>,
  };
  if (of === 'disputes')
    return (
      <DataTable
        name="disputes"
        caption={words.disputes}
        document={DisputesQuery}
        connection={(data) => data.disputes}
        {...shared}
      />
    );
  return (
    <DataTable
      name={of === 'refunds' ? 'refunds' : 'payments'}
      caption={of === 'refunds' ? words.refunds : words.allPayments}
      document={PaymentsQuery}
      connection={(data) => data.payments}
      variables={of === 'refunds' ? refundsAlone : undefined}
      {...shared}
    />
  );
}

const refundsAlone = { kind: 'refund' };

const readStatus = ({ status, dispute }: PaymentRow) => dispute?.status ?? status;

function usePaymentColumns(of: string): Column<PaymentRow>[] {
  const t = useTexts(billingTexts);
  const words = t.lists;
  const explain = useFailureWords();
  const nameInvoice = ({ invoice }: PaymentRow) =>
    invoice && (invoice.documentNumber ?? String(invoice.number));
  const nameStatus = (row: PaymentRow) => {
    const status = readStatus(row);
    return status === 'failed' ? t.failed : words[status];
  };
  const nameFailure = ({ declineCode: code, failureReason, dispute }: PaymentRow) =>
    failureReason ? explain({ code, reason: failureReason }) : (dispute?.reason ?? '').replaceAll('_', ' ');
  return [
    customerColumn(t.customer, ({ customer }) => nameCustomer(customer)),
    {
      id: 'kind',
      header: t.kind,
      cell: ({ kind }) => words[kind],
      csv: ({ kind }) => kind,
      width: 95,
      hidden: of !== 'all',
    },
    {
      id: 'status',
      header: t.status,
      cell: (row) => <Status tone={tones[readStatus(row)] ?? 'waiting'}>{nameStatus(row)}</Status>,
      csv: readStatus,
      width: 140,
    },
    {
      id: 'reason',
      header: t.reason,
      cell: (row) => nameFailure(row) || <Nothing />,
      csv: ({ declineCode, failureReason, dispute }) => declineCode ?? failureReason ?? dispute?.reason,
      width: 155,
    },
    {
      id: 'invoice',
      header: t.invoice,
      cell: (row) => nameInvoice(row) ?? <Nothing />,
      csv: nameInvoice,
      width: 145,
    },
    {
      id: 'amount',
      header: t.amount,
      align: 'end',
      cell: ({ amount }) => <Money amount={amount} />,
      csv: ({ amount }) => amount,
      width: 130,
    },
    {
      id: 'created',
      header: t.date,
      align: 'end',
      cell: ({ createdAt }) => <When at={createdAt} as="time" />,
      csv: ({ createdAt }) => createdAt,
      width: 200,
    },
    ...listHidden(t),
  ];
}

const listHidden = (t: (typeof billingTexts)['en']): Column<PaymentRow>[] => [
  currencyColumn(t.currency, ({ amount }) => amount.currency),
  {
    id: 'provider',
    header: t.lists.provider,
    cell: ({ provider }) => provider ?? <Nothing />,
    csv: ({ provider }) => provider,
    hidden: true,
    width: 120,
  },
  idColumn('customerId', t.customerId, ({ customerId }) => customerId),
  idColumn('invoiceId', t.lists.invoiceId, ({ invoiceId }) => invoiceId),
  idColumn('id', t.id, ({ id }) => id),
];

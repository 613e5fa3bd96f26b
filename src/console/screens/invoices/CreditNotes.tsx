import { currencyColumn, customerColumn, idColumn } from '../../billing/columns.tsx';
import { negate, sumAmounts } from '../../billing/arithmetic.ts';
import { useEInvoiceFilter } from '../../billing/EInvoice.tsx';
import { useListFilters } from '../../billing/listFilters.ts';
import { texts as billingTexts } from '../../billing/texts.ts';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { searchFilter, type Filter } from '../../design/filters.tsx';
import { Status } from '../../design/Status.tsx';
import { Money, Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { statusTexts } from '../../texts/texts.ts';
import { CreditNotesQuery, type CreditNoteRow } from './creditNotesQuery.ts';

/** The list of credit notes. */
export function CreditNotes() {
  const t = useTexts(billingTexts);
  const words = t.lists;
  const statuses = useTexts(statusTexts);
  const { customer, dates, currency, amounts } = useListFilters();
  const eInvoice = useEInvoiceFilter();
  const filters: Filter[] = [
    searchFilter(t.search),
    {
      name: 'kind',
      label: t.kind,
      choices: (['credit', 'refund'] as const).map((value) => ({ value, label: words[value] })),
    },
    {
      name: 'status',
      label: t.status,
      choices: [
        { value: 'issued', label: words.issued },
        { value: 'void', label: statuses.void },
      ],
    },
    eInvoice,
    customer,
    currency,
    ...amounts,
    ...dates,
  ];
  return (
    <DataTable
      name="credit-notes"
      caption={words.creditNotes}
      document={CreditNotesQuery}
      connection={(data) => data.creditNotes}
      columns={useColumns()}
      filters={filters}
      href={({ id }) => `/credit-notes/${id}`}
      follows={{ types: ['CreditNoteEvent'] }}
      empty={<Empty title={words.noCreditNotes}>{words.noCreditNotesText}</Empty>}
    />
  );
}

const computeNet = ({ total, tax }: CreditNoteRow) => sumAmounts([total, negate(tax)]);
const nameInvoice = ({ invoice }: CreditNoteRow) =>
  invoice && (invoice.documentNumber ?? String(invoice.number));
const readCustomer = ({ invoice }: CreditNoteRow) => nameCustomer(invoice?.customer);

function useColumns(): Column<CreditNoteRow>[] {
  const t = useTexts(billingTexts);
  const words = t.lists;
  const statuses = useTexts(statusTexts);
  return [
    {
      id: 'number',
      header: t.number,
      cell: ({ documentNumber }) => documentNumber,
      csv: ({ documentNumber }) => documentNumber,
      width: 150,
    },
    {
      id: 'kind',
      header: t.kind,
      cell: ({ kind }) => words[kind],
      csv: ({ kind }) => kind,
      width: 130,
    },
    {
      id: 'status',
      header: t.status,
      cell: ({ status }) => (
        <Status tone={status === 'void' ? 'neutral' : 'good'}>
          {status === 'void' ? statuses.void : words.issued}
        </Status>
      ),
      csv: ({ status }) => status,
      width: 120,
    },
    customerColumn(t.customer, readCustomer),
    {
      id: 'invoice',
      header: t.invoice,
      cell: (row) => nameInvoice(row) ?? <Nothing />,
      csv: nameInvoice,
      width: 150,
    },
    {
      id: 'total',
      header: t.total,
      align: 'end',
      cell: ({ total }) => <Money amount={total} />,
      csv: ({ total }) => total,
      width: 130,
    },
    {
      id: 'issued',
      header: t.date,
      align: 'end',
      cell: ({ issuedAt }) => <When at={issuedAt} />,
      csv: ({ issuedAt }) => issuedAt,
      width: 130,
    },
    ...listHidden(t),
  ];
}

const listHidden = (t: (typeof billingTexts)['en']): Column<CreditNoteRow>[] => [
  {
    id: 'net',
    header: t.net,
    align: 'end',
    cell: (row) => <Money amount={computeNet(row)} />,
    csv: computeNet,
    hidden: true,
    width: 110,
  },
  {
    id: 'tax',
    header: t.taxAmount,
    align: 'end',
    cell: ({ tax }) => <Money amount={tax} />,
    csv: ({ tax }) => tax,
    hidden: true,
    width: 110,
  },
  currencyColumn(t.currency, ({ total }) => total.currency),
  {
    id: 'reason',
    header: t.reason,
    cell: ({ reason }) => reason ?? <Nothing />,
    csv: ({ reason }) => reason,
    hidden: true,
  },
  idColumn('customerId', t.customerId, ({ customerId }) => customerId),
  idColumn('invoiceId', t.lists.invoiceId, ({ invoiceId }) => invoiceId),
  idColumn('id', t.id, ({ id }) => id),
];

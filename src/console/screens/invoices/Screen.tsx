import { currencyColumn, customerColumn, idColumn } from '../../billing/columns.tsx';
import { negate, sumAmounts } from '../../billing/arithmetic.ts';
import { useEInvoiceFilter } from '../../billing/EInvoice.tsx';
import { useEvidenceFilter } from '../../billing/LocationEvidence.tsx';
import { useListFilters } from '../../billing/listFilters.ts';
import { texts as billingTexts } from '../../billing/texts.ts';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { searchFilter, type Filter } from '../../design/filters.tsx';
import { Page } from '../../design/Page.tsx';
import { InvoiceStatus } from '../../design/RecordStatus.tsx';
import { Tabs, useTab, type Tab } from '../../design/Tabs.tsx';
import { Money, Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { statusTexts as statuses } from '../../texts/texts.ts';
import { CreditNotes } from './CreditNotes.tsx';
import { CreditNotesQuery } from './creditNotesQuery.ts';
import { InvoicesQuery, type InvoiceRow } from './query.ts';
import { texts } from './texts.ts';

const choices = ['draft', 'open', 'paid', 'uncollectible', 'void'] as const;

/** The lists of invoices and of credit notes. */
export function Screen() {
  const t = useTexts(texts);
  const { lists } = useTexts(billingTexts);
  const tabs: Tab[] = [
    { id: 'invoices', label: t.title },
    { id: 'credit-notes', label: lists.creditNotes },
  ];
  const isInvoices = useTab(tabs) === 'invoices';
  const document = isInvoices ? InvoicesQuery : CreditNotesQuery;
  return (
    <Page
      title={isInvoices ? t.title : lists.creditNotes}
      layout="list"
      request={{ document, variables: { first: 50 } }}
    >
      <Tabs tabs={tabs} label={t.title} isList />
      {isInvoices ? <Invoices /> : <CreditNotes />}
    </Page>
  );
}

function Invoices() {
  const t = useTexts(texts);
  const { customer, dates, currency, amounts } = useListFilters();
  const eInvoice = useEInvoiceFilter();
  const evidence = useEvidenceFilter();
  const words = useTexts(statuses);
  const columns = useColumns();
  const filters: Filter[] = [
    searchFilter(t.search),
    { name: 'status', label: t.status, choices: choices.map((value) => ({ value, label: words[value] })) },
    {
      name: 'overdue',
      label: words.overdue,
      choices: [{ value: 'true', label: t.onlyOverdue }],
      parse: () => true,
    },
    {
      name: 'collection',
      label: t.collection,
      choices: (['automatic', 'send_invoice'] as const).map((value) => ({ value, label: t[value] })),
    },
    eInvoice,
    evidence,
    customer,
    currency,
    ...amounts,
    ...dates,
  ];
  return (
    <DataTable
      name="invoices"
      caption={t.title}
      document={InvoicesQuery}
      connection={(data) => data.invoices}
      columns={columns}
      filters={filters}
      href={({ id }) => `/invoices/${id}`}
      follows={{ types: ['InvoiceEvent'] }}
      empty={<Empty title={t.empty}>{t.emptyText}</Empty>}
    />
  );
}

function useColumns(): Column<InvoiceRow>[] {
  const t = useTexts(texts);
  const nameInvoice = ({ documentNumber, number }: InvoiceRow) => documentNumber ?? t.draft(String(number));
  return [
    { id: 'number', header: t.number, cell: nameInvoice, csv: nameInvoice, width: 160 },
    {
      id: 'status',
      header: t.status,
      cell: ({ status, overdue }) => <InvoiceStatus status={status} overdue={overdue} />,
      csv: ({ status, overdue }) => (overdue ? 'overdue' : status),
      width: 130,
    },
    customerColumn(t.customer, ({ customer }) => nameCustomer(customer)),
    {
      id: 'reason',
      header: t.reason,
      cell: ({ billingReason }) => t[billingReason],
      csv: ({ billingReason }) => billingReason,
      width: 170,
    },
    {
      id: 'total',
      header: t.total,
      align: 'end',
      cell: ({ total }) => <Money amount={total} />,
      csv: ({ total }) => total,
      width: 120,
    },
    {
      id: 'due',
      header: t.due,
      align: 'end',
      cell: ({ status, amountDue }) => (status === 'open' ? <Money amount={amountDue} /> : <Nothing />),
      csv: ({ amountDue }) => amountDue,
      width: 120,
    },
    {
      id: 'created',
      header: t.date,
      align: 'end',
      cell: ({ issuedAt, createdAt }) => <When at={issuedAt ?? createdAt} />,
      csv: ({ issuedAt, createdAt }) => issuedAt ?? createdAt,
      width: 144,
    },
    ...listHidden(t),
  ];
}

const listHidden = (t: (typeof texts)['en']): Column<InvoiceRow>[] => [
  {
    id: 'net',
    header: t.net,
    align: 'end',
    cell: (row) => <Money amount={computeNet(row)} />,
    csv: (row) => computeNet(row),
    hidden: true,
    width: 110,
  },
  {
    id: 'tax',
    header: t.tax,
    align: 'end',
    cell: ({ tax }) => <Money amount={tax} />,
    csv: ({ tax }) => tax,
    hidden: true,
    width: 110,
  },
  currencyColumn(t.currency, ({ total }) => total.currency),
  {
    id: 'collection',
    header: t.collection,
    cell: ({ collection }) => t[collection],
    csv: ({ collection }) => collection,
    hidden: true,
  },
  {
    id: 'dueAt',
    header: t.dueAt,
    cell: ({ dueAt }) => <When at={dueAt} />,
    csv: ({ dueAt }) => dueAt,
    hidden: true,
    width: 120,
  },
  {
    id: 'paidAt',
    header: t.paidAt,
    cell: ({ paidAt }) => <When at={paidAt} />,
    csv: ({ paidAt }) => paidAt,
    hidden: true,
    width: 120,
  },
  idColumn('customerId', t.customerId, ({ customerId }) => customerId),
  idColumn('id', t.id, ({ id }) => id),
];

const computeNet = ({ total, tax }: InvoiceRow) => sumAmounts([total, negate(tax)]);

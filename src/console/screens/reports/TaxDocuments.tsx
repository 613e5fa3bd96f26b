import { currencyColumn, customerColumn, idColumn } from '../../billing/columns.tsx';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { VariablesOf } from '../../data/graphql.ts';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { Page } from '../../design/Page.tsx';
import { Money, Nothing, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { TaxDocumentsQuery, type TaxDocumentRow } from './taxQuery.ts';
import { taxTexts, texts } from './texts.ts';

type Input = VariablesOf<typeof TaxDocumentsQuery>['input'];

/** The filter that the address names; `none` finds the documents without a country, or without a reason. */
function useInput(): Input {
  const [parameters] = useSearchParams();
  const address = parameters.toString();
  return useMemo(() => {
    const read = (name: string) => parameters.get(name) || undefined;
    const readNullable = (name: string) => (read(name) === 'none' ? null : read(name));
    return {
      from: read('from') ?? '2000-01-01',
      until: read('until') ?? '2100-01-01',
      kind: read('kind'),
      country: readNullable('country'),
      category: read('category'),
      percent: read('percent'),
      reason: readNullable('reason'),
      currency: read('currency'),
      vatId: readNullable('vatId'),
      creditsIssuedFrom: read('creditsIssuedFrom'),
      creditsIssuedBefore: read('creditsIssuedBefore'),
      ...(read('return') && {
        taxReturn: { kind: read('return'), code: read('code'), leftOut: read('leftOut') },
      }),
    } as Input;
  }, [address]);
}

/** The documents behind a figure of the tax report. */
export function TaxDocuments() {
  const reports = useTexts(texts);
  const t = useTexts(taxTexts);
  const format = useFormat();
  const input = useInput();
  const variables = useMemo(() => ({ input }), [input]);
  const { from, until, country, percent, currency } = input;
  const isPeriod = !Number.isNaN(Date.parse(from)) && !Number.isNaN(Date.parse(until));
  const facts = [
    isPeriod && format.days(from, until),
    country && format.country(country),
    percent && format.percent(Number(percent) / 100),
    currency?.toUpperCase(),
  ];
  return (
    <Page
      title={t.documents}
      parent={{ href: `/reports?tab=${input.taxReturn ? 'returns' : 'tax'}`, title: reports.title }}
      subtitle={facts.filter(Boolean).join(' · ')}
      layout="list"
      request={{ document: TaxDocumentsQuery, variables: { ...variables, first: 50 } }}
    >
      <DataTable
        name="tax-documents"
        caption={t.documents}
        document={TaxDocumentsQuery}
        connection={({ taxDocuments }) =>
          taxDocuments && { ...taxDocuments, nodes: taxDocuments.nodes.map(identify) }
        }
        variables={variables}
        columns={useColumns(input.kind)}
        href={({ documentId, creditedIssuedAt }) =>
          creditedIssuedAt === null ? `/invoices/${documentId}` : `/credit-notes/${documentId}`
        }
        follows={{ types: ['InvoiceEvent', 'CreditNoteEvent'] }}
        empty={<Empty title={t.noDocuments} />}
      />
    </Page>
  );
}

/** Names a row: a document has one for each of its rates. */
const identify = (document: Omit<TaxDocumentRow, 'id'>): TaxDocumentRow => ({
  ...document,
  id: [document.documentId, document.category, document.percent, document.reason].join(' '),
});

/** `shown` is the kind of all documents, if the address names one. */
function useColumns(shown: Input['kind']): Column<TaxDocumentRow>[] {
  const t = useTexts(taxTexts);
  const format = useFormat();
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
      cell: ({ kind }) => t[kind],
      csv: ({ kind }) => kind,
      width: 110,
      hidden: shown === 'credit_note',
    },
    customerColumn(t.customer, ({ customer }) => nameCustomer(customer)),
    {
      id: 'country',
      header: t.country,
      cell: ({ country }) => (country === null ? t.unknown : format.country(country)),
      csv: ({ country }) => country,
      width: 120,
    },
    {
      id: 'rate',
      header: t.rate,
      align: 'end',
      cell: ({ percent }) => format.percent(Number(percent) / 100),
      csv: ({ percent }) => ({ decimal: percent }),
      width: 70,
    },
    {
      id: 'taxable',
      header: t.taxable,
      align: 'end',
      cell: ({ taxable }) => <Money amount={taxable} />,
      csv: ({ taxable }) => taxable,
      width: 130,
    },
    {
      id: 'tax',
      header: t.tax,
      align: 'end',
      cell: ({ tax }) => <Money amount={tax} />,
      csv: ({ tax }) => tax,
      width: 110,
    },
    ...listDates(t, shown),
    ...listHidden(t),
  ];
}

const listDates = (t: (typeof taxTexts)['en'], shown: Input['kind']): Column<TaxDocumentRow>[] => [
  {
    id: 'issued',
    header: t.issued,
    align: 'end',
    cell: ({ issuedAt }) => <When at={issuedAt} />,
    csv: ({ issuedAt }) => issuedAt,
    width: 110,
  },
  {
    id: 'credited',
    header: t.creditedInvoice,
    align: 'end',
    cell: ({ creditedIssuedAt }) => <When at={creditedIssuedAt} />,
    csv: ({ creditedIssuedAt }) => creditedIssuedAt,
    width: 160,
    hidden: shown !== 'credit_note',
  },
];

const readVatIds = ({ customer }: TaxDocumentRow) =>
  (customer?.taxIds ?? []).map(({ value }) => value).join(', ');

const listHidden = (t: (typeof taxTexts)['en']): Column<TaxDocumentRow>[] => [
  {
    id: 'taxIds',
    header: t.vatIds,
    cell: (row) => readVatIds(row) || <Nothing />,
    csv: readVatIds,
    hidden: true,
  },
  {
    id: 'treatment',
    header: t.treatment,
    cell: ({ treatment }) => (treatment ? t[`return_${treatment}`] : <Nothing />),
    csv: ({ treatment }) => treatment,
    hidden: true,
  },
  {
    id: 'category',
    header: t.category,
    cell: ({ category }) => category,
    csv: ({ category }) => category,
    hidden: true,
  },
  {
    id: 'reason',
    header: t.reason,
    cell: ({ reason }) => (reason ? t[reason] : <Nothing />),
    csv: ({ reason }) => reason,
    hidden: true,
  },
  currencyColumn(t.currency, ({ currency }) => currency),
  idColumn('customerId', t.customerId, ({ customerId }) => customerId),
];

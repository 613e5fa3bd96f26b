import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useSaveLines } from '../../data/csv.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Table, type SimpleColumn } from '../../design/Table.tsx';
import { Money, Nothing } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { EcSalesListQuery, type EcSalesList, type EcSalesRow } from './returnsQuery.ts';
import { returnTexts, taxTexts } from './texts.ts';

/** What businesses of other member states bought in a period, by VAT id. */
export function EcSales({ period }: { period: { from: string; until: string } }) {
  const t = useTexts(returnTexts);
  const result = useScreenQuery(
    EcSalesListQuery,
    { input: period },
    { types: ['InvoiceEvent', 'CreditNoteEvent'] },
  );
  return (
    <Loaded result={result}>
      {({ ecSalesList: found }) =>
        found && found.rows.length > 0 ? <List found={found} /> : <Empty title={t.nothing} />
      }
    </Loaded>
  );
}

function List({ found }: { found: EcSalesList }) {
  const t = useTexts(returnTexts);
  const tax = useTexts(taxTexts);
  const refusal = useRefusal('export_data');
  const save = useSaveLines();
  const name = `ec-sales-${found.from.slice(0, 10)}`;
  return (
    <Section
      title={t.kind_ec_sales}
      actions={
        <Button
          look="quiet"
          icon="download"
          refused={refusal}
          onClick={() => save(name, listLines(found.rows, { ...tax, ...t }))}
        >
          {tax.csv}
        </Button>
      }
    >
      <Table caption={t.kind_ec_sales} rows={found.rows} rowKey={nameRow} columns={useColumns(found)} />
    </Section>
  );
}

const nameRow = ({ vatId, kind, country, currency }: EcSalesRow) =>
  [vatId, kind, country, currency].join(' ');

function useColumns(found: EcSalesList): SimpleColumn<EcSalesRow>[] {
  const t = useTexts(returnTexts);
  const tax = useTexts(taxTexts);
  const format = useFormat();
  return [
    { header: t.vatId, cell: ({ vatId }) => vatId ?? <Nothing /> },
    {
      header: tax.country,
      cell: ({ country }) => (country === null ? tax.unknown : format.country(country)),
    },
    { header: tax.kind, cell: ({ kind }) => t[kind] },
    {
      header: tax.taxable,
      align: 'end',
      cell: (row) => (
        <Link href={openDocuments(found, row)}>
          <Money amount={row.taxable} />
        </Link>
      ),
    },
    {
      header: t.declaredTaxable,
      align: 'end',
      cell: ({ declaredTaxable }) => <Money amount={declaredTaxable} />,
    },
  ];
}

/** Returns the address of the list of the documents behind a row. */
function openDocuments({ from, until }: EcSalesList, { vatId, kind, country, currency }: EcSalesRow): string {
  const address = new URLSearchParams({
    from,
    until,
    return: 'plain',
    code: 'intra_community',
    category: kind === 'goods' ? 'K' : 'AE',
    country: country ?? 'none',
    currency,
    vatId: vatId ?? 'none',
  });
  return `/reports/tax?${address.toString()}`;
}

type Words = (typeof taxTexts)['en'] & (typeof returnTexts)['en'];

const listLines = (rows: EcSalesRow[], t: Words) => [
  [t.vatId, t.country, t.kind, t.currency, t.documents, t.taxable, t.declaredTaxable],
  ...rows.map(({ vatId, country, kind, currency, documents, taxable, declaredTaxable }) => [
    vatId,
    country,
    kind,
    currency,
    documents,
    taxable,
    declaredTaxable,
  ]),
];

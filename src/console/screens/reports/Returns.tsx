import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useSaveLines } from '../../data/csv.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { useUrlValue } from '../../data/url.ts';
import { Button } from '../../design/Button.tsx';
import { Empty, Loaded, Note } from '../../design/Feedback.tsx';
import { Select } from '../../design/Field.tsx';
import { Section } from '../../design/Page.tsx';
import { Table, type SimpleColumn } from '../../design/Table.tsx';
import { Money, Nothing } from '../../design/Values.tsx';
import { useFormat, type Amount } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { returnKinds, useReturnSettings } from './returnPeriods.ts';
import { ReturnPeriod } from './ReturnPeriod.tsx';
import { EcSales } from './EcSales.tsx';
import { EcSalesListQuery, TaxReturnQuery, type TaxReturn, type TaxReturnRow } from './returnsQuery.ts';
import { returnTexts, taxTexts } from './texts.ts';

/** Returns the document and the variables of the return that the address names. */
export function useReturnRequest() {
  const { kind, period } = useReturnSettings();
  return kind === 'ec_sales'
    ? { document: EcSalesListQuery, variables: { input: period } }
    : { document: TaxReturnQuery, variables: { input: { kind, ...period } } };
}

/** The figures that a tax return of a period asks for. */
export function Returns() {
  const t = useTexts(returnTexts);
  const { kind, period } = useReturnSettings();
  return (
    <>
      <Tools />
      <p className="soft">{t[`about_${kind}`]}</p>
      {kind === 'ec_sales' ? <EcSales period={period} /> : <Lines kind={kind} period={period} />}
    </>
  );
}

type Lined = Exclude<(typeof returnKinds)[number], 'ec_sales'>;

function Lines({ kind, period }: { kind: Lined; period: { from: string; until: string } }) {
  const t = useTexts(returnTexts);
  const tax = useTexts(taxTexts);
  const input = { kind, ...period };
  const result = useScreenQuery(TaxReturnQuery, { input }, { types: ['InvoiceEvent', 'CreditNoteEvent'] });
  return (
    <Loaded result={result}>
      {({ taxReturn: found }) =>
        found && found.rows.length > 0 ? (
          <Found found={found} />
        ) : (
          <Empty title={tax.empty}>{found?.untaxedDocuments ? tax.noSeller : t.emptyText}</Empty>
        )
      }
    </Loaded>
  );
}

function Tools() {
  const t = useTexts(returnTexts);
  const { kind } = useReturnSettings();
  const [, setKind] = useUrlValue('return');
  return (
    <div className="report-tools">
      <Select
        label={t.chosen}
        value={kind}
        choices={returnKinds.map((each) => ({ value: each, label: t[`kind_${each}`] }))}
        onChange={({ target }) => setKind(target.value === 'plain' ? '' : target.value)}
      />
      <ReturnPeriod />
    </div>
  );
}

function Found({ found }: { found: TaxReturn }) {
  const t = useTexts(returnTexts);
  const tax = useTexts(taxTexts);
  const format = useFormat();
  const refusal = useRefusal('export_data');
  const save = useSaveLines();
  const declared = found.rows.filter(({ leftOut }) => leftOut === null);
  const others = found.rows.filter(({ leftOut }) => leftOut !== null);
  const columns = useColumns(found, declared);
  const columnsOfOthers = useColumns(found, others);
  const name = `${found.kind}-${found.from.slice(0, 10)}`;
  return (
    <>
      {found.untaxedDocuments > 0 && (
        <p className="soft">{tax.untaxed(format.number(found.untaxedDocuments))}</p>
      )}
      {found.missingRates.length > 0 && <Missing found={found} />}
      <Section
        title={t[`kind_${found.kind}`]}
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
        <Table
          caption={t[`kind_${found.kind}`]}
          rows={declared}
          rowKey={nameRow}
          columns={columns}
          empty={t.nothing}
        />
      </Section>
      {others.length > 0 && (
        <Section title={t.leftOut}>
          <Table caption={t.leftOut} rows={others} rowKey={nameRow} columns={columnsOfOthers} />
        </Section>
      )}
    </>
  );
}

/** The exchange rates without which the return is not complete. */
function Missing({ found: { missingRates } }: { found: TaxReturn }) {
  const t = useTexts(returnTexts);
  const format = useFormat();
  return (
    <Note tone="late">
      <p>{t.missingRates}</p>
      <ul>
        {missingRates.map(({ day, currency, documents }) => (
          <li key={`${day} ${currency}`}>
            {t.missingRate(currency.toUpperCase(), format.date(`${day}T12:00:00Z`), format.number(documents))}
          </li>
        ))}
      </ul>
      <Link href="/settings/taxes">{t.setRates}</Link>
    </Note>
  );
}

const nameRow = (row: TaxReturnRow) =>
  [
    row.code,
    row.leftOut,
    row.country,
    row.category,
    row.percent,
    row.reason,
    row.currency,
    row.correctedFrom,
  ].join(' ');

const isRounded = ({ taxable, tax, declaredTaxable, declaredTax }: TaxReturnRow) =>
  taxable.currency !== declaredTaxable.currency ||
  taxable.decimal !== declaredTaxable.decimal ||
  tax.decimal !== declaredTax.decimal;

/** Columns that say nothing about the rows are left out. */
function useColumns(found: TaxReturn, rows: TaxReturnRow[]): SimpleColumn<TaxReturnRow>[] {
  const t = useTexts(returnTexts);
  const tax = useTexts(taxTexts);
  const format = useFormat();
  const amount = (header: string, read: (row: TaxReturnRow) => Amount): SimpleColumn<TaxReturnRow> => ({
    header,
    align: 'end',
    cell: (row) => <Opened found={found} row={row} amount={read(row)} />,
  });
  const country: SimpleColumn<TaxReturnRow> = {
    header: tax.country,
    cell: (row) => (row.country ? format.country(row.country) : <Nothing />),
  };
  const rate: SimpleColumn<TaxReturnRow> = {
    header: tax.rate,
    cell: ({ percent, reason }) =>
      percent === null ? (
        <Nothing />
      ) : (
        <>
          {format.percent(Number(percent) / 100)} {reason && <small className="soft">{tax[reason]}</small>}
        </>
      ),
  };
  return [
    { header: t.line, cell: (row) => <Line row={row} language={found.kind === 'ca3' ? 'fr' : 'de'} /> },
    ...(rows.some((row) => row.country !== null) ? [country] : []),
    ...(rows.some((row) => row.percent !== null) ? [rate] : []),
    amount(tax.taxable, ({ taxable }) => taxable),
    amount(tax.tax, (row) => row.tax),
    ...(rows.some(isRounded)
      ? [
          amount(t.declaredTaxable, ({ declaredTaxable }) => declaredTaxable),
          amount(t.declaredTax, ({ declaredTax }) => declaredTax),
        ]
      : []),
  ];
}

/** The line of the form, by its code and in words of its language. */
function Line({ row, language }: { row: TaxReturnRow; language: string }) {
  const { code, label, leftOut, rateType, correctedFrom, correctedUntil } = row;
  const t = useTexts(returnTexts);
  const tax = useTexts(taxTexts);
  const format = useFormat();
  if (leftOut) return <>{t[leftOut]}</>;
  const words: Record<string, string> = {
    supplies: t.supplies,
    corrections: t.corrections,
    unknown: tax.unknown,
    domestic: tax.return_domestic,
    one_stop_shop: tax.return_one_stop_shop,
    intra_community: tax.return_intra_community,
    foreign: tax.return_foreign,
  };
  return (
    <>
      {label && code ? <strong>{code}</strong> : words[code!]} {label && <span lang={language}>{label}</span>}
      <small className="soft">
        {rateType && ` ${t[rateType]}`}
        {correctedFrom && correctedUntil && ` ${format.days(correctedFrom, correctedUntil)}`}
      </small>
    </>
  );
}

/** A figure that leads to its documents. */
function Opened({ found, row, amount }: { found: TaxReturn; row: TaxReturnRow; amount: Amount }) {
  const { kind, from, until } = found;
  const { code, leftOut, country, category, percent, reason, currency, correctedFrom, correctedUntil } = row;
  const isWhole = leftOut !== null || kind === 'plain';
  const filter: Record<string, string | null> = {
    from,
    until,
    return: kind,
    code,
    leftOut,
    country: country ?? (isWhole ? 'none' : null),
    category,
    percent,
    reason: isWhole ? (reason ?? 'none') : null,
    currency,
    creditsIssuedFrom: correctedFrom,
    creditsIssuedBefore: correctedUntil,
  };
  const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== null);
  return (
    <Link href={`/reports/tax?${new URLSearchParams(given).toString()}`}>
      <Money amount={amount} />
    </Link>
  );
}

type Words = (typeof taxTexts)['en'] & (typeof returnTexts)['en'];

/** The lines of the CSV file: each row with all its figures. */
const listLines = (rows: TaxReturnRow[], t: Words) => [
  [
    t.line,
    t.label,
    t.leftOut,
    t.country,
    t.category,
    t.rate,
    t.rateType,
    t.reason,
    t.currency,
    t.correctedFrom,
    t.correctedUntil,
    t.documents,
    t.taxable,
    t.tax,
    t.declaredTaxable,
    t.declaredTax,
    t.declaredCurrency,
    t.unconverted,
  ],
  ...rows.map((row) => [
    row.code,
    row.label,
    row.leftOut,
    row.country,
    row.category,
    row.percent === null ? null : { decimal: row.percent },
    row.rateType,
    row.reason,
    row.currency,
    row.correctedFrom,
    row.correctedUntil,
    row.documents,
    row.taxable,
    row.tax,
    row.declaredTaxable,
    row.declaredTax,
    row.declaredTax.currency,
    row.unconvertedDocuments,
  ]),
];

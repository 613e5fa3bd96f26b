import { useMemo } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useClock } from '../../data/clock.tsx';
import { useSaveLines } from '../../data/csv.ts';
import { findDaysBefore, findNoon, formatIsoDate, subtractMonths } from '../../data/periods.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { useUrlValue } from '../../data/url.ts';
import { useZone } from '../../data/zone.ts';
import { Button } from '../../design/Button.tsx';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { Figure, Section } from '../../design/Page.tsx';
import { Table, type SimpleColumn } from '../../design/Table.tsx';
import { Money, MoneyList, Nothing } from '../../design/Values.tsx';
import { useFormat, type Amount } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { TaxReportQuery, type TaxReport, type TaxRow } from './taxQuery.ts';
import { taxTexts, texts } from './texts.ts';

const intervals = ['month', 'quarter', 'year'] as const;

/** What the address says about a tax report: the last twelve months by quarter unless it says otherwise. */
export function useTaxSettings() {
  const zone = useZone();
  const today = formatIsoDate(Date.parse(findDaysBefore(useClock(), 0)), zone);
  const [byText] = useUrlValue('by');
  const [fromText] = useUrlValue('from');
  const [untilText] = useUrlValue('until');
  return useMemo(() => {
    const by = intervals.find((each) => each === byText) ?? 'quarter';
    const until = findNoon(untilText, zone) ? untilText : today;
    const from = findNoon(fromText, zone) ? fromText : subtractMonths(until, 11);
    return { by, from, until, input: { by, from: findNoon(from, zone)!, until: findNoon(until, zone)! } };
  }, [byText, fromText, untilText, today, zone]);
}

/** The tax of each period, by country, rate and currency. */
export function Tax() {
  const t = useTexts(taxTexts);
  const { input } = useTaxSettings();
  const result = useScreenQuery(TaxReportQuery, { input }, { types: ['InvoiceEvent', 'CreditNoteEvent'] });
  return (
    <>
      <Tools />
      <Loaded result={result}>
        {({ taxReport: report }) =>
          report && report.rows.length > 0 ? (
            <Report report={report} />
          ) : (
            <Empty title={t.empty}>{report?.untaxedDocuments ? t.noSeller : t.emptyText}</Empty>
          )
        }
      </Loaded>
    </>
  );
}

function Tools() {
  const t = useTexts(texts);
  const { by, from, until } = useTaxSettings();
  const [, setBy] = useUrlValue('by');
  const [, setFrom] = useUrlValue('from');
  const [, setUntil] = useUrlValue('until');
  return (
    <div className="report-tools">
      <Select
        label={t.by}
        value={by}
        choices={intervals.map((each) => ({ value: each, label: t[each] }))}
        onChange={({ target }) => setBy(target.value === 'quarter' ? '' : target.value)}
      />
      <Field type="date" label={t.from} value={from} onChange={({ target }) => setFrom(target.value)} />
      <Field type="date" label={t.until} value={until} onChange={({ target }) => setUntil(target.value)} />
    </div>
  );
}

function Report({ report: { rows, totals, untaxedDocuments } }: { report: TaxReport }) {
  const t = useTexts(taxTexts);
  const format = useFormat();
  return (
    <>
      <div className="row">
        <Figure name={t.tax} note={t.lessCredited}>
          <MoneyList amounts={totals.map(({ tax }) => tax)} />
        </Figure>
        <Figure name={t.taxable} note={t.lessCredited}>
          <MoneyList amounts={totals.map(({ taxable }) => taxable)} />
        </Figure>
      </div>
      {untaxedDocuments > 0 && <p className="soft">{t.untaxed(format.number(untaxedDocuments))}</p>}
      <Rows rows={rows} />
    </>
  );
}

function Rows({ rows }: { rows: TaxRow[] }) {
  const t = useTexts(taxTexts);
  const refusal = useRefusal('export_data');
  const save = useSaveLines();
  return (
    <Section
      title={t.rows}
      actions={
        <Button
          look="quiet"
          icon="download"
          refused={refusal}
          onClick={() => save('tax-report', listLines(rows, t))}
        >
          {t.csv}
        </Button>
      }
    >
      <Table
        caption={t.rows}
        rows={rows}
        rowKey={nameRow}
        columns={[...usePlaceColumns(), ...useFigureColumns()]}
      />
    </Section>
  );
}

function usePlaceColumns(): SimpleColumn<TaxRow>[] {
  const t = useTexts(taxTexts);
  const format = useFormat();
  return [
    { header: t.period, cell: ({ start, end }) => <Period start={start} end={end} /> },
    {
      header: t.country,
      cell: ({ country }) => (country === null ? t.unknown : format.country(country)),
    },
    {
      header: t.treatment,
      cell: ({ treatment }) => (treatment ? t[`return_${treatment}`] : <Nothing />),
    },
    {
      header: t.rate,
      cell: ({ percent, reason }) => (
        <>
          {format.percent(Number(percent) / 100)} {reason && <small className="soft">{t[reason]}</small>}
        </>
      ),
    },
  ];
}

function useFigureColumns(): SimpleColumn<TaxRow>[] {
  const t = useTexts(taxTexts);
  const figures: [header: string, figure: OpenedProps['figure'], filter: object][] = [
    [t.invoiced, 'invoiced', { kind: 'invoice' }],
    [t.credited, 'credited', { kind: 'credit_note' }],
    [t.toDeclare, undefined, {}],
  ];
  const columns = figures.flatMap(([header, figure, filter]) =>
    (['taxable', 'tax'] as const).map((part) => ({
      header: `${header}: ${t[part === 'tax' ? 'tax' : 'base']}`,
      align: 'end' as const,
      cell: (row: TaxRow) => (
        <Opened row={row} figure={figure} filter={filter} amount={(figure ? row[figure] : row)[part]} />
      ),
    })),
  );
  const earlier = (row: TaxRow) => {
    const filter = { kind: 'credit_note', creditsIssuedBefore: row.start };
    return <Opened row={row} figure="creditedEarlier" filter={filter} amount={row.creditedEarlier.tax} />;
  };
  return [...columns, { header: t.earlier, align: 'end', cell: earlier }];
}

const nameRow = ({ start, country, category, percent, reason, currency }: TaxRow) =>
  [start, country, category, percent, reason, currency].join(' ');

function Period({ start, end }: { start: string; end: string }) {
  const format = useFormat();
  return <span className="report-period">{format.days(start, end)}</span>;
}

interface OpenedProps {
  row: TaxRow;
  figure: 'invoiced' | 'credited' | 'creditedEarlier' | undefined;
  filter: object;
  amount: Amount;
}

/** A figure that leads to its documents. */
function Opened({ row, figure, filter, amount }: OpenedProps) {
  if (figure && row[figure].documents === 0) return <Nothing />;
  const { start, end, country, category, percent, reason, currency } = row;
  const place = { from: start, until: end, category, percent, currency };
  const address = new URLSearchParams({
    ...place,
    country: country ?? 'none',
    reason: reason ?? 'none',
    ...filter,
  });
  return (
    <Link href={`/reports/tax?${address.toString()}`}>
      <Money amount={amount} />
    </Link>
  );
}

/** The lines of the CSV file: each row with all its figures. */
function listLines(rows: TaxRow[], t: (typeof taxTexts)['en']) {
  const sums = ['invoiced', 'credited', 'creditedEarlier'] as const;
  const named = { invoiced: t.invoiced, credited: t.credited, creditedEarlier: t.creditedEarlier };
  return [
    [
      t.start,
      t.end,
      t.country,
      t.treatment,
      t.category,
      t.rate,
      t.reason,
      t.currency,
      ...sums.flatMap((each) => [t.documents, t.taxable, t.tax].map((name) => `${named[each]}: ${name}`)),
      `${t.toDeclare}: ${t.taxable}`,
      `${t.toDeclare}: ${t.tax}`,
    ],
    ...rows.map((row) => [
      row.start,
      row.end,
      row.country,
      row.treatment,
      row.category,
      { decimal: row.percent },
      row.reason,
      row.currency,
      ...sums.flatMap((each) => [row[each].documents, row[each].taxable, row[each].tax]),
      row.taxable,
      row.tax,
    ]),
  ];
}

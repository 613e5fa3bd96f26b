import { useRefusal } from '../../app/permissions.ts';
import { useSaveLines } from '../../data/csv.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { Chart } from '../../design/Chart.tsx';
import { Loaded } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../design/Values.tsx';
import { useMoneyAxis } from '../../texts/axis.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { ResultOf } from '../../data/graphql.ts';
import { ForecastQuery } from './query.ts';
import { texts } from './texts.ts';

type Month = NonNullable<ResultOf<typeof ForecastQuery>['revenueForecast']>[number];

/** The invoices of the next twelve months, and the MRR that does not end before, if nothing changes. */
export function Forecast({ currency }: { currency: string }) {
  const result = useScreenQuery(ForecastQuery, { currency }, { types: ['SubscriptionEvent'] });
  return (
    <Loaded result={result}>
      {({ revenueForecast }) => <Months months={revenueForecast ?? []} file={`forecast-${currency}`} />}
    </Loaded>
  );
}

function Months({ months, file }: { months: Month[]; file: string }) {
  const t = useTexts(texts);
  const format = useFormat();
  const axis = useMoneyAxis(months[0]?.invoiced);
  const refusal = useRefusal('export_data');
  const values = months.map(({ invoiced }) => Number(invoiced.decimal));
  const saveLines = useSaveLines();
  const save = () =>
    saveLines(file, [
      [t.month, t.invoices, t.invoiced, t.committed],
      ...months.map((each) => [each.start, each.invoices, each.invoiced, each.committedMrr]),
    ]);
  return (
    <>
      <Chart
        title={t.forecastTitle}
        summary={t.forecastSummary(axis.format(values.reduce((total, value) => total + value, 0)))}
        points={months.map(({ start }) => format.month(start))}
        series={[
          { label: t.invoiced, kind: 'bars', color: 2, values },
          {
            label: t.committed,
            kind: 'line',
            color: 3,
            values: months.map(({ committedMrr }) => Number(committedMrr.decimal)),
          },
        ]}
        height={260}
        {...axis}
      />
      {months.some(({ usageEstimated }) => usageEstimated) && <p className="soft">{t.usageEstimated}</p>}
      <Section
        title={t.figures}
        actions={
          <Button look="quiet" icon="download" refused={refusal} onClick={save}>
            {t.csv}
          </Button>
        }
      >
        <Table
          caption={t.forecastTitle}
          rows={months}
          rowKey={({ start }) => start}
          columns={[
            { header: t.month, cell: ({ start }) => format.month(start) },
            { header: t.invoices, align: 'end', cell: ({ invoices }) => format.number(invoices) },
            { header: t.invoiced, align: 'end', cell: ({ invoiced }) => <Money amount={invoiced} /> },
            {
              header: t.committed,
              align: 'end',
              cell: ({ committedMrr }) => <Money amount={committedMrr} />,
            },
          ]}
        />
      </Section>
    </>
  );
}

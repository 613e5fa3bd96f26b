import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { readProblem } from '../../data/errors.ts';
import { Chart } from '../../design/Chart.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { readDecimal } from '../../texts/numbers.ts';
import { chooseExamples, chooseQuantities } from './priceForm.ts';
import { PreviewPrice, type PriceInput, type Quote } from './query.ts';
import { texts } from './texts.ts';

const pauseMs = 250;

/** What the price costs by quantity: a curve of the total, one of the price of a unit, and some quantities in a table. */
export function Calculator({ price }: { price: PriceInput }) {
  const t = useTexts(texts);
  const [asked, setAsked] = useState('');
  const own = Number(readDecimal(asked));
  const isFlat = price.model === 'flat';
  const examples = [
    ...(isFlat ? [1] : chooseExamples(price)),
    ...(Number.isSafeInteger(own) && own > 0 && own <= 1_000_000_000 ? [own] : []),
  ];
  const curve = chooseQuantities(price);
  const variables = useSettled({ price, quantities: [...new Set([...curve, ...examples])] });
  const [{ data, error }] = useQuery({ query: PreviewPrice, variables });
  const quotes = data?.previewPrice ?? [];
  return (
    <Section title={t.calculator}>
      {error && <ProblemNote problem={readProblem(error)} />}
      {!error && quotes.length > 0 && (
        <>
          {!isFlat && (
            <>
              <Curves quotes={pick(quotes, curve)} />
              <Field
                label={t.ownQuantity}
                inputMode="numeric"
                value={asked}
                onChange={({ target }) => setAsked(target.value)}
              />
            </>
          )}
          <Examples quotes={pick(quotes, [...new Set(examples)])} />
        </>
      )}
    </Section>
  );
}

const pick = (quotes: Quote[], quantities: number[]): Quote[] =>
  quantities.flatMap((quantity) => quotes.find((quote) => quote.quantity === quantity) ?? []);

/** Returns the value once it has not changed for a moment. */
function useSettled<Value>(value: Value): Value {
  const key = JSON.stringify(value);
  const [settled, setSettled] = useState(key);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), pauseMs);
    return () => clearTimeout(timer);
  }, [key]);
  return JSON.parse(settled) as Value;
}

function Curves({ quotes }: { quotes: Quote[] }) {
  const t = useTexts(texts);
  const format = useFormat();
  const first = quotes[0];
  const last = quotes.at(-1);
  if (!first || !last || quotes.length < 2) return null;
  const { currency } = first.total;
  const points = quotes.map(({ quantity }) => format.number(quantity));
  const write = (value: number) => format.money({ decimal: String(value), currency });
  const summarize = (read: (quote: Quote) => Quote['total']) =>
    t.summary(
      format.money(read(first)),
      format.number(first.quantity),
      format.money(read(last)),
      format.number(last.quantity),
    );
  return (
    <div className="price-curves">
      <Chart
        title={t.total}
        summary={summarize(({ total }) => total)}
        points={points}
        format={write}
        height={180}
        series={[
          {
            label: t.total,
            values: quotes.map(({ total }) => Number(total.decimal)),
            kind: 'line',
            color: 1,
          },
        ]}
      />
      <Chart
        title={t.average}
        summary={summarize(({ average }) => average)}
        points={points}
        format={write}
        height={180}
        series={[
          {
            label: t.average,
            values: quotes.map(({ average }) => Number(average.decimal)),
            kind: 'line',
            color: 3,
          },
        ]}
      />
    </div>
  );
}

/** Returns an amount with at least the decimals of another, so that the figures of a column stay in line. */
function padLike(amount: Quote['average'], other: Quote['total']): Quote['average'] {
  const [whole, digits = ''] = amount.decimal.split('.');
  const wanted = other.decimal.split('.')[1]?.length ?? 0;
  return wanted > digits.length ? { ...amount, decimal: `${whole}.${digits.padEnd(wanted, '0')}` } : amount;
}

function Examples({ quotes }: { quotes: Quote[] }) {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Table
      caption={t.calculator}
      rows={quotes}
      rowKey={({ quantity }) => String(quantity)}
      columns={[
        { header: t.quantity, align: 'end', cell: ({ quantity }) => format.number(quantity) },
        { header: t.total, align: 'end', cell: ({ total }) => <Money amount={total} /> },
        {
          header: t.average,
          align: 'end',
          cell: ({ total, average }) => <Money amount={padLike(average, total)} />,
        },
      ]}
    />
  );
}

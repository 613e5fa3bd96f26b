import { Link } from 'wouter';
import { Section, Facts } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { PriceData } from './query.ts';
import { usageTexts as texts } from './texts.ts';

/** The terms of a price of usage: its meter, rates, percentage, included units, and limits. */
export function UsageTerms({ price }: { price: PriceData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const { meterId, includedUnits, minimumSpend, maximumSpend, percentage, rates, details } = price;
  if (meterId === null) return null;
  const { currency } = details;
  const spend = (amount: PriceData['minimumSpend']) => (amount ? <Money amount={amount} /> : undefined);
  const unit = (decimal: string | null | undefined) =>
    decimal ? <Money amount={{ decimal, currency }} /> : undefined;
  const writeMatch = (match: Record<string, unknown>) =>
    Object.entries(match)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : '–'}`)
      .join(', ') || t.allOther;
  return (
    <Section title={t.usage}>
      <Facts
        facts={[
          [t.meter, <Link href={`/meters/${meterId}`}>{t.openMeter}</Link>],
          [t.percent, percentage ? format.percent(Number(percentage.percent) / 100) : undefined],
          [t.fixedPerEvent, unit(percentage?.fixedPerEvent)],
          [t.freeEvents, percentage?.freeEvents ? format.number(percentage.freeEvents) : undefined],
          [t.freeAmount, unit(percentage?.freeAmount)],
          [t.minPerEvent, unit(percentage?.minPerEvent)],
          [t.maxPerEvent, unit(percentage?.maxPerEvent)],
          [t.includedUnits, includedUnits === null ? undefined : format.number(Number(includedUnits))],
          [t.minimumSpend, spend(minimumSpend)],
          [t.maximumSpend, spend(maximumSpend)],
        ]}
      />
      {rates.length > 0 && (
        <Table
          caption={t.rates}
          rows={rates.map((rate, index) => ({ ...rate, index }))}
          rowKey={({ index }) => String(index)}
          columns={[
            { header: t.events, cell: ({ match }) => <span dir="auto">{writeMatch(match)}</span> },
            {
              header: t.unitAmount,
              align: 'end',
              cell: ({ unitAmount }) => <Money amount={{ decimal: unitAmount, currency }} />,
            },
          ]}
        />
      )}
    </Section>
  );
}

import { Chart } from '../design/Chart.tsx';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

interface UsageChartProps {
  /** The name of the meter. */
  name: string;
  usage: { value: string; events: number; windows: { from: string; value: string }[] };
  height: number;
  /** The name of the file of its figures. */
  file: string;
}

/** What a meter counted by day, and in how many events. */
export function UsageChart({ name, usage, height, file }: UsageChartProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const write = (value: number) => format.number(value, { maximumFractionDigits: 12 });
  return (
    <Chart
      title={name}
      summary={t.usedInEvents(write(Number(usage.value)), format.number(usage.events))}
      points={usage.windows.map(({ from }) => format.date(from))}
      series={[
        { label: name, kind: 'bars', color: 1, values: usage.windows.map(({ value }) => Number(value)) },
      ]}
      format={write}
      tick={(value) => format.number(value, { notation: 'compact' })}
      height={height}
      file={file}
    />
  );
}

import { useId, useState } from 'react';
import { useRefusal } from '../app/permissions.ts';
import { useSaveLines, type SaveLines } from '../data/csv.ts';
import { useTexts } from '../texts/language.tsx';
import { Button } from './Button.tsx';
import type { ChartPoint, ChartSeries } from './chartSeries.ts';
import { Table } from './Table.tsx';
import { texts } from './texts.ts';
import { useChart } from './useChart.ts';
import './Chart.css';

interface ChartProps {
  title: string;
  /** What the chart shows, in a sentence: for screen readers, and above the figures. */
  summary: string;
  /** The names of the points: months, quantities. */
  points: string[];
  series: ChartSeries[];
  /** Writes a value: with its currency. */
  format: (value: number) => string;
  /** Writes a value of the axis, in short. Default: `format`. */
  tick?: (value: number) => string;
  height?: number;
  /** The name of the CSV file; without it, nothing can be saved. */
  file?: string;
  /** Called with the first and the last point that somebody brushed over. */
  onSelect?: (first: number, last: number) => void;
}

/** A chart with a grid on y only. The figures of a point show when the pointer rests on it; all of them one press away. */
export function Chart(props: ChartProps) {
  const { title, summary, points, series, format, tick = format, height = 220, file, onSelect } = props;
  const t = useTexts(texts);
  const refusal = useRefusal('export_data');
  const saveLines = useSaveLines();
  const [point, setPoint] = useState<ChartPoint>();
  const [asTable, setAsTable] = useState(false);
  const titleId = useId();
  const place = useChart({ points, series, tick, height, onSelect, onPoint: setPoint });
  return (
    <figure className="chart" aria-labelledby={titleId}>
      <div className="chart-head">
        <p id={titleId} className="chart-title">
          <strong>{title}</strong> <span className="soft">{summary}</span>
        </p>
        <span className="chart-tools">
          <Button
            look="quiet"
            aria-expanded={asTable}
            aria-label={`${asTable ? t.hideTable : t.showTable}: ${title}`}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? t.hideTable : t.showTable}
          </Button>
          {file && (
            <Button
              look="quiet"
              aria-label={`CSV: ${title}`}
              refused={refusal}
              onClick={() => saveChart(saveLines, file, points, series)}
            >
              CSV
            </Button>
          )}
        </span>
      </div>
      <div className="chart-frame">
        <div
          ref={place}
          className="chart-place"
          role="img"
          aria-label={`${title}: ${summary}`}
          style={{ blockSize: height }}
        />
        {point && <Tip point={point} name={points[point.index] ?? ''} series={series} format={format} />}
      </div>
      {series.length > 1 && (
        <div className="chart-legend">
          {series.map((each) => (
            <Key key={each.label} series={each} />
          ))}
        </div>
      )}
      {asTable && <Figures {...{ title, points, series, format }} />}
    </figure>
  );
}

function Key({ series: { label, color, dashed, kind, pattern } }: { series: ChartSeries }) {
  const shape = dashed ? 'dashed' : kind === 'line' ? 'line' : (pattern ?? '');
  return <span className={`chart-key chart-color-${color} ${shape}`}>{label}</span>;
}

interface TipProps {
  point: ChartPoint;
  name: string;
  series: ChartSeries[];
  format: (value: number) => string;
}

/** The exact figures of a point, beside the pointer. */
function Tip({ point: { index, left, isPastMiddle }, name, series, format }: TipProps) {
  return (
    <div className={`chart-tip ${isPastMiddle ? 'before' : ''}`} style={{ left }} aria-hidden="true">
      <strong>{name}</strong>
      {series.map((each) => (
        <div key={each.label}>
          <Key series={each} />
          <b>{writeValue(each.values[index], each.format ?? format)}</b>
        </div>
      ))}
    </div>
  );
}

function Figures({
  title,
  points,
  series,
  format,
}: Pick<ChartProps, 'title' | 'points' | 'series' | 'format'>) {
  return (
    <Table
      caption={title}
      rows={points.map((point, index) => ({ point, index }))}
      rowKey={({ index }) => String(index)}
      columns={[
        { header: '', cell: ({ point }: { point: string }) => point },
        ...series.map(({ label, values, format: own }) => ({
          header: label,
          align: 'end' as const,
          cell: ({ index }: { index: number }) => writeValue(values[index], own ?? format),
        })),
      ]}
    />
  );
}

const writeValue = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value);

function saveChart(saveLines: SaveLines, file: string, points: string[], series: ChartSeries[]): void {
  const rows = points.map((point, index) => [point, ...series.map(({ values }) => values[index])]);
  saveLines(file, [['', ...series.map(({ label }) => label)], ...rows]);
}

import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { Button } from './Button.tsx';
import { buildOptions, readColors } from './chartOptions.ts';
import type { ChartSeries } from './chartSeries.ts';
import { Table } from './Table.tsx';
import { texts } from './texts.ts';
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
  height?: number;
  /** Called with the first and the last point that somebody brushed over. */
  onSelect?: (first: number, last: number) => void;
}

/** A chart with a grid on y only. The figures of a point show when the pointer rests on it; all of them one press away. */
export function Chart({ title, summary, points, series, format, height = 220, onSelect }: ChartProps) {
  const t = useTexts(texts);
  const [shown, setShown] = useState<number>();
  const [asTable, setAsTable] = useState(false);
  const titleId = useId();
  const place = useChart({ points, series, format, height, onSelect, onPoint: setShown });
  return (
    <figure className="chart" aria-labelledby={titleId}>
      <figcaption id={titleId} className="chart-title">
        <strong>{title}</strong> <span className="soft">{summary}</span>
      </figcaption>
      <div ref={place} className="chart-place" role="img" aria-label={`${title}: ${summary}`} />
      <div className="chart-legend">
        {shown !== undefined && <strong>{points[shown]}</strong>}
        {series.map(({ label, color, values, dashed }) => (
          <span key={label} className={`chart-key chart-color-${color} ${dashed ? 'dashed' : ''}`}>
            {label} {shown !== undefined && <b>{writeValue(values[shown], format)}</b>}
          </span>
        ))}
        <Button look="quiet" aria-expanded={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? t.hideTable : t.showTable}
        </Button>
      </div>
      {asTable && (
        <Table
          caption={title}
          rows={points.map((point, index) => ({ point, index }))}
          rowKey={({ index }) => String(index)}
          columns={[
            { header: '', cell: ({ point }: { point: string }) => point },
            ...series.map(({ label, values }) => ({
              header: label,
              align: 'end' as const,
              cell: ({ index }: { index: number }) => writeValue(values[index], format),
            })),
          ]}
        />
      )}
    </figure>
  );
}

const writeValue = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value);

interface DrawingOptions {
  points: string[];
  series: ChartSeries[];
  format: (value: number) => string;
  height: number;
  onSelect: ((first: number, last: number) => void) | undefined;
  onPoint: (index: number | undefined) => void;
}

/** Draws the chart, and again when its data, its width, the language or the theme change. */
function useChart(options: DrawingOptions): React.RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const { language } = useLanguage();
  const latest = useRef(options);
  latest.current = options;
  const theme = useThemeCount();
  const key = useMemo(
    () => JSON.stringify([options.points, options.series, options.height]),
    [options.points, options.series, options.height],
  );
  useEffect(() => {
    const element = place.current!;
    let chart: uPlot | undefined;
    let stopped = false;
    const resize = new ResizeObserver(() =>
      chart?.setSize({ width: element.clientWidth, height: latest.current.height }),
    );
    const draw = async () => {
      const { default: Plot } = await import('uplot');
      if (stopped) return;
      const { options: built, data } = buildOptions({
        ...latest.current,
        Plot,
        width: element.clientWidth,
        colors: readColors(element),
        isRtl: language === 'fa',
        onPoint: (index) => latest.current.onPoint(index),
        onSelect: (first, last) => latest.current.onSelect?.(first, last),
      });
      chart = new Plot(built, data, element);
      resize.observe(element);
    };
    void draw();
    return () => {
      stopped = true;
      resize.disconnect();
      chart?.destroy();
    };
  }, [key, language, theme]);
  return place;
}

/** A number that changes with the theme. */
function useThemeCount(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const change = () => setCount((before) => before + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const own = new MutationObserver(change);
    system.addEventListener('change', change);
    own.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', change);
      own.disconnect();
    };
  }, []);
  return count;
}

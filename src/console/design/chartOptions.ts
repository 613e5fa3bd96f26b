import type uPlot from 'uplot';
import { createPattern, drawLabels, type ChartColors } from './chartDrawing.ts';
import type { ChartPoint, ChartSeries } from './chartSeries.ts';

interface BuildOptions {
  Plot: typeof uPlot;
  points: string[];
  series: ChartSeries[];
  tick: (value: number) => string;
  width: number;
  height: number;
  colors: ChartColors;
  isRtl: boolean;
  onPoint: (point: ChartPoint | undefined) => void;
  onSelect: (first: number, last: number) => void;
}

const font = '11px system-ui, sans-serif';

/** Reads the colours of the charts, as the present theme has them; a canvas does not know CSS variables. */
export function readColors(element: HTMLElement): ChartColors {
  const probe = element.appendChild(document.createElement('span'));
  const read = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colors = {
    series: [1, 2, 3, 4, 5, 6].map((number) => read(`chart-${number}`)),
    grid: read('neutral-5'),
    zero: read('neutral-8'),
    text: read('neutral-10'),
    strong: read('neutral-12'),
    page: read('neutral-1'),
  };
  probe.remove();
  return colors;
}

/** Builds the options and the data of uPlot. */
export function buildOptions(given: BuildOptions): { options: uPlot.Options; data: uPlot.AlignedData } {
  const { points, series, width, height, tick, colors, isRtl } = given;
  const drawn = stack(series);
  const hasBars = series.some(({ kind }) => kind !== 'line');
  const side = hasBars ? 0.6 : 0.15;
  const options: uPlot.Options = {
    width,
    height,
    padding: [20, isRtl ? null : 12, null, isRtl ? 12 : null],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
    scales: {
      x: { time: false, dir: isRtl ? -1 : 1, range: (_, low, high) => [low - side, high + side] },
      y: { range: (_, low, high) => padRange(low, high) },
    },
    axes: buildAxes(given),
    series: [{}, ...drawn.map(({ of }) => describe(of, given))],
    hooks: {
      ...buildPointerHooks(given),
      draw: [(chart) => drawLabels(chart, { series, colors, isRtl, format: tick })],
    },
  };
  const x = points.map((_, index) => index);
  return { options, data: [x, ...drawn.map(({ values }) => values)] as uPlot.AlignedData };
}

function buildAxes({ points, tick, colors, isRtl }: BuildOptions): uPlot.Axis[] {
  const axis = { stroke: colors.text, font, ticks: { show: false } };
  return [
    {
      ...axis,
      size: 28,
      grid: { show: false },
      space: Math.max(40, 12 + 6 * Math.max(0, ...points.map(({ length }) => length))),
      incrs: [1, 2, 3, 4, 6, 12, 24, 60, 120],
      values: (_, ticks) => ticks.map((at) => points[at] ?? ''),
    },
    {
      ...axis,
      side: isRtl ? 1 : 3,
      size: (_, values) => 16 + 6.5 * Math.max(2, ...(values ?? []).map(({ length }) => length)),
      space: 36,
      grid: { stroke: colors.grid, width: 1 },
      values: (_, ticks) => ticks.map(tick),
    },
  ];
}

function buildPointerHooks({ onPoint, onSelect }: BuildOptions): uPlot.Hooks.Arrays {
  return {
    setCursor: [
      ({ cursor: { idx, left = -1 }, bbox }) => {
        const [start, width] = [bbox.left / devicePixelRatio, bbox.width / devicePixelRatio];
        const isOn = typeof idx === 'number' && left >= 0;
        onPoint(isOn ? { index: idx, left: start + left, isPastMiddle: left > width / 2 } : undefined);
      },
    ],
    setSelect: [
      (chart) => {
        const { left, width: selected } = chart.select;
        if (selected < 8) return;
        const ends = [chart.posToIdx(left), chart.posToIdx(left + selected)].toSorted((a, b) => a - b);
        chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        onSelect(ends[0]!, ends[1]!);
      },
    ],
  };
}

function describe(series: ChartSeries, { Plot, colors }: BuildOptions): uPlot.Series {
  const color = colors.series[series.color - 1]!;
  if (series.kind === 'line') {
    return {
      label: series.label,
      stroke: color,
      width: series.dashed ? 1.5 : 2,
      points: { show: false },
      ...(series.dashed && { dash: [5, 4] }),
    };
  }
  return {
    label: series.label,
    fill: ({ ctx }) => createPattern(ctx, color, colors.page, series.pattern),
    stroke: series.dashed ? color : colors.page,
    width: 1,
    points: { show: false },
    paths: Plot.paths.bars!({ size: [0.66, 40] }),
  };
}

interface Drawn {
  of: ChartSeries;
  values: (number | null)[];
}

/**
 * Adds up stacked bars, those above zero and those below apart. The highest are drawn first, so that the lower ones cover
 * them up to their own height.
 */
function stack(series: ChartSeries[]): Drawn[] {
  const above: number[] = [];
  const below: number[] = [];
  const drawn = series.map((of): Drawn => {
    if (of.kind !== 'stacked') return { of, values: of.values };
    const values = of.values.map((value, index) => {
      const sums = (value ?? 0) < 0 ? below : above;
      return (sums[index] = (sums[index] ?? 0) + (value ?? 0));
    });
    // A part of zero height would be drawn as a line.
    return { of, values: values.map((sum, index) => (of.values[index] ? sum : null)) };
  });
  const isStacked = ({ of }: Drawn) => of.kind === 'stacked';
  return [...drawn.filter(isStacked).toReversed(), ...drawn.filter((each) => !isStacked(each))];
}

/** The range of y: it includes zero, with room for the highest value. */
function padRange(low: number, high: number): [number, number] {
  const [least, most] = [Math.min(low ?? 0, 0), Math.max(high ?? 0, 0)];
  const room = (most - least || 1) * 0.08;
  return [least < 0 ? least - room : 0, most > 0 || least === 0 ? most + room : 0];
}

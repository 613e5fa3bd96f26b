import type uPlot from 'uplot';
import type { ChartPoint, ChartSeries } from './chartSeries.ts';

/** The colours of a chart in the present theme. */
interface ChartColors {
  series: string[];
  grid: string;
  zero: string;
  text: string;
  strong: string;
  page: string;
}

/** Returns what fills a bar: its colour, with lines or dots in that of the page if it has a pattern. */
function createPattern(
  context: CanvasRenderingContext2D,
  color: string,
  page: string,
  pattern: ChartSeries['pattern'],
): string | CanvasPattern {
  if (!pattern) return color;
  const size = 6 * devicePixelRatio;
  const tile = Object.assign(document.createElement('canvas'), { width: size, height: size });
  const brush = tile.getContext('2d');
  if (!brush) return color;
  brush.fillStyle = color;
  brush.fillRect(0, 0, size, size);
  brush.fillStyle = brush.strokeStyle = page;
  brush.lineWidth = size / 5;
  brush.beginPath();
  if (pattern === 'dots') brush.arc(size / 2, size / 2, size / 5, 0, Math.PI * 2);
  else {
    for (const shift of [-size, 0, size]) {
      brush.moveTo(shift - 1, size + 1);
      brush.lineTo(shift + size + 1, -1);
    }
  }
  if (pattern === 'dots') brush.fill();
  else brush.stroke();
  return context.createPattern(tile, 'repeat') ?? color;
}

interface LabelOptions {
  series: ChartSeries[];
  colors: ChartColors;
  isRtl: boolean;
  format: (value: number) => string;
}

/** Draws the zero line if values are below it, and the last value of each line beside its end. */
function drawLabels(chart: uPlot, { series, colors, isRtl, format }: LabelOptions): void {
  const { ctx, bbox } = chart;
  const scale = devicePixelRatio;
  ctx.save();
  const zero = chart.valToPos(0, 'y', true);
  if ((chart.scales['y']?.min ?? 0) < 0) {
    ctx.fillStyle = colors.zero;
    ctx.fillRect(bbox.left, Math.round(zero), bbox.width, scale);
  }
  ctx.font = `600 ${11 * scale}px system-ui, sans-serif`;
  ctx.textAlign = isRtl ? 'left' : 'right';
  ctx.textBaseline = 'alphabetic';
  ctx.lineWidth = 4 * scale;
  ctx.lineJoin = 'round';
  ctx.strokeStyle = colors.page;
  const taken: number[] = [];
  for (const { kind, values, dashed, label, format: own } of series) {
    const index = values.findLastIndex((value) => value !== null);
    const value = values[index];
    if (kind !== 'line' || value === null || value === undefined) continue;
    const gap = 8 * scale;
    let y = Math.max(chart.valToPos(value, 'y', true) - gap, bbox.top - 6 * scale);
    const isTaken = () => taken.some((other) => Math.abs(other - y) < 14 * scale);
    // The legend names the dashed line too.
    if (dashed && isTaken()) continue;
    // Below the line if another label is there.
    while (isTaken()) y += 15 * scale;
    taken.push(y);
    const x = chart.valToPos(index, 'x', true);
    const text = orient(dashed ? label : (own ?? format)(value), isRtl);
    ctx.fillStyle = dashed ? colors.text : colors.strong;
    ctx.strokeText(text, x, y);
    ctx.fillText(text, x, y);
  }
  ctx.restore();
}

/** Marks a text to be read from right to left: the drawing itself is from left to right. */
const orient = (text: string, isRtl: boolean) => (isRtl ? `\u2067${text}\u2069` : text);

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
      values: (_, ticks) => ticks.map((value) => orient(tick(value), isRtl)),
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

import type uPlot from 'uplot';
import type { ChartSeries } from './chartSeries.ts';

/** The colours of a chart in the present theme. */
export interface ChartColors {
  series: string[];
  grid: string;
  zero: string;
  text: string;
  strong: string;
  page: string;
}

/** Returns what fills a bar: its colour, with lines or dots in that of the page if it has a pattern. */
export function createPattern(
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
export function drawLabels(chart: uPlot, { series, colors, isRtl, format }: LabelOptions): void {
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
    const text = dashed ? label : (own ?? format)(value);
    ctx.fillStyle = dashed ? colors.text : colors.strong;
    ctx.strokeText(text, x, y);
    ctx.fillText(text, x, y);
  }
  ctx.restore();
}

import { useEffect, useMemo, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { useLanguage } from '../texts/language.tsx';
import { buildOptions, readColors } from './chartOptions.ts';
import type { ChartPoint, ChartSeries } from './chartSeries.ts';

interface DrawingOptions {
  points: string[];
  series: ChartSeries[];
  tick: (value: number) => string;
  height: number;
  onSelect: ((first: number, last: number) => void) | undefined;
  onPoint: (point: ChartPoint | undefined) => void;
}

/** Draws the chart, and again when its data, its width, the language or the theme change. */
export function useChart(options: DrawingOptions): React.RefObject<HTMLDivElement | null> {
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
        onPoint: (point) => latest.current.onPoint(point),
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

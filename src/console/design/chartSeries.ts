/** One row of figures: a line, bars, or bars on top of those before it. */
export interface ChartSeries {
  label: string;
  /** One value for each point; null where there is none. Parts that lower a total are negative. */
  values: (number | null)[];
  kind: 'line' | 'bars' | 'stacked';
  /** The number of its colour, 1 to 6. */
  color: 1 | 2 | 3 | 4 | 5 | 6;
  /** Dashed: a forecast, or the period before. */
  dashed?: boolean;
  /** Drawn on the colour of bars, so that they differ without colours. */
  pattern?: 'lines' | 'dots';
  /** Writes its values, if they are of another kind than those of the other series. */
  format?: (value: number) => string;
}

/** The point on which the pointer rests. */
export interface ChartPoint {
  index: number;
  /** Pixels from the left of the chart. */
  left: number;
  isPastMiddle: boolean;
}

import type { ChartSeries } from '../../design/chartSeries.ts';

/** The kinds of movements, those that add to the MRR first. */
export const movementKinds = ['new', 'expansion', 'reactivation', 'contraction', 'churn'] as const;
export type MovementKind = (typeof movementKinds)[number];

type Movements = Record<MovementKind, { decimal: string }>;

const looks: Record<MovementKind, Pick<ChartSeries, 'color' | 'pattern'>> = {
  new: { color: 1 },
  expansion: { color: 2, pattern: 'lines' },
  reactivation: { color: 3, pattern: 'dots' },
  contraction: { color: 4, pattern: 'lines' },
  churn: { color: 5 },
};

const isLoss = (kind: MovementKind) => kind === 'contraction' || kind === 'churn';

/** Returns the stacked bars of the movements: what adds to the MRR above zero, what lowers it below. */
export function buildMovementSeries(points: Movements[], names: Record<MovementKind, string>): ChartSeries[] {
  return movementKinds.map((kind) => ({
    label: names[kind],
    kind: 'stacked',
    ...looks[kind],
    values: points.map((point) =>
      isLoss(kind) ? 0 - Number(point[kind].decimal) : Number(point[kind].decimal),
    ),
  }));
}

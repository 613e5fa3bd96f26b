/** Budgets of points that are restored over time, in memory: leaky buckets. */
import { BillingError } from './errors.ts';

/** The points that a caller may use. Never below zero. */
export interface PointBudget {
  /** The whole points that are left now. */
  readonly left: number;
  /** Returns the whole seconds until so many points are left; 0 if they are. */
  computeWaitSeconds(points: number): number;
  /** Takes points that are left. */
  take(points: number): void;
  giveBack(points: number): void;
}

interface BudgetTerms {
  pointsPerSecond: number;
  /** How many points an unused budget has. */
  most: number;
}

/** Beyond this the oldest budgets are forgotten, which restores them. */
const mostKnown = 100_000;

/**
 * Returns a function that finds the budget of a name, at first a full one. A budget that has not been used for as long as it
 * takes to be full again is forgotten.
 */
export function createPointBudgets(terms: BudgetTerms, nowMs: () => number): (name: string) => PointBudget {
  const fullAfterMs = (terms.most / terms.pointsPerSecond) * 1000;
  let recent = new Map<string, Bucket>();
  let older = new Map<string, Bucket>();
  let recentUntilMs = 0;

  return (name) => {
    const atMs = nowMs();
    if (atMs >= recentUntilMs || recent.size >= mostKnown) {
      older = recent;
      recent = new Map();
      recentUntilMs = atMs + fullAfterMs;
    }
    const known = recent.get(name);
    if (known) return known;
    const bucket = older.get(name) ?? new Bucket(terms, nowMs);
    recent.set(name, bucket);
    return bucket;
  };
}

class Bucket implements PointBudget {
  private points: number;
  private atMs: number;

  constructor(
    private readonly terms: BudgetTerms,
    private readonly nowMs: () => number,
  ) {
    this.points = terms.most;
    this.atMs = nowMs();
  }

  private restore(): number {
    const atMs = this.nowMs();
    if (atMs > this.atMs) this.giveBack(((atMs - this.atMs) / 1000) * this.terms.pointsPerSecond);
    this.atMs = atMs;
    return this.points;
  }

  get left(): number {
    return Math.floor(this.restore());
  }

  computeWaitSeconds(points: number): number {
    const missing = points - this.restore();
    return missing > 0 ? Math.ceil(missing / this.terms.pointsPerSecond) : 0;
  }

  take(points: number): void {
    this.points -= points;
  }

  giveBack(points: number): void {
    this.points = Math.min(this.points + points, this.terms.most);
  }
}

/** Joins two budgets, of which each must have the points. */
export const joinBudgets = (one: PointBudget, other: PointBudget): PointBudget => ({
  get left() {
    return Math.min(one.left, other.left);
  },
  computeWaitSeconds: (points) => Math.max(one.computeWaitSeconds(points), other.computeWaitSeconds(points)),
  take: (points) => {
    one.take(points);
    other.take(points);
  },
  giveBack: (points) => {
    one.giveBack(points);
    other.giveBack(points);
  },
});

/** Reserves points for an operation. Error: `rate_limited` with the seconds until the points are left. */
export function reservePoints(budget: PointBudget, points: number): void {
  const waitSeconds = budget.computeWaitSeconds(points);
  if (waitSeconds === 0) return budget.take(points);
  const message = `The operation costs ${points}, and ${budget.left} points are left.`;
  throw new BillingError('rate_limited', [{ path: 'query', message }], waitSeconds);
}

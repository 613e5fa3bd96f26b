/**
 * The latest attempts of this server at costly tasks, by key. A task that arrived before the end of an attempt shares its
 * outcome.
 */
export class Attempts {
  private readonly latest = new Map<string, { outcome: Promise<unknown>; endedMs: number }>();

  constructor(private readonly mostKept = 1000) {}

  /** Returns the outcome of the latest attempt, unless it ended before an instant of `performance.now()`. */
  find<T>(key: string, arrivedMs: number): Promise<T> | undefined {
    const known = this.latest.get(key);
    return known && known.endedMs > arrivedMs ? (known.outcome as Promise<T>) : undefined;
  }

  /** Makes an attempt, which others find from now on. */
  start<T>(key: string, make: () => Promise<T>): Promise<T> {
    if (this.latest.size >= this.mostKept) this.forgetEnded();
    const outcome = make();
    const attempt = { outcome, endedMs: Number.POSITIVE_INFINITY };
    this.latest.set(key, attempt);
    const end = () => {
      attempt.endedMs = performance.now();
    };
    outcome.then(end, end);
    return outcome;
  }

  private forgetEnded(): void {
    for (const [key, { endedMs }] of this.latest)
      if (endedMs !== Number.POSITIVE_INFINITY) this.latest.delete(key);
  }
}

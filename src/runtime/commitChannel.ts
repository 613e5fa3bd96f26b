import { channel } from 'node:diagnostics_channel';

/** A completed commit: the number of units of work in it, and its duration. */
export interface Commit {
  units: number;
  seconds: number;
}

/** The diagnostics channel of commits; without subscribers it costs nothing. */
export const commits = channel('perennial.commit');

/** Publishes a commit; `begunAtMs` is its start by `performance.now()`. */
export function publishCommit(units: number, begunAtMs: number): void {
  if (!commits.hasSubscribers) return;
  commits.publish({ units, seconds: (performance.now() - begunAtMs) / 1000 } satisfies Commit);
}

import { channel } from 'node:diagnostics_channel';

/** A commit that has been made: how many units of work shared it, and how long it took with all of them. */
export interface Commit {
  units: number;
  seconds: number;
}

/** Tells whoever listens of each commit; while nobody does, it costs nothing. */
export const commits = channel('perennial.commit');

/** Tells of a commit that was begun at a moment of `performance.now()`. */
export function publishCommit(units: number, begunAtMs: number): void {
  if (!commits.hasSubscribers) return;
  commits.publish({ units, seconds: (performance.now() - begunAtMs) / 1000 } satisfies Commit);
}

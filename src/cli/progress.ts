import type { Io } from './io.ts';

/** Shows the progress of a task on a terminal; prints nothing elsewhere. */
export interface Progress {
  show: (text: string) => void;
  /** Removes the last message. */
  end: () => void;
}

const intervalMs = 100;

/** Shows progress in one line, which is overwritten. */
export function createProgress(io: Io, isQuiet: boolean): Progress {
  if (!io.isTerminal || isQuiet) return { show: () => {}, end: () => {} };
  let shownAtMs = 0;
  return {
    show: (text) => {
      const nowMs = performance.now();
      if (nowMs - shownAtMs < intervalMs) return;
      shownAtMs = nowMs;
      io.err(`\r\u001b[K${text}`);
    },
    end: () => {
      if (shownAtMs > 0) io.err('\r\u001b[K');
    },
  };
}

/** Formats a count with its noun: `1 tenant`, `2,000 tenants`. */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatNumber(count)} ${count === 1 ? noun : plural}`;

/** Formats a whole number: `1,234,567`. */
export const formatNumber = (value: number): string => value.toLocaleString('en');

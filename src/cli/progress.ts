import type { Io } from './io.ts';

/** Shows the progress of a task on a terminal; prints nothing elsewhere. */
interface Progress {
  tell: (text: string) => void;
  /** Removes the last message. */
  end: () => void;
}

const intervalMs = 100;

/** Shows progress in one line, which is overwritten. */
export function progressOn(io: Io, isQuiet: boolean): Progress {
  if (!io.isTerminal || isQuiet) return { tell: () => {}, end: () => {} };
  let toldAtMs = 0;
  return {
    tell: (text) => {
      const nowMs = performance.now();
      if (nowMs - toldAtMs < intervalMs) return;
      toldAtMs = nowMs;
      io.err(`\r\u001b[K${text}`);
    },
    end: () => {
      if (toldAtMs > 0) io.err('\r\u001b[K');
    },
  };
}

/** Formats a count with its noun: `1 tenant`, `2,000 tenants`. */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${counted(count)} ${count === 1 ? noun : plural}`;

/** Formats a whole number: `1,234,567`. */
export const counted = (value: number): string => value.toLocaleString('en');

import type { Io } from './io.ts';

/** Tells a person at a terminal how far a piece of work is; says nothing to anybody else. */
interface Progress {
  tell: (text: string) => void;
  /** Takes back what was told last. */
  end: () => void;
}

const intervalMs = 100;

/** Progress in one line, which is written over and over. */
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

/** A count and its noun for people: `1 tenant`, `2,000 tenants`. */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${counted(count)} ${count === 1 ? noun : plural}`;

/** A whole number for people: `1,234,567`. */
export const counted = (value: number): string => value.toLocaleString('en');

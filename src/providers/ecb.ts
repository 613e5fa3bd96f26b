/** The European Central Bank, which publishes reference rates of the euro at about 16:00 CET on its working days. */
import type { Clock } from '../lib/clock.ts';
import { hourMs, minuteMs } from '../lib/durations.ts';
import type { DayRates } from '../lib/euroRates.ts';
import { toDay } from '../lib/time.ts';
import { parseRatesFile } from './ecbFile.ts';

/** A publisher of exchange rates. */
export interface RateSource {
  /**
   * Returns the days that are published, fetched at most once an hour, and after a failure with growing pauses. Never rejects:
   * returns what was fetched last, or undefined.
   */
  latest(): Promise<DayRates[] | undefined>;
}

/** The settings of the client. */
export interface RateSourceSettings {
  /** The address of the daily file, or of that of the last 90 days. */
  url: string;
  clock: Clock;
  /** The time limit of a fetch, during which scheduled work waits. */
  timeoutMs?: number;
}

const defaultTimeoutMs = 5000;
/** The file of 90 days has 110 KB. */
const mostBytes = 1024 * 1024;
const [shortestPauseMs, longestPauseMs] = [minuteMs, hourMs];

/** Creates the client of the file at an address. */
export function createRateSource({
  url,
  clock,
  timeoutMs = defaultTimeoutMs,
}: RateSourceSettings): RateSource {
  let known: DayRates[] | undefined;
  let dueMs = Number.NEGATIVE_INFINITY;
  let pauseMs = shortestPauseMs;
  let underWay: Promise<void> | undefined;

  const refresh = async () => {
    try {
      known = parseRatesFile(await fetchText(url, timeoutMs), toDay(clock.nowMs()));
      pauseMs = shortestPauseMs;
      dueMs = clock.nowMs() + hourMs;
    } catch {
      dueMs = clock.nowMs() + pauseMs;
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    } finally {
      underWay = undefined;
    }
  };
  return {
    latest: async () => {
      if (clock.nowMs() >= dueMs) underWay ??= refresh();
      await underWay;
      return known;
    },
  };
}

async function fetchText(url: string, timeoutMs: number): Promise<string> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`The status is ${response.status}.`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error('The file is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

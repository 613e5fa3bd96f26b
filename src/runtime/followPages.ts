/** Follows rows that others add, page by page. */
import { setImmediate } from 'node:timers/promises';

/** Some of the rows after a position. */
export interface FollowedPage<R> {
  rows: R[];
  /** The position after which the next page starts. */
  past: string;
  /** Whether no more rows exist at present. */
  isLast: boolean;
}

/**
 * Returns the rows after the position `start`, those of today and then each as it is added, until the iterator is returned. `wait`
 * resolves when there may be new rows.
 */
export function followPages<R>(
  nextPage: (past: string) => Promise<FollowedPage<R>>,
  wait: (stop: AbortSignal) => Promise<unknown>,
  start: string,
): AsyncIterableIterator<R> {
  return abortOnReturn((stop) => readPages(nextPage, wait, start, stop));
}

/** Returns what a generator yields. A waiting generator processes `return` only after it resumes, so its wait is aborted. */
export function abortOnReturn<R>(
  generate: (stop: AbortSignal) => AsyncGenerator<R, undefined>,
): AsyncIterableIterator<R> {
  const stop = new AbortController();
  const rows = generate(stop.signal);
  const iterator: AsyncIterableIterator<R> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () => rows.next(),
    return: () => {
      stop.abort();
      return rows.return(undefined);
    },
  };
  return iterator;
}

async function* readPages<R>(
  nextPage: (past: string) => Promise<FollowedPage<R>>,
  wait: (stop: AbortSignal) => Promise<unknown>,
  start: string,
  stop: AbortSignal,
): AsyncGenerator<R, undefined> {
  for (let past = start; !stop.aborted;) {
    // Subscribes before reading, so that rows added during the read are noticed.
    const waking = new AbortController();
    const notified = wait(AbortSignal.any([stop, waking.signal]));
    const page = await nextPage(past);
    past = page.past;
    for (const row of page.rows) {
      if (stop.aborted) break;
      yield row;
    }
    if (page.isLast) {
      await notified;
      continue;
    }
    waking.abort();
    // SQLite reads complete synchronously. Without this pause other requests would not be served, and the end would
    // go unnoticed.
    await setImmediate();
  }
  return undefined;
}

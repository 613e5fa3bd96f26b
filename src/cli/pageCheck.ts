import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Finding } from '../maintenance/doctor/doctor.ts';
import { formatCount } from './progress.ts';
import type { Io } from './io.ts';
import { dayMs } from '../lib/durations.ts';

const firstMs = 10_000;
const mostLogged = 20;

/** Receives the number of faults that a check found. */
type RecordFaults = (faults: number) => void;

/**
 * Checks all pages of a SQLite file shortly after the start and then daily, and logs damage. The check runs in a
 * separate process with the lowest priority, because reading the file can take minutes. Returns a function that
 * stops the checks.
 */
export function watchPages(config: Config, io: Io, log: Logger, record: RecordFaults): () => void {
  if (!config.database.startsWith('sqlite:')) return () => {};
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const check = async () => {
    const output = await io.runSelf(
      ['doctor', '--pages-only', '--json', '--database', config.database],
      stop.signal,
    );
    if (stop.signal.aborted) return;
    report(output, log, record);
    timer = setTimeout(() => void check(), dayMs).unref();
  };
  timer = setTimeout(() => void check(), firstMs).unref();
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

function report(output: string, log: Logger, record: RecordFaults): void {
  const outcome = readOutcome(output);
  if (outcome === undefined || outcome.error !== undefined) {
    log.error({ failure: outcome?.error }, 'could not check the pages of the database file');
    return;
  }
  record(outcome.findings.length);
  if (outcome.findings.length === 0) return log.info('checked all pages of the database file: no damage');
  for (const { found } of outcome.findings.slice(0, mostLogged)) {
    log.error(
      { found },
      'the database file is damaged: stop the server, keep the file, and restore a backup',
    );
  }
  log.error(`the database file has ${formatCount(outcome.findings.length, 'fault')}`);
}

function readOutcome(output: string): { findings: Finding[]; error?: string } | undefined {
  try {
    return JSON.parse(output) as { findings: Finding[]; error?: string };
  } catch {
    return undefined;
  }
}

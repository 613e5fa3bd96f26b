import { Worker } from 'node:worker_threads';
import { readThreadDriver } from './nativeAddon.ts';
import { BillingError } from '../../lib/errors.ts';
import { createScanner, type Scanner } from '../scan.ts';
import { Queries, type Driver } from '../query/queries.ts';
import { buildCountQuery, shareRowQuery, type RowQuery } from './preparedSelect.ts';

/** A read that takes longer has encountered a disk that does not respond; its caller gets an error. */
const readLimitMs = 10_000;
const closeLimitMs = 1000;

interface ReadResponse {
  id: number;
  value?: string | bigint;
  message?: string;
}

interface Waiting {
  resolve: (value: ReadResponse['value']) => void;
  reject: (error: unknown) => void;
  timer: NodeJS.Timeout;
}

/** Scans on a separate thread, so that the event loop remains free. */
interface ReaderThread {
  scanner: Scanner;
  close(): Promise<void>;
}

/**
 * Opens a SQLite file for scans on a thread with its own connection; the first scan starts the thread. `built` is the
 * driver of a connection to the same file, used to build statements.
 */
export function openReaderThread(path: string, built: Driver): ReaderThread {
  let started: ReturnType<typeof startThread> | undefined;
  const thread = () => {
    if (!started?.isRunning()) started = startThread(path);
    return started;
  };
  const driver: Driver = {
    ...built,
    prepare: (shape, build, result) => {
      if (typeof result === 'object') {
        const { tables, ...prepared } = shareRowQuery(shape, build, result);
        return { prepared, tables };
      }
      const { query, tables } = build();
      return { prepared: buildCountQuery(query), tables };
    },
    all: async ({ prepared }, values) => {
      const { query, readArguments, readRows } = prepared as RowQuery<ReadResponse['value']>;
      return readRows(await thread().read(query, readArguments(values)), values);
    },
  };
  return { scanner: createScanner(new Queries(driver)), close: async () => started?.close() };
}

function startThread(path: string) {
  // Passed as the text of a function: a separate file would have to be located and compiled in every build of the
  // program.
  const worker = new Worker(`(${serveReads.toString()})(require)`, {
    eval: true,
    workerData: { path, from: import.meta.url, driver: readThreadDriver() },
  });
  worker.unref();
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let isRunning = true;
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  const failAll = (reason: 'query_timeout' | 'unavailable', cause?: unknown) => {
    isRunning = false;
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      const error = new BillingError(reason, [], 1);
      error.cause = cause;
      reject(error);
    }
    waiting.clear();
  };
  worker.on('error', (error) => failAll('unavailable', error));
  void ended.then(() => failAll('unavailable'));
  worker.on('message', ({ id, value, message }: ReadResponse) => {
    const { resolve, reject, timer } = waiting.get(id) ?? {};
    waiting.delete(id);
    clearTimeout(timer);
    if (message === undefined) resolve?.(value);
    else reject?.(new Error(message));
  });

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
  const send = (message: object) => worker.postMessage(message);
  const read = (query: string, values: unknown[]) =>
    new Promise<ReadResponse['value']>((resolve, reject) => {
      const timer = setTimeout(() => {
        failAll('query_timeout');
        void worker.terminate();
      }, readLimitMs);
      waiting.set((lastId += 1), { resolve, reject, timer });
      send({ id: lastId, query, values });
    });
  const close = async () => {
    if (!isRunning) return;
    send({ close: true });
    const late = setTimeout(() => void worker.terminate(), closeLimitMs);
    await ended;
    clearTimeout(late);
  };
  return { read, close, isRunning: () => isRunning };
}

/** The code of the thread. Only its text is passed, so it must not refer to anything outside of itself. */
function serveReads(load: NodeJS.Require): void {
  const { parentPort, workerData } = load('node:worker_threads');
  const openDatabase = () => {
    const { driver, from } = workerData;
    if (!driver) return load('node:module').createRequire(from)('better-sqlite3');
    // The compiled part that is already loaded: a second copy of SQLite would release the locks of the first.
    const compiled = { exports: {} };
    load('node:process').dlopen(compiled, driver.file);
    const library = { exports: {} as any };
    // oxlint-disable-next-line no-eval -- the source is part of the program
    (0, eval)(driver.source)(load, library, library.exports, compiled.exports);
    return library.exports;
  };
  const connection = new (openDatabase())(workerData.path, { readonly: true, timeout: 5000 });
  connection.defaultSafeIntegers(true);
  connection.pragma('cache_size = -16384');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
  const respond = (message: object) => parentPort.postMessage(message);
  const prepared = new Map();
  const prepareStatement = (query: string) => {
    const known = prepared.get(query);
    if (known) return known;
    if (prepared.size === 200) prepared.clear();
    const made = connection.prepare(query).pluck();
    prepared.set(query, made);
    return made;
  };
  parentPort.on('message', ({ id, query, values, close }: any) => {
    if (close) {
      connection.close();
      parentPort.close();
      return;
    }
    try {
      respond({ id, value: prepareStatement(query).get(...values) });
    } catch (error) {
      respond({ id, message: (error as Error).message });
    }
  });
}

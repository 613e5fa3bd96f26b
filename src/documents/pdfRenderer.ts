/** Renders PDFs in a thread, so that the event loop remains free. */
import { Worker } from 'node:worker_threads';
import { BillingError } from '../lib/errors.ts';
import { readPdfAssets, readScriptFont } from './assets.ts';
import type { PdfJob, PdfOutcome, PdfTask } from './pdf/thread.ts';
import { listScriptFonts, type ScriptFont } from './scriptFonts.ts';

interface PdfRendererOptions {
  /** Documents that may wait. */
  largestQueue: number;
  /** A document that takes longer is given up, and the thread with it. */
  limitMs: number;
  /** The thread ends if it has had no work for this time, which frees its memory. */
  idleMs: number;
  /** A thread that needs more memory ends, instead of taking the server's. A long invoice needs about 100 MB. */
  largestHeapMb: number;
}

export interface PdfRenderer {
  /**
   * Renders a document. Errors: `unavailable` if too many documents wait, the document takes too long, or the thread
   * ended; an Error for a defect of the renderer.
   */
  render(job: PdfJob): Promise<Buffer>;
  close(): Promise<void>;
}

interface Waiting {
  job: PdfJob;
  resolve: (bytes: Buffer) => void;
  reject: (error: unknown) => void;
}

const defaults: PdfRendererOptions = {
  largestQueue: 200,
  limitMs: 30_000,
  idleMs: 60_000,
  largestHeapMb: 512,
};

/** Creates a renderer with one thread, which starts with the first document and again after a crash. */
export function createPdfRenderer(options: Partial<PdfRendererOptions> = {}): PdfRenderer {
  const { largestQueue, limitMs, idleMs, largestHeapMb } = { ...defaults, ...options };
  const queue: Waiting[] = [];
  let current: Waiting | undefined;
  let worker: PdfThread | undefined;
  let timer: NodeJS.Timeout | undefined;

  const endThread = async () => {
    const ended = worker;
    worker = undefined;
    clearTimeout(timer);
    await ended?.terminate();
  };
  const finish = (settle: (job: Waiting) => void) => {
    const done = current;
    current = undefined;
    clearTimeout(timer);
    if (done) settle(done);
    next();
  };
  const fail = (cause?: unknown) => {
    void endThread();
    finish(({ reject }) => reject(createUnavailable(cause)));
  };
  const start = () => {
    const made = startThread(largestHeapMb);
    made.on('message', (outcome: PdfOutcome) =>
      finish(({ resolve, reject }) => {
        if ('bytes' in outcome) resolve(Buffer.from(outcome.bytes.buffer));
        else reject(new Error(`A document was not rendered: ${outcome.message}`));
      }),
    );
    made.on('error', (error) => worker === made && fail(error));
    made.on('exit', () => worker === made && fail());
    return made;
  };
  const next = () => {
    if (current) return;
    current = queue.shift();
    if (!current) {
      timer = setTimeout(() => void endThread(), idleMs).unref();
      return;
    }
    clearTimeout(timer);
    try {
      worker ??= start();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
      worker.postMessage(prepareTask(current.job, worker.sentFonts));
      timer = setTimeout(() => fail(), limitMs);
    } catch (error) {
      finish(({ reject }) => reject(error));
    }
  };

  return {
    render: (job) =>
      new Promise((resolve, reject) => {
        if (queue.length >= largestQueue) return reject(createUnavailable());
        queue.push({ job, resolve, reject });
        next();
      }),
    close: async () => {
      for (const { reject } of queue.splice(0)) reject(createUnavailable());
      const ended = endThread();
      finish(({ reject }) => reject(createUnavailable()));
      clearTimeout(timer);
      await ended;
    },
  };
}

function createUnavailable(cause?: unknown): BillingError {
  const error = new BillingError('unavailable', [], 1);
  error.cause = cause;
  return error;
}

/** Not a class that extends `Worker`, which the executable loads late and cannot extend. */
type PdfThread = Worker & {
  /** The fonts of scripts that the thread has. */
  readonly sentFonts: Set<ScriptFont>;
};

/** Adds the fonts that a document needs, and notes them as sent. */
function prepareTask(job: PdfJob, sent: Set<ScriptFont>): PdfTask {
  const scriptFonts = listScriptFonts(job.record);
  const missing = scriptFonts.filter((name) => !sent.has(name));
  const newFonts = Object.fromEntries(missing.map((name) => [name, readScriptFont(name)]));
  for (const name of missing) sent.add(name);
  return { ...job, scriptFonts, newFonts };
}

function startThread(largestHeapMb: number): PdfThread {
  const { program, ...workerData } = readPdfAssets();
  const worker = new Worker(program, {
    eval: true,
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: largestHeapMb },
  });
  worker.unref();
  return Object.assign(worker, { sentFonts: new Set<ScriptFont>() });
}

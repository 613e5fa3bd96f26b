import path from 'node:path';
import { run } from './cli/program.ts';
import type { Io } from './cli/io.ts';

/** The only file that touches the process: everything else is handed what it needs of it. */
const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  isTerminal: process.stdout.isTTY,
  program: programName(process.argv[1] ?? ''),
  askedToStop,
};

// A reader that has seen enough, such as `head`, closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

void run(process.argv.slice(2), io).then(leave);

/** Ends the process when what was printed has left it. */
function leave(code: number) {
  process.stdout.write('', () => process.exit(code));
}

/** What to type to call this program again. */
function programName(script: string): string {
  if (path.extname(script) === '') return path.basename(script);
  return `node ${path.relative(process.cwd(), script)}`;
}

/** Resolves at the first signal; another ends the process at once, as signals do. */
function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    const signals = ['SIGINT', 'SIGTERM'] as const;
    const stop = () => {
      for (const signal of signals) process.off(signal, stop);
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
  });
}

import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { isSea } from 'node:sea';
import { run } from './cli/program.ts';
import type { Io } from './cli/io.ts';

// Databases, their logs, backups and exports hold personal data: no file that is made here is for anybody else.
process.umask(0o077);

/** The only file that touches the process: everything else is handed what it needs of it. */
const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  isTerminal: process.stdout.isTTY,
  program: programName(process.argv[1] ?? ''),
  runSelf,
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

function runSelf(args: string[], stop: AbortSignal): Promise<string> {
  // Within the single executable there is no script to name.
  const script = isSea() ? [] : [...process.execArgv, process.argv[1]!];
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
  const child = spawn(process.execPath, [...script, ...args], { stdio, signal: stop });
  const kill = () => child.kill();
  process.once('exit', kill);
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString('utf8')));
  return new Promise((resolve) => {
    child.once('spawn', () => {
      try {
        setPriority(child.pid!, constants.priority.PRIORITY_LOW);
      } catch {
        // Where the system does not let it, it runs like any other.
      }
    });
    child.once('error', () => resolve(''));
    child.once('close', () => {
      process.off('exit', kill);
      resolve(said);
    });
  });
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

import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { isSea } from 'node:sea';
import { startupSnapshot } from 'node:v8';
import { run } from './cli/program.ts';
import type { Io } from './cli/io.ts';

/** Runs the command of the command line. The only file that uses the process; other files receive an `Io`. */
function main(): void {
  // Databases, their logs, backups and exports contain personal data, so new files are readable by the owner only.
  process.umask(0o077);
  const io: Io = {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    openInput: () => process.stdin,
    env: process.env,
    isTerminal: process.stdout.isTTY,
    program: describeProgram(process.argv[1] ?? ''),
    runSelf,
    waitForStop: waitForStop,
  };
  // A reader such as `head` may close the pipe early, which is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  void run(process.argv.slice(2), io).then(exitAfterOutput);
}

/** Exits after all output has been written. */
function exitAfterOutput(code: number) {
  process.stdout.write('', () => process.exit(code));
}

/** Returns the command line that runs this program again. */
function describeProgram(script: string): string {
  if (path.extname(script) === '') return path.basename(script);
  return `node ${path.relative(process.cwd(), script)}`;
}

function runSelf(args: string[], stop: AbortSignal): Promise<string> {
  // A single executable has no script argument.
  const script = isSea() ? [] : [...process.execArgv, process.argv[1]!];
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
  const child = spawn(process.execPath, [...script, ...args], { stdio, signal: stop });
  const kill = () => child.kill();
  process.once('exit', kill);
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString('utf8')));
  return new Promise((resolve) => {
    child.once('spawn', () => {
      try {
        setPriority(child.pid!, constants.priority.PRIORITY_LOW);
      } catch {
        // Without permission the priority stays unchanged.
      }
    });
    child.once('error', () => resolve(''));
    child.once('close', () => {
      process.off('exit', kill);
      resolve(output);
    });
  });
}

/** Resolves at the first signal. A second signal ends the process immediately. */
function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    const signals = ['SIGINT', 'SIGTERM'] as const;
    const stop = () => {
      for (const signal of signals) process.off(signal, stop);
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
  });
}

// The executable has the program as it is now, with its schema, and runs it when it starts.
if (startupSnapshot.isBuildingSnapshot()) startupSnapshot.setDeserializeMainFunction(main);
else main();

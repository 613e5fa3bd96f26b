import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { expect } from 'vitest';
import { root } from '../sourceFiles.ts';

export const program = path.join(root, 'dist/perennial.mjs');

/** The settings are the test's alone, whatever this process was started with. */
export const buildEnvironment = (settings: Record<string, string>) => {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PERENNIAL_'));
  return { ...Object.fromEntries(own), ...settings };
};

/** Builds the program unless it was built from these very sources. */
export function build(): void {
  const building = "import('./scripts/setup.mjs').then(({ ensureBuilt }) => ensureBuilt())";
  execFileSync(process.execPath, ['-e', building], { cwd: root });
}

export interface Running {
  url: string;
  process: ChildProcess;
  /** All that it has printed. */
  out: () => string;
  /** Resolves with its exit code, or the signal that ended it. */
  ended: Promise<number | string>;
}

/** The program, and what it printed, when it has ended by itself. */
export async function runProgram(
  args: string[],
  settings: Record<string, string>,
): Promise<{ code: unknown; out: string }> {
  const { ended, out } = begin(args, settings);
  return { code: await ended, out: out() };
}

/** The JSON that a command prints. */
export function call(args: string[], settings: Record<string, string>): any {
  const env = buildEnvironment(settings);
  return JSON.parse(execFileSync(process.execPath, [program, ...args, '--json'], { env, encoding: 'utf8' }));
}

/** Starts the program; `serve` is up when this resolves. */
export async function serve(settings: Record<string, string>): Promise<Running> {
  const running = begin(['serve', '--port', '0'], settings);
  await expect.poll(running.out).toMatch(/Server listening at/);
  return { ...running, url: /http:[^"]+/.exec(running.out())![0] };
}

/** Starts the program and waits for nothing. */
export function begin(args: string[], settings: Record<string, string>): Omit<Running, 'url'> {
  const child = spawn(process.execPath, [program, ...args], { env: buildEnvironment(settings) });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (out += chunk));
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return { process: child, out: () => out, ended };
}

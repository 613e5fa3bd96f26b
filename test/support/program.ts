import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { root } from '../sourceFiles.ts';
import { perennial } from './cli.ts';

export const program = path.join(root, 'dist/perennial.mjs');
/** The executable of `npm run build:binary`. */
export const executable = path.join(root, 'dist/perennial');

/** Builds an environment with the settings of the test only, without those of this process. */
export const buildEnvironment = (settings: Record<string, string>) => {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PERENNIAL_'));
  return { ...Object.fromEntries(own), ...settings };
};

let isBuilt = false;

/** Builds the program unless it is up to date with the sources; the files of one worker look once. */
export function build(): void {
  if (isBuilt) return;
  const building = "import('./scripts/setup.mjs').then(({ ensureBuilt }) => ensureBuilt())";
  execFileSync(process.execPath, ['-e', building], { cwd: root });
  isBuilt = true;
}

const bundled = new Set<string>();

/** Bundles a file of the tests, to run in a process of its own; each once. Returns the path of the bundle. */
export function bundle(entry: string): string {
  const outfile = path.join(root, 'dist', `${path.basename(entry, '.ts')}.mjs`);
  if (bundled.has(entry)) return outfile;
  const bundling = `import('./scripts/build/bundle.mjs').then(({ bundle }) => bundle('${entry}'))`;
  execFileSync(process.execPath, ['-e', bundling], { cwd: root });
  bundled.add(entry);
  return outfile;
}

/** Builds the console unless it is up to date with its sources. */
export function buildConsole(): void {
  execFileSync(process.execPath, ['scripts/build/console.mjs'], { cwd: root, stdio: 'ignore' });
}

/** Returns why the executable cannot be tested; undefined if it was built from the present sources. */
export function findExecutableProblem(): string | undefined {
  const stamp = path.join(root, 'dist/.binary-stamp');
  if (!existsSync(executable) || !existsSync(stamp)) return 'it was not built (npm run build:binary).';
  const hashing =
    "import('./scripts/setup.mjs').then(({ hashSources }) => process.stdout.write(hashSources()))";
  const hash = execFileSync(process.execPath, ['-e', hashing], { cwd: root, encoding: 'utf8' });
  return readFileSync(stamp, 'utf8') === hash ? undefined : 'it was built from other sources.';
}

export interface Running {
  url: string;
  process: ChildProcess;
  /** Its output so far. */
  out: () => string;
  /** Resolves with its exit code, or the signal that ended it. */
  ended: Promise<number | string>;
}

/** Runs the program until it exits. Returns exit code and output. */
export async function runProgram(
  args: string[],
  settings: Record<string, string>,
): Promise<{ code: unknown; out: string }> {
  const { ended, out } = begin(args, settings);
  return { code: await ended, out: out() };
}

/** Runs a command with --json in this process, which saves a start of the program. Returns the JSON that it prints. */
export async function call(args: string[], settings: Record<string, string>): Promise<any> {
  const { code, err, json } = await perennial(undefined, [...args, '--json'], settings);
  expect(code, err).toBe(0);
  return json;
}

/** Starts `serve`; resolves when it listens. */
export async function serve(settings: Record<string, string>): Promise<Running> {
  const running = begin(['serve', '--port', '0'], settings);
  await expect.poll(running.out).toMatch(/Server listening at/);
  return { ...running, url: /http:[^"]+/.exec(running.out())![0] };
}

/** Starts the program without waiting. */
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

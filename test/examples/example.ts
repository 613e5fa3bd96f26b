/** An example as an adopter has it: copied to an empty folder, its packages installed, with the packed SDK. */
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildEnvironment } from '../support/program.ts';
import { installSdk } from '../support/sdk.ts';
import { root } from '../sourceFiles.ts';

const run = promisify(execFile);

/** An example in a folder of its own. */
export interface Example {
  /** Runs a script of the example; returns what it prints. */
  runScript(name: string): Promise<string>;
  /** Writes the file of settings. */
  writeSettings(settings: Record<string, string>): void;
  /** Starts a program of the example's packages, and waits for what it prints when it serves. */
  start(command: string, args: string[], ready: RegExp): Promise<void>;
  stop(): Promise<void>;
}

/** Copies an example and installs its packages. `settingsFile` is where it reads its settings; `bin` leads to the Node for it. */
export async function installExample(name: string, settingsFile: string, bin: string): Promise<Example> {
  const folder = mkdtempSync(path.join(tmpdir(), `perennial-example-${name}-`));
  cpSync(path.join(root, 'examples', name), folder, {
    recursive: true,
    filter: (file) => !/node_modules|\.next|\.wrangler/.test(path.relative(root, file)),
  });
  const env: NodeJS.ProcessEnv = {
    ...buildEnvironment({ NEXT_TELEMETRY_DISABLED: '1', WRANGLER_SEND_METRICS: 'false' }),
    PATH: `${bin}:${process.env['PATH']}`,
  };
  // Next.js refuses the value of tests.
  delete env['NODE_ENV'];
  const sdk = installSdk();
  const tarball = path.join(
    sdk,
    readdirSync(sdk).find((each) => each.endsWith('.tgz'))!,
  );
  const npm = async (...args: string[]) => (await run('npm', args, { cwd: folder, env })).stdout;
  await npm('install', '--no-audit', '--no-fund', '--loglevel=error', tarball);
  let printed = '';
  let stop = () => Promise.resolve();
  return {
    runScript: (script) => npm('run', '--silent', script),
    writeSettings: (settings) =>
      writeFileSync(
        path.join(folder, settingsFile),
        Object.entries(settings)
          .map(([key, value]) => `${key}=${value}\n`)
          .join(''),
      ),
    start: async (command, args, ready) => {
      // In a group of its own, since its processes start others.
      const child = spawn(path.join(folder, 'node_modules/.bin', command), args, {
        cwd: folder,
        env,
        detached: true,
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      stop = async () => {
        if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL');
        await ended;
      };
      await new Promise<void>((resolve, reject) => {
        const read = (chunk: unknown) => {
          printed += String(chunk);
          if (ready.test(printed)) resolve();
        };
        for (const stream of [child.stdout, child.stderr]) stream.on('data', read);
        void ended.then(() => reject(new Error(`${command} has ended:\n${printed}`)));
      });
    },
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

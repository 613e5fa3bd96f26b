import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../support/ports.ts';

export interface Installed {
  /** The built program. */
  program: string;
  /** The file of the database. */
  file: string;
  /** A command and its arguments that start the program, such as strace. */
  under?: string[];
  level?: string;
  /** How large its heap may become. */
  heapMib?: number;
}

export interface Victim {
  url: string;
  /** Starts it, and resolves when it is ready. */
  start(): Promise<void>;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
  /** Sends a signal to it. */
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  /** Runs a command on its database. Returns its output. */
  run(...args: string[]): any;
  residentKib(): number;
}

const startTries = 1200;

/** The server as a process of its own, which can be killed and started again on the same port. */
export async function createVictim({
  program,
  file,
  under = [],
  level = 'fatal',
  heapMib,
}: Installed): Promise<Victim> {
  const port = await freePort();
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PERENNIAL_'));
  const env = {
    ...Object.fromEntries(own),
    PERENNIAL_DATABASE: `sqlite:${file}`,
    PERENNIAL_LOG_LEVEL: level,
    PERENNIAL_RATE_LIMIT: '1000000',
  };
  const url = `http://127.0.0.1:${port}`;
  const limits = heapMib === undefined ? [] : [`--max-old-space-size=${heapMib}`];
  const serve = [process.execPath, ...limits, program, 'serve', '--port', String(port)];
  const [command, ...args] = [...under, ...serve];
  let child: ChildProcess;
  let ended: Promise<unknown>;
  // What starts it for us is signalled together with it.
  const isUnder = under.length > 0;
  const signal = (name: NodeJS.Signals) => void process.kill(isUnder ? -child.pid! : child.pid!, name);
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  return {
    url,
    start: async () => {
      child = spawn(command!, args, { env, stdio: ['ignore', 'ignore', 'inherit'], detached: isUnder });
      ended = new Promise((resolve) => child.on('exit', resolve));
      for (let tries = 0; tries < startTries; tries++) {
        if (await isReady()) return;
        if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
        await pause(20);
      }
      throw new Error('The server does not start.');
    },
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) signal('SIGKILL');
      await ended;
    },
    signal,
    run: (...words) => {
      const text = execFileSync(process.execPath, [program, ...words], { env, encoding: 'utf8' });
      return JSON.parse(text);
    },
    residentKib: () =>
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })),
  };
}

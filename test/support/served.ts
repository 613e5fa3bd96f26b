import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { run } from '../../src/cli/program.ts';

/** Starts `serve` in this process, on a free port; returns what it has printed and how to stop it. */
export function serveInProcess(database: string, args: string[], isTerminal = true, env = {}) {
  const said = { out: '', err: '' };
  let stop!: () => void;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const ended = run(['serve', '--port', '0', ...args], {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    openInput: () => Readable.from([]),
    env: { PERENNIAL_DATABASE: database, ...env },
    isTerminal,
    program: 'perennial',
    runSelf: () => Promise.resolve(''),
    waitForStop: () => stopped,
  });
  const until = async (text: RegExp, timeout?: number) => {
    await expect.poll(() => text.exec(said.out)?.[0] ?? said.err, { timeout }).toMatch(text);
  };
  return { said, until, stop: async () => (stop(), ended) };
}

/** Lists the requests that a text of curl commands makes, as arguments of fetch. */
export function listRequests(text: string): [string, RequestInit][] {
  const commands = text.replace(/\\\n/g, '').match(/curl .*/g)!;
  return commands.map((command) => {
    const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name!, value!]);
    const body = / -d '([^']+)'/.exec(command)?.[1];
    const url = /http:[^ ']+/.exec(command)![0];
    return [url, { headers: headers as [string, string][], ...(body && { method: 'POST', body }) }];
  });
}

import type { Command } from 'commander';
import { formatUrl } from '../config/config.ts';
import { addSettings, parseConfig, type Flags, type Io } from './io.ts';

const timeoutMs = 4000;

/** Adds `health`, which container engines run: an image may have no other program. */
export function addHealthCommand(program: Command, io: Io): void {
  const health = program
    .command('health')
    .description('ask the server of these settings whether it can serve; fails unless it can')
    .addHelpText(
      'after',
      '\nExamples:\n  $ perennial health\n  $ perennial health --host 127.0.0.1 --port 8080',
    );
  addSettings(health, ['host', 'port']).action((flags: Flags) => askServer(flags, io));
}

/** Prints that the server is ready. Throws an Error with the reason if it is not, or does not respond. */
async function askServer(flags: Flags, io: Io): Promise<void> {
  const { host, port } = parseConfig(flags, io);
  // Not by name: a container may have no list of hosts.
  const url = `${formatUrl(loopbacks[host] ?? host, port)}/readyz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    throw new Error(`${url} does not respond.`, { cause: error });
  });
  const body = (await response.text()).trim();
  if (!response.ok) throw new Error(`${url} responds ${response.status}: ${body}`);
  io.out(`${url} is ready.\n`);
}

/** Where a server that listens on every address is reached from the same machine. */
const loopbacks: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

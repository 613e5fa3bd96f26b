import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { clientVariables } from '../config/settings.ts';
import { readConnection } from './connection.ts';
import type { Io } from './io.ts';

const { url: urlVariable, apiKey: keyVariable } = clientVariables;

/** Adds `mcp`, which clients of agents start as a process of their own. */
export function addMcpCommand(program: Command, io: Io): void {
  program
    .command('mcp')
    .description(
      `connect an agent to a server by the Model Context Protocol on standard input and output (${urlVariable}, ${keyVariable})`,
    )
    .addHelpText(
      'after',
      `
${urlVariable}      base URL of the server, such as https://billing.example.com
${keyVariable}  API key of the tenant; it decides what the agent may do

Examples:
  $ ${urlVariable}=http://localhost:4000 ${keyVariable}=prn_… perennial mcp
  $ claude mcp add perennial --env ${urlVariable}=http://localhost:4000 --env ${keyVariable}=prn_… -- perennial mcp`,
    )
    .action(() => connect(io));
}

async function connect(io: Io): Promise<void> {
  const stopped = io.waitForStop();
  const { url, apiKey } = readConnection(io.env);
  // Loaded only here, because it takes time.
  const { runBridge } = await import('../mcp/bridge.ts');
  const output = new Writable({
    write: (chunk: Buffer, _, done) => {
      io.out(chunk.toString('utf8'));
      done();
    },
  });
  await runBridge({
    url,
    apiKey,
    input: io.openInput(),
    output,
    warn: (line) => io.err(`${line}\n`),
    stopped,
  });
}

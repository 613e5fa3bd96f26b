import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { clientVariables } from '../config/settings.ts';
import { webAddress } from '../lib/settingSchemas.ts';
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

// A publishable key and the token of a customer are for browsers.
const secretKeyForm = /^prn_(?!pk_|cs_)[a-z0-9-]{1,63}_[0-9a-z]{12}_[0-9a-z]{40}$/;

/** Reads the address and the key. Throws an Error that names the wrong variable, and never has the key. */
function readConnection(env: Io['env']): { url: string; apiKey: string } {
  const given = env[urlVariable]?.trim() ?? '';
  const apiKey = env[keyVariable]?.trim() ?? '';
  if (given === '')
    throw new Error(`${urlVariable} is missing: the base URL of the server, such as http://localhost:4000.`);
  const parsed = webAddress.safeParse(given);
  if (!parsed.success) throw new Error(`${urlVariable} must be an http or https address.`);
  const url = new URL(parsed.data);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Error(`${urlVariable} must be a base URL without a user name, a query or an anchor.`);
  if (apiKey === '') throw new Error(`${keyVariable} is missing: an API key of the tenant.`);
  if (!secretKeyForm.test(apiKey))
    throw new Error(
      `${keyVariable} is not a secret API key; one begins with prn_ and is made by perennial key create.`,
    );
  return { url: parsed.data, apiKey };
}

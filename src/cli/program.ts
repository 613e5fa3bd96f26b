import { Command, CommanderError } from 'commander';
import { BillingError } from '../lib/errors.ts';
import { redactKeys } from '../lib/redaction.ts';
import { version } from '../lib/version.ts';
import { addBackupCommands } from './backups.ts';
import { addBillCommand } from './bill.ts';
import { addReindexCommand } from './reindex.ts';
import { addCatalogCommands } from './catalog.ts';
import { addCopyCommand } from './copy.ts';
import { addCompletionCommand } from './completion.ts';
import { addDatabaseCommands } from './database.ts';
import { addDoctorCommand } from './doctor.ts';
import { addDocumentCommands } from './documents.ts';
import { addExchangeRatesCommand } from './exchangeRates.ts';
import { addHealthCommand } from './health.ts';
import type { Io } from './io.ts';
import { addKeyCommands } from './keys.ts';
import { addMcpCommand } from './mcp.ts';
import { addOperatorCommands } from './operators.ts';
import { addServeCommand } from './serve.ts';
import { addStripeImport } from './stripeImport.ts';
import { addTenantFileCommands } from './tenantFiles.ts';
import { addTenantCommands } from './tenants.ts';
import { addVatRatesCommand } from './vatRates.ts';

const exitCodes = { done: 0, failed: 1, misused: 2 };

/**
 * Runs the command in `args`. Resolves with the exit code: 0 for success, 1 for failure, 2 for wrong usage. Errors
 * are printed as one line on `io.err`.
 */
export async function run(args: string[], io: Io): Promise<number> {
  try {
    await buildProgram(io).parseAsync(args, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    // Commander has already printed the error; help and version are errors too.
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done;
      if (isDoctorInJson(args))
        io.out(`${JSON.stringify({ findings: [], examined: null, error: describeMisuse(error.message) })}\n`);
      return exitCodes.misused;
    }
    // Arguments can contain a complete key, for example in place of its id, and terminals are recorded.
    io.err(`${redactKeys(describeError(error))}\n`);
    return exitCodes.failed;
  }
}

/** Programs that run `doctor --json` expect JSON, also for wrong usage. */
const isDoctorInJson = (args: string[]) => args[0] === 'doctor' && args.includes('--json');

function buildProgram(io: Io): Command {
  const program = new Command('perennial')
    .description('Self-hosted subscription billing.')
    .version(version)
    .exitOverride()
    // `import` and `import stripe` have options with the same names.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: (text, write) => write(`${describeMisuse(text)}\n`),
    })
    .addHelpText(
      'after',
      `
Examples:
  $ perennial serve
  $ perennial tenant create acme
  $ perennial key create --tenant acme --scope read

Each command has its own help: perennial key rotate --help`,
    );
  addServeCommand(program, io);
  addHealthCommand(program, io);
  addTenantCommands(program, io);
  addKeyCommands(program, io);
  addOperatorCommands(program, io);
  addBillCommand(program, io);
  addReindexCommand(program, io);
  addDatabaseCommands(program, io);
  addBackupCommands(program, io);
  addDoctorCommand(program, io);
  addStripeImport(addTenantFileCommands(program, io), io);
  addCatalogCommands(program, io);
  addCopyCommand(program, io);
  addExchangeRatesCommand(program, io);
  addVatRatesCommand(program, io);
  addDocumentCommands(program, io);
  addMcpCommand(program, io);
  addCompletionCommand(program, io);
  return program;
}

/** Formats commander's message as one line, without its prefix and without API keys. */
const describeMisuse = (text: string) => redactKeys(joinLines(text.replace(/^error: /, '')));

const joinLines = (text: string) => text.trim().replace(/\s*\n\s*/g, ' ');

function describeError(error: unknown): string {
  if (error instanceof BillingError && error.issues.length > 0) {
    return joinLines(error.issues.map(({ path, message }) => `${path}: ${message}`).join('; '));
  }
  return joinLines(error instanceof Error ? error.message : String(error));
}

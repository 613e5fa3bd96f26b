import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { pino, type Logger } from 'pino';
import { createApp, type App } from '../app/app.ts';
import { baseUrl, type Config } from '../config/config.ts';
import { listPaymentWarnings } from '../maintenance/paymentWarnings.ts';
import { createFirstLink, hasOperators } from '../access/operators/administration.ts';
import { toConsoleUrl } from '../access/operators/site.ts';
import { recordPublicUrl } from '../tenancy/serverSettings.ts';
import { disablePretenuring } from '../runtime/heap.ts';
import { listFileWarnings } from '../storage/open.ts';
import { redactPassword } from '../lib/postgresAddress.ts';
import { settings, type SettingName } from '../config/settings.ts';
import { createDemo, demoContents, DemoStopped, formatDemo, type DemoContents } from './demo.ts';
import { chooseFreePort } from './freePort.ts';
import { parseConfig, addSettings, type Flags, type Io } from './io.ts';
import { createLogLines } from './logLines.ts';
import { createProgress } from './progress.ts';
import { watchPages } from './pageCheck.ts';

// In total less than ten seconds, after which supervisors usually kill a process.
const retireMs = 1000;
/** Clients usually reuse an idle connection within this time. */
const graceMs = 500;
const drainMs = 7000;

/** Adds `serve`. */
export function addServeCommand(program: Command, io: Io): void {
  const serve = program
    .command('serve')
    .description('serve GraphQL and REST until stopped')
    .addOption(
      new Option(
        '--demo [contents]',
        'create a test tenant on the first start, with two years of history or a small catalogue',
      )
        .choices(demoContents)
        .preset('history'),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ perennial serve
  $ perennial serve --demo
  $ perennial serve --demo catalog
  $ perennial serve --host 0.0.0.0 --port 80 --database sqlite:/var/lib/perennial/perennial.db
  $ PERENNIAL_PORT=8080 PERENNIAL_EXPLORER=off perennial serve`,
    );
  addSettings(serve, Object.keys(settings) as SettingName[]).action((flags: Flags) =>
    serveUntilStopped(flags, io),
  );
}

async function serveUntilStopped(flags: Flags, io: Io) {
  const stopped = io.waitForStop();
  const config = await chooseFreePort(parseConfig(flags, io));
  const log = createLog(config, io);
  const app = await createApp(config, { log });
  let stopWatching = () => {};
  try {
    const demo = await makeDemo(app, flags, io, stopped);
    if (demo.isStopped) return;
    // One host in all that is printed: `localhost` and 127.0.0.1 have no session in common.
    const url = toConsoleUrl(await listen(app, config));
    // Only hints of commands need it: a database that takes no writes for a moment must not stop the server.
    await recordPublicUrl(app.service, config.publicUrl).catch((error: unknown) =>
      log.warn({ err: error }, 'the public URL could not be recorded'),
    );
    disablePretenuring();
    if (config.metricsPort !== undefined) await app.metrics?.listen(config.metricsPort);
    stopWatching = watchPages(config, io, log, (faults) => app.metrics?.recordPageCheck(faults));
    if (io.isTerminal) io.out(formatGreeting(url, config));
    const warnings = [...listFileWarnings(config), ...(await listPaymentWarnings(app.service))];
    for (const warning of warnings) log.warn(warning);
    if (flags['demo']) io.out(formatDemo(demo.apiKey, url, createHint(flags, io)));
    await offerConsole(app, config.publicUrl, flags, io, log);
    await stopped;
    if (io.isTerminal) io.out('\nStopping.\n');
    else log.info('stopping');
    app.retire();
    // Gives a load balancer time to notice; not needed at a terminal.
    if (!io.isTerminal) await pause(retireMs);
    await app.stopListening(io.isTerminal ? 0 : graceMs);
  } finally {
    stopWatching();
    await drain(app);
  }
}

/** Makes the demo before anybody can see it, if one is wanted. Returns the key of a new one. */
async function makeDemo(
  { service }: App,
  flags: Flags,
  io: Io,
  stopped: Promise<void>,
): Promise<{ apiKey?: string; isStopped?: boolean }> {
  if (!flags['demo']) return {};
  let isStopped = false;
  void stopped.then(() => (isStopped = true));
  const contents = flags['demo'] as DemoContents;
  const progress = createProgress(io, false);
  try {
    return { apiKey: await createDemo(service, { contents, progress, isStopping: () => isStopped }) };
  } catch (error) {
    if (error instanceof DemoStopped) return { isStopped: true };
    throw error;
  }
}

/** Creates the log: text on a terminal, otherwise JSON. */
function createLog({ logLevel, logFormat }: Config, io: Io) {
  const isText = logFormat === 'text' || (logFormat === 'auto' && io.isTerminal);
  return pino(
    {
      level: logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: isText ? writeText(io) : (line) => io.out(line) },
  );
}

function writeText(io: Io) {
  const formatLine = createLogLines(usesColours(io));
  return (line: string) => {
    // The greeting contains the address.
    if (!(io.isTerminal && line.includes('"msg":"Server listening at'))) io.out(formatLine(line));
  };
}

/** https://no-color.org */
const usesColours = ({ isTerminal, env }: Io) => isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

const failuresToListen: Record<string, (config: Config) => string> = {
  EADDRINUSE: ({ host, port }) => `Port ${port} on ${host} is in use; choose another with --port.`,
  EACCES: ({ port }) => `No permission to listen on port ${port}; choose one above 1023 with --port.`,
  EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine; choose another with --host.`,
  ENOTFOUND: ({ host }) => `${host} is not an address of this machine; choose another with --host.`,
};

/** Listens and returns the server's base URL for clients on this machine. */
async function listen({ server }: App, config: Config): Promise<string> {
  try {
    const { host, port } = config;
    await server.listen({ host, port, listenTextResolver: describeAddress });
  } catch (error) {
    const describe = failuresToListen[String((error as { code?: unknown }).code)];
    throw describe ? new Error(describe(config), { cause: error }) : error;
  }
  const { port } = server.server.address() as AddressInfo;
  return baseUrl({ host: config.host, port });
}

/** The line of the log has the host of all other links. */
const describeAddress = (address: string) => `Server listening at ${toConsoleUrl(address)}`;

function formatGreeting(url: string, config: Config): string {
  const explorer = config.explorer ? '  (in a browser: GraphiQL)' : '';
  return [
    'Perennial is serving. Stop it with Ctrl+C.',
    '',
    ...(config.console ? [`  Console  ${url}/console`] : []),
    `  GraphQL  ${url}/graphql${explorer}`,
    `  REST     ${url}/api/v1`,
    `  Data     ${redactPassword(config.database)}`,
    '',
    '',
  ].join('\n');
}

/**
 * Prints a link to the console until the first operator can sign in without one. Without a terminal the output is a log, which
 * must not contain it; then the log says how to create one.
 */
async function offerConsole(app: App, publicUrl: string, flags: Flags, io: Io, log: Logger) {
  if (!io.isTerminal && !flags['demo']) {
    if (!(await hasOperators(app.service)))
      log.info(
        `the console has no operators; create one: ${createHint(flags, io)('operator create <email>')}`,
      );
    return;
  }
  const url = await createFirstLink(app.service, publicUrl);
  if (url) io.out(`Open the console with this link, once, within 30 minutes:\n\n  ${url}\n\n`);
}

/** Returns a function that formats another command for the same database. */
function createHint(flags: Flags, io: Io) {
  const database =
    flags['database'] === undefined ? '' : ` --database ${redactPassword(String(flags['database']))}`;
  return (command: string) => `${io.program} ${command}${database}`;
}

/** Waits for requests in progress, for at most `drainMs`. */
async function drain(app: App) {
  const timer = setTimeout(() => app.server.server.closeAllConnections(), drainMs);
  await app.close();
  clearTimeout(timer);
}

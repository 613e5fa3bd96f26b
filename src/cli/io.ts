import { existsSync, readFileSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { openCommandService } from '../app/app.ts';
import { readConfig, type Config } from '../config/config.ts';
import { settings, type SettingName } from '../config/settings.ts';
import { BillingError } from '../lib/errors.ts';
import type { Service } from '../tenancy/service.ts';

/** The interface of a command to its process. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Returns what is written to the process, for commands that read it. */
  openInput(): Readable;
  env: Record<string, string | undefined>;
  /** Whether `out` is a terminal. */
  isTerminal: boolean;
  /** The command line of this program, for hints: `node dist/perennial.mjs`. */
  program: string;
  /**
   * Runs another command of this program in a separate process with the lowest priority, until `stop`. Resolves
   * with its output, or with an empty text if it could not be started.
   */
  runSelf(args: string[], stop: AbortSignal): Promise<string>;
  /** Resolves when the process receives a signal to stop. */
  waitForStop(): Promise<void>;
}

/** Options as parsed by commander: settings by the names of their flags, and the command's own options. */
export type Flags = Record<string, string | boolean | undefined>;

const toOption = (name: SettingName) => {
  const { flag, variable, default: standard, help } = settings[name]!;
  const unset = standard === undefined ? '' : `, default ${standard}`;
  return new Option(flag, `${help} (or ${variable}${unset})`);
};

/** Adds the flags of settings to a command. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) command.addOption(toOption(name));
  return command;
}

/** Parses the configuration of a command. Throws an Error that names the first invalid setting. */
export function parseConfig(flags: Flags, io: Io): Config {
  const names = Object.keys(settings) as SettingName[];
  const given = names.map((name) => [name, flags[toOption(name).attributeName()]]);
  return readConfig(Object.fromEntries(given) as Partial<Record<SettingName, string>>, io.env);
}

/**
 * Opens the database for a short task, also while a server is running, and closes it afterwards. Throws an Error if there is
 * no database.
 */
export async function withService<T>(
  flags: Flags,
  io: Io,
  work: (service: Service, publicUrl: string) => Promise<T>,
): Promise<T> {
  return withConfiguredService(parseConfig(flags, io), work);
}

/** Like `withService`, for a given configuration; `mayCreate` creates a database that does not exist. */
export async function withConfiguredService<T>(
  config: Config,
  work: (service: Service, publicUrl: string) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const { service, publicUrl } = await retryWhileBusy(() => openCommandService(config, { mayCreate }));
  try {
    return await work(service, publicUrl);
  } finally {
    await service.store.close();
  }
}

const attempts = 50;
const pauseMs = 100;

/** Retries work for up to five seconds while another process writes to the database. */
export async function retryWhileBusy<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isBusy(error)) throw error;
      await pause(pauseMs);
    }
  }
}

function isBusy(error: unknown): boolean {
  if (error instanceof BillingError) return error.reason === 'unavailable';
  const { cause } = error as { cause?: { code?: unknown } };
  return String(cause?.code).startsWith('SQLITE_BUSY');
}

/** Prints a result: one line of JSON with --json, otherwise text. */
export function print(io: Io, flags: Flags, json: object, text: string): void {
  io.out(flags['json'] ? `${JSON.stringify(json)}\n` : text);
}

/** Formats rows as lines of aligned columns; the first row is the heading. */
export function formatColumns(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Throws an Error with a plain message unless there is such a file. */
export function checkFile(file: string): void {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  if (statSync(file).isDirectory()) throw new Error(`${file} is a folder.`);
}

/** Returns the text of a file. Throws an Error with a plain message unless there is one of that size or less. */
export function readTextFile(file: string, mostMegabytes: number): string {
  checkFile(file);
  if (statSync(file).size > mostMegabytes * 1024 * 1024)
    throw new Error(`${file} has more than ${mostMegabytes} MB.`);
  return readFileSync(file, 'utf8');
}

export const jsonFlag = ['--json', 'print the result as one line of JSON'] as const;

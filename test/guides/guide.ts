/** Guides as programs: what their blocks hold is written down and run, as a reader would do it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { root } from '../sourceFiles.ts';
import { buildEnvironment } from '../support/program.ts';

const longestMs = 120_000;

interface Block {
  /** What stands after the three backticks: `js file=shop.mjs`, `sh run`, `text output`. */
  info: string;
  text: string;
}

/** A folder in which the packages of this repository are installed. */
interface Folder {
  path: string;
  remove(): void;
}

/** Makes the folder that a reader begins in. */
export function emptyFolder(): Folder {
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-guide-'));
  // As `npm init` writes it.
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }');
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return { path: folder, remove: () => rmSync(folder, { recursive: true }) };
}

/**
 * Follows a guide in a folder: writes its files (blocks of one file make it together), runs its commands, and compares
 * what they print with what the guide says they do, where `…` stands for anything within a line. A key that a command
 * prints is the reader's from then on. Before a block `sh run stopped` the server is stopped. The command of a block
 * `sh run beside` goes on running until the guide has ended, and `look` has returned.
 */
export async function follow(
  guide: string,
  folder: string,
  env: Record<string, string>,
  { stop, look }: { stop?: () => Promise<void>; look?: () => Promise<void> } = {},
): Promise<void> {
  const blocks = readBlocks(guide);
  const files = new Map<string, string>();
  for (const { info, text } of blocks) {
    const file = / file=(\S+)/.exec(info)?.[1];
    if (file) files.set(file, files.has(file) ? `${files.get(file)}\n${text}` : text);
  }
  for (const [file, text] of files) {
    const place = path.join(folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
  const commands = blocks.filter(({ info }) => info.startsWith('sh run') || info === 'text output');
  expect(commands.length).toBeGreaterThan(0);
  let printed = '';
  let apiKey = {};
  const beside: ChildProcess[] = [];
  try {
    for (const { info, text } of commands) {
      if (info === 'text output') {
        expect(printed).toMatch(buildPattern(text));
        continue;
      }
      if (info === 'sh run beside') {
        beside.push(await runBeside(folder, text, { ...env, ...apiKey }));
        continue;
      }
      if (info === 'sh run stopped') await stop!();
      printed = await runIn(folder, text, { ...env, ...apiKey });
      const key = printed.match(/\bprn_\w+/g)?.at(-1);
      if (key) apiKey = { API_KEY: key };
    }
    await look?.();
  } finally {
    for (const child of beside) child.kill();
  }
}

/** Starts a server, and waits until it prints that it is ready. */
async function runBeside(
  folder: string,
  command: string,
  env: Record<string, string>,
): Promise<ChildProcess> {
  const child = spawn('sh', ['-ec', `exec ${command}`], { cwd: folder, env: buildEnvironment(env) });
  const ended = once(child, 'close').then(() => Promise.reject(new Error(`${command} has ended`)));
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  return child;
}

/** The fenced blocks of a guide, in their order. */
export function readBlocks(guide: string): Block[] {
  const page = readFileSync(path.join(root, 'docs/guides', guide), 'utf8');
  return [...page.matchAll(/^```(\S[^\n]*)\n(.*?)^```$/gms)].map(([, info, text]) => ({
    info: info!,
    text: text!,
  }));
}

const buildPattern = (text: string) => new RegExp(`^${text.trim().split('…').map(escaped).join('[^\\n]+')}$`);

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** What the commands print, trimmed; throws unless all succeed. The server must stay able to answer meanwhile. */
export async function runIn(folder: string, commands: string, env: Record<string, string>): Promise<string> {
  // npx looks in this folder first, but is slow to begin.
  const child = spawn('sh', ['-ec', commands.replaceAll('npx ', 'node_modules/.bin/')], {
    cwd: folder,
    env: buildEnvironment(env),
    timeout: longestMs,
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${commands} ended with ${String(code)}\n${out}${err}`);
  return out.trim();
}

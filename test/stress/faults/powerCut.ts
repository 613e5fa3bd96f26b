import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { checkWrites } from './checks.ts';
import { createVictim } from './server.ts';
import { startWriters } from './writers.ts';

interface Settings {
  program: string;
  folder: string;
  cuts: number;
}

const imageBytes = 128 * 1024 * 1024;
const writingMs = 1500;
const inFull = 'synchronous = FULL';

/**
 * Power cuts: a server on a disk of its own is stopped at its writing, and what had reached that disk is copied and read
 * as after a restart. Once as the program is, and once made careless, which must lose something. Answers the reason where
 * this machine mounts no images.
 */
export async function cutPower({ program, folder, cuts }: Settings) {
  const disk = path.join(folder, 'disk.img');
  const cannot = whyNoMount(disk, path.join(folder, 'mounted'));
  if (cannot) return { skipped: cannot };
  const careless = makeCareless(program);
  const figures = {
    full: { cuts, acknowledged: 0, lost: 0, doubled: 0, withoutTrace: 0, damaged: 0 },
    normal: { cuts, acknowledged: 0, lost: 0, doubled: 0, withoutTrace: 0, damaged: 0 },
  };
  for (const [mode, used] of [
    ['full', program],
    ['normal', careless],
  ] as const) {
    for (let cut = 0; cut < cuts; cut++) {
      const { acknowledged, lost, doubled, withoutTrace, damaged } = await cutOnce(used, folder, disk);
      figures[mode].acknowledged += acknowledged;
      figures[mode].lost += lost;
      figures[mode].doubled += doubled;
      figures[mode].withoutTrace += withoutTrace;
      figures[mode].damaged += damaged;
    }
  }
  for (const file of [careless, getBundlePath(careless)]) rmSync(file);
  return figures;
}

/** Where the text of a program lies, which the program itself only starts. */
const getBundlePath = (program: string) => program.replace(/mjs$/, 'cjs');

/** Writes a copy of the program that does not sync to disk. Returns its path. */
function makeCareless(program: string): string {
  const careless = path.join(path.dirname(program), 'perennial-careless.mjs');
  const text = readFileSync(getBundlePath(program), 'utf8');
  if (!text.includes(inFull)) throw new Error(`The program does not say ${inFull} any more.`);
  writeFileSync(getBundlePath(careless), text.replace(inFull, 'synchronous = NORMAL'));
  writeFileSync(careless, readFileSync(program, 'utf8').replaceAll('perennial.', 'perennial-careless.'));
  return careless;
}

async function cutOnce(program: string, folder: string, disk: string) {
  const mounted = path.join(folder, 'mounted');
  makeDisk(disk);
  mount(disk, mounted);
  const victim = await createVictim({ program, file: path.join(mounted, 'torture.db') });
  const copy = path.join(folder, 'copy.img');
  const { apiKey } = victim.run('tenant', 'create', 'acme', '--test', '--json');
  execFileSync('sync', ['-f', mounted]);
  await victim.start();
  const writers = await startWriters({ url: victim.url, apiKey, alias: 'acme' }, 8);
  await pause(writingMs);
  victim.signal('SIGSTOP');
  await pause(50);
  const { writes } = writers.written;
  const acknowledged = new Set(writes.filter(({ id }) => id !== undefined));
  // Unsynchronised writes are in the memory of the mounted file system, not in its image.
  copyFileSync(disk, copy);
  victim.signal('SIGCONT');
  await writers.finish();
  await victim.kill();
  execFileSync('umount', [mounted]);
  return { acknowledged: acknowledged.size, ...readCopy(copy, mounted, writes, acknowledged) };
}

type Writes = Parameters<typeof checkWrites>[1];

function readCopy(copy: string, mounted: string, writes: Writes, acknowledged: Set<Writes[number]>) {
  mount(copy, mounted);
  const disk = new Database(path.join(mounted, 'torture.db'));
  try {
    return checkWrites(disk, writes, acknowledged);
  } finally {
    disk.close();
    execFileSync('umount', [mounted]);
  }
}

function whyNoMount(disk: string, mounted: string): string | undefined {
  try {
    mkdirSync(mounted, { recursive: true });
    makeDisk(disk);
    mount(disk, mounted);
    execFileSync('umount', [mounted]);
    return undefined;
  } catch (error) {
    return `this machine mounts no images: ${(error as Error).message.split('\n')[0]}`;
  }
}

function makeDisk(disk: string): void {
  writeFileSync(disk, '');
  truncateSync(disk, imageBytes);
  execFileSync('mkfs.ext4', ['-q', '-F', disk], { stdio: 'pipe' });
}

const mount = (disk: string, mounted: string) =>
  execFileSync('mount', ['-o', 'loop', disk, mounted], { stdio: 'pipe' });

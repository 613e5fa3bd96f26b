import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createVictim } from './server.ts';
import { createSender } from './writers.ts';

interface Settings {
  program: string;
  folder: string;
  answers: number;
}

const wrote = /\bpwrite64\(\d+<[^>]*-wal>/;
const synced = /\bf(?:data)?sync\(\d+<[^>]*-wal>/;
const answered = /\bwritev?\(\d+<[^>]*>, .*HTTP\/1\.1 201/;

/**
 * Watches the system calls of a server that is asked to create, one request after another: before each answer the log
 * of the database is written and synchronised. Answers the reason where there is no strace.
 */
export async function watchSyncs({ program, folder, answers }: Settings) {
  if (spawnSync('strace', ['-V']).error) return { skipped: 'there is no strace' };
  const file = path.join(folder, 'syncs.db');
  const log = path.join(folder, 'strace.txt');
  const calls = 'trace=pwrite64,fdatasync,fsync,write,writev';
  const under = ['strace', '-f', '-y', '-s', '32', '-e', calls, '-o', log];
  const victim = await createVictim({ program, file, under });
  const { apiKey } = victim.run('tenant', 'create', 'acme', '--test', '--json');
  await victim.start();
  const send = createSender({ url: victim.url, apiKey, alias: 'acme' });
  for (let count = 0; count < answers; count++) await send('/groups', { name: `group ${count}` });
  // The server ends, and strace with it, which writes down all it has seen.
  victim.signal('SIGTERM');
  for (let waited = 0; waited < 100 && !readFileSync(log, 'utf8').includes('+++ exited'); waited++)
    await pause(100);
  await victim.kill();
  return countIn(readFileSync(log, 'utf8'));
}

/** Counts answers, and those whose change was not on the disk: written since the last synchronising, or never. */
function countIn(trace: string) {
  const figures = { answers: 0, synchronised: 0, notSynchronised: 0 };
  let state: 'nothing' | 'written' | 'synced' = 'nothing';
  for (const line of trace.split('\n')) {
    if (wrote.test(line)) state = 'written';
    else if (synced.test(line) && state === 'written') state = 'synced';
    else if (answered.test(line)) {
      figures.answers += 1;
      if (state === 'synced') figures.synchronised += 1;
      else figures.notSynchronised += 1;
      state = 'nothing';
    }
  }
  return figures;
}

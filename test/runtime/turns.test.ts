/** Tasks with one key run one after another, in their order; a task that hangs or fails holds up none for good. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from '../../src/runtime/turns.ts';

it('runs tasks of one key in their order, never two at once, also after a failure', async () => {
  const turns = createTurns(60_000);
  const log: string[] = [];
  const task = (key: string, name: number) => async () => {
    log.push(`${key}${name} begins`);
    await pause(name % 2);
    log.push(`${key}${name} ends`);
    if (name === 3) throw new Error('refused');
    return name;
  };
  const keys = ['a', 'b'];
  const names = [1, 2, 3, 4, 5, 6, 7, 8];
  const results = await Promise.all(
    keys.map((key) => Promise.allSettled(names.map((name) => turns.run(key, task(key, name))))),
  );
  for (const [index, key] of keys.entries()) {
    expect(results[index]!.map((each) => (each.status === 'fulfilled' ? each.value : 0))).toEqual(
      names.map((name) => (name === 3 ? 0 : name)),
    );
    const own = log.filter((line) => line.startsWith(key));
    expect(own).toEqual(names.flatMap((name) => [`${key}${name} begins`, `${key}${name} ends`]));
  }
  // The keys do not wait for each other.
  expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a2 begins'));
});

it('waits no longer than the limit for a task that hangs', async () => {
  const turns = createTurns(1);
  let release = () => {};
  const hanging = turns.run('a', () => new Promise<void>((resolve) => (release = resolve)));
  expect(await turns.run('a', async () => 'done')).toBe('done');
  release();
  await hanging;
});

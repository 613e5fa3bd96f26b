/** What waits at the same time is performed as one piece; everybody gets their own result, and the fault of one is theirs alone. */
import { expect, it } from 'vitest';
import { createGatherings } from '../../src/runtime/gatherings.ts';

const outage = new Error('unavailable');
const isOfAll = (error: unknown) => error === outage;

/** Returns what performs pieces when it is told to, and what it was given. */
function openWork(fail: (inputs: readonly number[]) => Error | undefined = () => undefined) {
  const pieces: number[][] = [];
  const turns: (() => void)[] = [];
  const gatherings = createGatherings();
  const perform = async (begin: () => readonly number[]) => {
    await new Promise<void>((resolve) => void turns.push(resolve));
    // A piece may be repeated: it has the same inputs then.
    begin();
    const inputs = [...begin()];
    pieces.push(inputs);
    const error = fail(inputs);
    if (error) throw error;
    return inputs.map((input) => input * 10);
  };
  const join = (input: number, size = 1, key = 'a') =>
    gatherings.join(key, { input, size, most: 4, isOfAll }, perform);
  const settle = async (results: Promise<number>[]) => {
    const settled = Promise.allSettled(results);
    for (let rounds = 0; rounds < 20; rounds++) {
      for (const turn of turns.splice(0)) turn();
      await new Promise((resolve) => void setImmediate(resolve));
    }
    return (await settled).map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message));
  };
  return { join, settle, pieces };
}

it('performs what waits together, as much as a piece may have, and each key apart', async () => {
  const { join, settle, pieces } = openWork();
  const results = [join(1), join(2, 2), join(3, 2), join(4), join(5, 1, 'b'), join(6, 9), join(7)];
  expect(await settle(results)).toEqual([10, 20, 30, 40, 50, 60, 70]);
  // What fills a piece waits for nobody, and the others go on gathering.
  expect(pieces).toEqual([[6], [1, 2], [3, 4, 7], [5]]);
  // Nobody joins a piece that has begun.
  expect(await settle([join(8)])).toEqual([80]);
  expect(pieces.at(-1)).toEqual([8]);
});

it('repeats a piece that failed for each alone', async () => {
  const { join, settle, pieces } = openWork((inputs) =>
    inputs.includes(2) ? new Error('wrong') : undefined,
  );
  expect(await settle([join(1), join(2), join(3)])).toEqual([10, 'wrong', 30]);
  expect(pieces).toEqual([[1, 2, 3], [1], [2], [3]]);
  expect(await settle([join(2)])).toEqual(['wrong']);
  expect(pieces).toHaveLength(5);
});

it('reports a failure of all to all, and begins anew', async () => {
  let isDown = true;
  const { join, settle, pieces } = openWork(() => (isDown ? outage : undefined));
  expect(await settle([join(1), join(2)])).toEqual(['unavailable', 'unavailable']);
  isDown = false;
  expect(await settle([join(3)])).toEqual([30]);
  expect(pieces).toEqual([[1, 2], [3]]);
});

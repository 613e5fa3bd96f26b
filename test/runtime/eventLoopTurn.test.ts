/** Answers of one round of the event loop leave together, and wait for nothing longer than that. */
import { describe, expect, it } from 'vitest';
import { endTurn, afterCurrentTurn } from '../../src/runtime/eventLoopTurn.ts';

describe('the end of an event-loop turn', () => {
  it('resolves all waiters after the pending input is read', async () => {
    const resumed: string[] = [];
    const wait = (name: string) => afterCurrentTurn().then(() => resumed.push(name));
    const waits = [wait('a'), wait('b')];
    await new Promise<void>((resolve) => process.nextTick(resolve));
    waits.push(wait('c'));
    expect(resumed).toEqual([]);
    await Promise.all(waits);
    expect(resumed).toEqual(['a', 'b', 'c']);
  });

  it('resolves later waiters at a later end', async () => {
    const ends: string[] = [];
    for (let round = 0; round < 3; round++) {
      const others = [afterCurrentTurn(), afterCurrentTurn()].map((end) =>
        end.then(() => ends.push(`round ${round}`)),
      );
      await afterCurrentTurn();
      await Promise.all(others);
    }
    expect(ends).toEqual([0, 0, 1, 1, 2, 2].map((round) => `round ${round}`));
  });

  it('precedes long work', async () => {
    let isTold = false;
    const waits = afterCurrentTurn().then(() => (isTold = true));
    endTurn();
    await Promise.resolve();
    expect(isTold).toBe(true);
    await waits;
  });

  it('can be forced without waiters', async () => {
    endTurn();
    let isTold = false;
    const waits = afterCurrentTurn().then(() => (isTold = true));
    // That end has passed: who waits later waits for the next one.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(isTold).toBe(false);
    await waits;
    expect(isTold).toBe(true);
  });
});

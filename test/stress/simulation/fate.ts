import { BillingError } from '../../../src/lib/errors.ts';
import type { Store } from '../../../src/storage/store.ts';

/** Ends the service at a moment that chance has chosen, as a power cut would. */
export interface Fate {
  /** Lets it die after that many more writes, commits, and questions to the bank. */
  arm(ticksLeft: number): void;
  dead(): boolean;
  /** Passes one of those moments; throws once the service is dead: what runs on has no effect. */
  tick(): void;
  revive(): void;
}

/** A fate that lets the service live until it is armed. */
export function openFate(): Fate {
  let ticksLeft = Infinity;
  return {
    arm: (ticks) => (ticksLeft = ticks),
    dead: () => ticksLeft <= 0,
    tick: () => {
      if (--ticksLeft <= 0) throw new BillingError('unavailable', [], 1);
    },
    revive: () => (ticksLeft = Infinity),
  };
}

/** A store that dies with its service: before a unit of work or a recording of usage, or after its commit and before its answer. */
export function mortal(store: Store, fate: Fate): Store {
  return {
    ...store,
    transact: async (tenantAlias, unit) => {
      fate.tick();
      const answer = await store.transact(tenantAlias, unit);
      fate.tick();
      return answer;
    },
    record: async (tenantAlias, recording) => {
      fate.tick();
      const answer = await store.record(tenantAlias, recording);
      fate.tick();
      return answer;
    },
  };
}

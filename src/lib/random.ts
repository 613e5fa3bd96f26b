/** Chance that can be repeated: the same seed gives the same numbers, on every machine. */
export interface Random {
  /** At least 0, less than 1. */
  fraction(): number;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  /** True that often: 0.2 is one time in five. */
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** One of the keys, each as often as its weight says. */
  weighted<Name extends string>(weights: Record<Name, number>): Name;
  bytes(length: number): Uint8Array;
  /** Another source, so that what one part draws does not change what another part gets. */
  fork(): Random;
}

/** A source of chance from a seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const fraction = () => next() / 2 ** 32;
  const whole = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    whole,
    chance: (probability) => fraction() < probability,
    pick: (from) => {
      if (from.length === 0) throw new Error('There is nothing to pick from.');
      return from[whole(0, from.length - 1)]!;
    },
    weighted: <Name extends string>(weights: Record<Name, number>) => {
      const names = Object.keys(weights) as Name[];
      let rest = fraction() * names.reduce((sum, name) => sum + weights[name], 0);
      return names.find((name) => (rest -= weights[name]) < 0) ?? names.at(-1)!;
    },
    bytes: (length) => Uint8Array.from({ length }, () => next() & 255),
    fork: () => randomFrom(next()),
  };
}

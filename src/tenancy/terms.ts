/**
 * What operators set and every check of a limit needs: features, what products have of them, and meters. A server reads it once a second
 * for a tenant, and at once after it has changed it itself; so a change by another server holds within a second.
 */
import type { MaybePromise } from '../lib/maybePromise.ts';
import { secondMs } from '../lib/durations.ts';

export interface Terms {
  /** Returns what was loaded for a key in the last second, or loads it. What is undefined is loaded each time. */
  read: <T>(alias: string, key: string, load: () => MaybePromise<T>) => MaybePromise<T>;
  /** Forgets what was loaded for a tenant, also what is being loaded. */
  forget: (alias: string) => void;
}

interface Loaded {
  sinceMs: number;
  values: Map<string, unknown>;
}

const [mostTenants, mostValues] = [1000, 1000];

/** Creates the terms of a server. `nowMs` is a clock that nobody sets, such as `performance.now`. */
export function createTerms(nowMs: () => number): Terms {
  const tenants = new Map<string, Loaded>();

  const open = (alias: string): Loaded => {
    const now = nowMs();
    const known = tenants.get(alias);
    if (known && now - known.sinceMs < secondMs && known.values.size < mostValues) return known;
    if (tenants.size >= mostTenants) tenants.clear();
    const loaded = { sinceMs: now, values: new Map() };
    tenants.set(alias, loaded);
    return loaded;
  };

  return {
    read: <T>(alias: string, key: string, load: () => MaybePromise<T>): MaybePromise<T> => {
      const { values } = open(alias);
      const known = values.get(key) as T | undefined;
      if (known !== undefined) return known;
      const keep = (value: T) => {
        // If the tenant was forgotten meanwhile, nobody reads these values any more.
        if (value !== undefined) values.set(key, value);
        return value;
      };
      const loading = load();
      return loading instanceof Promise ? loading.then(keep) : keep(loading);
    },
    forget: (alias) => void tenants.delete(alias),
  };
}

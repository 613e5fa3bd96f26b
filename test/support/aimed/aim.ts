/** Ends the process with kill -9 at a moment that was named before: beside a write, a commit, or a charge. */
import { mapMaybe } from '../../../src/lib/maybePromise.ts';
import type { PaymentProvider } from '../../../src/providers/provider.ts';
import type { Queries } from '../../../src/storage/query/queries.ts';
import type { Store } from '../../../src/storage/store.ts';

/** The moment at which the process ends. */
export interface Aim {
  /** At a write within a transaction, before the commit of the transaction, after it and before its answer; or beside a charge. */
  when: 'at write' | 'before commit' | 'after commit' | 'before charge' | 'after charge';
  /** The table that is written. */
  table?: string;
  /** Columns that the written row has. */
  has?: Record<string, unknown>;
}

/** The written rows, or the changed columns, among the arguments of the writes of `Queries`. */
const writtenRows: Record<string, (args: any[]) => object[]> = {
  insert: ([, row]) => [row],
  add: ([, row]) => [row],
  insertIfAbsent: ([, row]) => [row],
  accumulate: ([, row]) => [row],
  remove: ([, where]) => [where],
  update: ([, , changes]) => [changes],
  insertMany: ([, rows]) => rows,
  updateMany: ([, , , rows]) => rows,
  upsertMany: ([, , rows]) => rows,
};

/** What can end this process. */
interface Sights {
  aim: (aim: Aim) => void;
  watchStore: (store: Store) => Store;
  watchProvider: (provider: PaymentProvider) => PaymentProvider;
}

/** Opens the sights of a process, which end nothing until they are aimed. */
export function openSights(): Sights {
  let current: Aim | undefined;
  const reach = (when: Aim['when']) => {
    // The signal is delivered before the call returns.
    if (current?.when === when) process.kill(process.pid, 'SIGKILL');
  };
  const isMeant = (table: string, rows: object[]) =>
    table === current?.table &&
    rows.some((row) =>
      Object.entries(current?.has ?? {}).every(([key, value]) => (row as any)[key] === value),
    );

  /** Returns the queries, which report a write that is meant. */
  const watch = (queries: Queries, report: () => void): Queries =>
    new Proxy(queries, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: any[]) => {
          const written = writtenRows[String(name)]?.(args);
          if (written && isMeant(args[0], written)) report();
          return member.apply(target, args);
        };
      },
    });

  /** Runs a transaction in which `work` is given watched queries. */
  const perform = async <T>(
    run: (work: (queries: Queries, ...known: any[]) => any) => Promise<T>,
    work: (queries: Queries, ...known: any[]) => any,
  ): Promise<T> => {
    let isHit = false;
    const report = () => {
      isHit = true;
      reach('at write');
    };
    const answer = await run((queries, ...known) => {
      isHit = false;
      return mapMaybe(work(watch(queries, report), ...known), (value) => {
        if (isHit) reach('before commit');
        return value;
      });
    });
    if (isHit) reach('after commit');
    return answer;
  };

  const charge =
    (make: PaymentProvider['charge']): PaymentProvider['charge'] =>
    async (...args) => {
      reach('before charge');
      const outcome = await make(...args);
      reach('after charge');
      return outcome;
    };
  return {
    aim: (aim) => {
      current = aim;
    },
    watchStore: (store) => ({
      ...store,
      transact: (alias, unit) => perform((work) => store.transact(alias, work), unit as any),
      record: (alias, recording) => perform((work) => store.record(alias, work), recording as any),
    }),
    watchProvider: (provider) => ({
      ...provider,
      start: charge((...args) => provider.start(...args)),
      charge: charge((...args) => provider.charge(...args)),
    }),
  };
}

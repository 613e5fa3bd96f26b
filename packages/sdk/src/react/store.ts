import { wrapSend, type Graphql } from '../createGraphql.ts';
import { createFollow } from '../follow.ts';
import type { PerennialOptions } from '../options.ts';
import { createSend } from '../request.ts';
import { changedDocument, entitlementsDocument, plansDocument, viewerDocument } from './documents.ts';
import type { OwnEntitlement, Plan, Viewer } from './documents.ts';

/** A session of a customer, as the adopter's route creates it. */
export interface Session {
  token: string;
  expiresAt: string;
}

/** What is read, and how it went. */
export interface Reading<T> {
  data: T | undefined;
  error: Error | undefined;
  isLoading: boolean;
}

/** What was read on the server, shown until the page has read it itself. */
export interface Initial {
  viewer?: Viewer;
  plans?: Plan[];
  usage?: OwnEntitlement[];
}

interface Readings {
  viewer: Viewer | null;
  plans: Plan[];
  usage: OwnEntitlement[];
}

type Name = keyof Readings;

/** Holds what the parts of a page show, and keeps it current while one of them is there. */
export interface Store {
  graphql: Graphql;
  read<Key extends Name>(name: Key): Reading<Readings[Key]>;
  /** Begins to watch; reads what is not there yet. Returns the function that ends it. */
  watch(name: Name, onChange: () => void): () => void;
  /** Reads again. */
  refresh(...names: Name[]): Promise<void>;
}

/** A session is renewed so long before its end. */
const renewedMs = 60_000;

/** Creates the store of a page. */
export function createStore(url: string, session: () => Promise<Session>, initial: Initial): Store {
  const options: PerennialOptions = { url, key: createReadToken(session) };
  const graphql = wrapSend(createSend(options));
  const follow = createFollow(options);
  const watchers = new Map<Name, Set<() => void>>();
  const readings = new Map<Name, Reading<unknown>>();
  for (const name of ['viewer', 'plans', 'usage'] as const) {
    watchers.set(name, new Set());
    readings.set(name, { data: initial[name], error: undefined, isLoading: initial[name] === undefined });
  }
  const set = (name: Name, change: Partial<Reading<unknown>>) => {
    readings.set(name, { ...readings.get(name)!, ...change });
    for (const notify of watchers.get(name)!) notify();
  };
  const loads: { [Key in Name]: () => Promise<Readings[Key]> } = {
    viewer: async () => (await graphql(viewerDocument)).viewer,
    plans: async () => (await graphql(plansDocument)).products.nodes,
    usage: async () => {
      const viewer = (readings.get('viewer')!.data as Viewer | undefined) ?? (await loads.viewer());
      if (!viewer) return [];
      return (await graphql(entitlementsDocument, { customerId: viewer.customer.id })).entitlements;
    },
  };
  const load = async (name: Name) => {
    try {
      set(name, { data: await loads[name](), error: undefined, isLoading: false });
    } catch (error) {
      set(name, { error: error as Error, isLoading: false });
    }
  };
  let stop: AbortController | undefined;
  const followViewer = async (signal: AbortSignal): Promise<void> => {
    const beganMs = Date.now();
    const operation = { name: 'viewerChanged', isMutation: false, query: changedDocument, variables: {} };
    try {
      for await (const event of follow(operation, { signal })) {
        set('viewer', { data: (event as { viewer: Viewer }).viewer, error: undefined, isLoading: false });
        if (watchers.get('usage')!.size > 0) void load('usage');
      }
    } catch (error) {
      if (signal.aborted) return;
      // The session has ended: the next connection begins another one, unless the first one was refused.
      const hasEnded = (error as { status?: number }).status === 401 && Date.now() - beganMs > renewedMs;
      if (hasEnded) return followViewer(signal);
      set('viewer', { error: error as Error, isLoading: false });
    }
  };
  const isLive = () => watchers.get('viewer')!.size + watchers.get('usage')!.size > 0;
  return {
    graphql,
    read: (name) => readings.get(name) as Reading<never>,
    watch: (name, onChange) => {
      const own = watchers.get(name)!;
      own.add(onChange);
      if (name !== 'viewer' && own.size === 1) void load(name);
      // Its first event has the viewer.
      if (isLive() && !stop) {
        stop = new AbortController();
        void followViewer(stop.signal);
      }
      return () => {
        own.delete(onChange);
        if (isLive()) return;
        stop?.abort();
        stop = undefined;
      };
    },
    refresh: async (...names) => {
      await Promise.all(names.map(load));
    },
  };
}

/** Returns a function that returns the token of a session, which is created when it is first needed and before it ends. */
function createReadToken(session: () => Promise<Session>): () => Promise<string> {
  let present: Promise<Session> | undefined;
  let endsAtMs = 0;
  return async () => {
    if (!present || Date.now() > endsAtMs - renewedMs) {
      const next = session().then((given) => {
        if (typeof given.token !== 'string') throw new Error('There is no session: nobody is signed in.');
        return given;
      });
      present = next;
      endsAtMs = Infinity;
      next.then(
        ({ expiresAt }) => (endsAtMs = Date.parse(expiresAt)),
        () => (present = undefined),
      );
    }
    return (await present).token;
  };
}

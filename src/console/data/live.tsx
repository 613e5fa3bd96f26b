import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { createRequestWriter, writeDocument } from './documents.ts';
import { SnapshotName, TraceFields } from './fragments.ts';
import { endsSession } from './errors.ts';
import { graphql, type ResultOf } from './graphql.ts';
import { useSession, useTenant } from './session.tsx';
import { shareStream } from './sharedStream.ts';
import { followStream } from './sse.ts';

const Traces = graphql(
  `
    subscription Traces($after: ID) {
      traceRecorded(after: $after) {
        ...TraceFields
        event {
          customer {
            ...SnapshotName
          }
        }
      }
    }
  `,
  [SnapshotName, TraceFields],
);

/** Something that has just happened in the tenant. */
export type LiveTrace = NonNullable<ResultOf<typeof Traces>['traceRecorded']>;

/** Events arrive in batches, so that a thousand of them in a second cause one refresh. */
const batchMs = 400;
const retryMs = 2000;

type Listener = (traces: LiveTrace[]) => void;

interface LiveFeed {
  listen: (listener: Listener) => () => void;
  /** Registers a function that is called when events may have been missed. */
  refreshBy: (refresh: () => void) => () => void;
  connected: boolean;
}

const LiveContext = createContext<LiveFeed>({
  listen: () => () => undefined,
  refreshBy: () => () => undefined,
  connected: false,
});

/**
 * Follows the tenant's events while the page is open, by one connection for all tabs; reconnects after the last event that
 * arrived.
 */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { alias } = useTenant();
  const { signedOut } = useSession();
  const listeners = useRef(new Set<Listener>());
  const refreshers = useRef(new Set<() => void>());
  const [connected, setConnected] = useState(false);
  useEffect(() => {
    const requests = createRequestWriter();
    let after: string | undefined;
    let wasConnected = false;
    let batch: LiveTrace[] = [];
    const flush = () => {
      const traces = batch;
      batch = [];
      for (const listener of listeners.current) listener(traces);
    };
    const take = (trace: LiveTrace) => {
      after = trace.eventId;
      if (batch.push(trace) === 1) setTimeout(flush, batchMs);
    };
    const listener = {
      onItem: take,
      onConnected: (isConnected: boolean) => {
        wasConnected ||= isConnected;
        setConnected(isConnected);
      },
      onMissed: () => {
        for (const refresh of refreshers.current) refresh();
      },
    };
    return shareStream<LiveTrace>(
      `perennial-events-${alias}`,
      async (tell, signal) => {
        const onData = (data: unknown) => {
          const trace = (data as ResultOf<typeof Traces>).traceRecorded;
          if (trace) tell.onItem(trace);
        };
        while (!signal.aborted) {
          if (after === undefined && wasConnected) tell.onMissed();
          tell.onConnected(true);
          const document = { query: writeDocument(Traces), variables: { after } };
          const problem = await followStream({
            requests,
            tenant: alias,
            ...document,
            signal,
            onData,
          }).catch(() => undefined);
          if (signal.aborted) return;
          tell.onConnected(false);
          if (problem && endsSession(problem)) return signedOut();
          // The trace may have been erased, or the tenant deleted: begin with what happens from now on.
          if (problem?.status === 404) after = undefined;
          await new Promise((resolve) => setTimeout(resolve, retryMs));
        }
      },
      listener,
    );
  }, [alias, signedOut]);
  const feed = useMemo(
    () => ({
      connected,
      listen: (listener: Listener) => {
        listeners.current.add(listener);
        return () => void listeners.current.delete(listener);
      },
      refreshBy: (refresh: () => void) => {
        refreshers.current.add(refresh);
        return () => void refreshers.current.delete(refresh);
      },
    }),
    [connected],
  );
  return <LiveContext value={feed}>{children}</LiveContext>;
}

const ignore = () => undefined;

/** Calls the listener with each batch of events, and `refresh` when some may have been missed. */
export function useLive(listener: Listener, refresh: () => void = ignore): void {
  const { listen, refreshBy } = useContext(LiveContext);
  const latest = useRef({ listener, refresh });
  useEffect(() => {
    latest.current = { listener, refresh };
  });
  useEffect(() => listen((traces) => latest.current.listener(traces)), [listen]);
  useEffect(() => refreshBy(() => latest.current.refresh()), [refreshBy]);
}

/** Returns whether events arrive at once. */
export const useConnected = (): boolean => useContext(LiveContext).connected;

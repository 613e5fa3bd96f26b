import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { createRequestWriter, writeDocument } from './documents.ts';
import { SnapshotName, TraceFields } from './fragments.ts';
import { endsSession } from './errors.ts';
import { graphql, type ResultOf } from './graphql.ts';
import { useSession, useTenant } from './session.tsx';
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
  connected: boolean;
}

const LiveContext = createContext<LiveFeed>({ listen: () => () => undefined, connected: false });

/** Follows the tenant's events while the page is open; reconnects after the last event that arrived. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { alias } = useTenant();
  const { signedOut } = useSession();
  const listeners = useRef(new Set<Listener>());
  const [connected, setConnected] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const requests = createRequestWriter();
    let after: string | undefined;
    let batch: LiveTrace[] = [];
    const flush = () => {
      const traces = batch;
      batch = [];
      for (const listener of listeners.current) listener(traces);
    };
    const take = (data: unknown) => {
      const trace = (data as ResultOf<typeof Traces>).traceRecorded;
      if (!trace) return;
      after = trace.eventId;
      if (batch.push(trace) === 1) setTimeout(flush, batchMs);
    };
    const follow = async () => {
      while (!stop.signal.aborted) {
        setConnected(true);
        const document = { query: writeDocument(Traces), variables: { after } };
        const problem = await followStream({ requests, tenant: alias, ...document, signal: stop.signal, onData: take }).catch(() => undefined);
        if (stop.signal.aborted) return;
        setConnected(false);
        if (problem && endsSession(problem)) return signedOut();
        // The trace may have been erased, or the tenant deleted: begin with what happens from now on.
        if (problem?.status === 404) after = undefined;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    };
    void follow();
    return () => stop.abort();
  }, [alias, signedOut]);
  const feed = useMemo(
    () => ({
      connected,
      listen: (listener: Listener) => {
        listeners.current.add(listener);
        return () => void listeners.current.delete(listener);
      },
    }),
    [connected],
  );
  return <LiveContext value={feed}>{children}</LiveContext>;
}

/** Calls the listener with each batch of events. */
export function useLive(listener: Listener): void {
  const { listen } = useContext(LiveContext);
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => listen((traces) => latest.current(traces)), [listen]);
}

/** Returns whether events arrive at once. */
export const useConnected = (): boolean => useContext(LiveContext).connected;

import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ReactNode } from 'react';
import {
  cancelDocument,
  changeDocument,
  orderDocument,
  previewDocument,
  uncancelDocument,
} from './documents.ts';
import type { Change, Plan, PlanPrice, Preview, Viewer, OwnEntitlement } from './documents.ts';
import { createStore, type Initial, type Reading, type Session, type Store } from './store.ts';

const Context = createContext<Store | undefined>(undefined);

/** The properties of the provider. */
export interface PerennialProviderProps {
  /** The address of the server. The page's origin must be among the tenant's `allowedOrigins`. */
  url: string;
  /** Returns a session of the customer who is signed in, from the route of your server. */
  session: () => Promise<Session>;
  /** What was read on the server, for its rendering. */
  initial?: Initial;
  children?: ReactNode;
}

const nothing: Initial = {};

/** Gives the hooks and parts within it the session of a customer. */
export function PerennialProvider({
  url,
  session,
  initial = nothing,
  children,
}: PerennialProviderProps): ReactNode {
  // A session that is written in place is another function at each rendering, and means the same.
  const [first] = useState(() => session);
  const [shown] = useState(initial);
  const store = useMemo(() => createStore(url, first, shown), [url, first, shown]);
  return <Context.Provider value={store}>{children}</Context.Provider>;
}

function useStore(): Store {
  const store = useContext(Context);
  if (!store) throw new Error('Render this within <PerennialProvider>');
  return store;
}

function useReading<Name extends 'viewer' | 'plans' | 'usage'>(name: Name) {
  const store = useStore();
  const watch = useCallback((onChange: () => void) => store.watch(name, onChange), [store, name]);
  const read = () => store.read(name);
  const reading = useSyncExternalStore(watch, read, read);
  return { store, reading };
}

/** The customer of the session with their subscriptions, current while the page is open. */
export function useViewer(): Reading<Viewer | null> & { refresh: () => Promise<void> } {
  const { store, reading } = useReading('viewer');
  return { ...reading, refresh: () => store.refresh('viewer') };
}

/** The plans that can be ordered. */
export const usePlans = (): Reading<Plan[]> => useReading('plans').reading;

/** What the customer may do with each feature, and what is left. */
export const useUsage = (): Reading<OwnEntitlement[]> => useReading('usage').reading;

/** What a change of a subscription would charge; nothing while `change` is undefined. */
export function useChangePreview(
  subscriptionId: string,
  change: Change | undefined,
): Reading<Preview> & { confirm: () => Promise<void> } {
  const store = useStore();
  const { priceId, quantity } = change ?? {};
  const [state, setState] = useState<Reading<Preview>>({
    data: undefined,
    error: undefined,
    isLoading: false,
  });
  const [round, setRound] = useState(0);
  const isAsked = change !== undefined;
  useEffect(() => {
    if (!isAsked) return undefined;
    const stop = new AbortController();
    setState({ data: undefined, error: undefined, isLoading: true });
    store
      .graphql(previewDocument, { id: subscriptionId, input: { priceId, quantity } }, { signal: stop.signal })
      .then(
        ({ previewSubscriptionChange: data }) => setState({ data, error: undefined, isLoading: false }),
        (error: Error) => {
          if (!stop.signal.aborted) setState({ data: undefined, error, isLoading: false });
        },
      );
    return () => stop.abort();
  }, [store, subscriptionId, isAsked, priceId, quantity, round]);
  const { data } = state;
  const confirm = async () => {
    if (!data) throw new Error('There is no preview to confirm');
    const { decimal, currency } = data.total;
    // A total below 0 is not charged, so it cannot change what is.
    const shown = decimal.startsWith('-') ? undefined : { decimal, currency };
    try {
      await store.graphql(changeDocument, {
        id: subscriptionId,
        input: { priceId, quantity, expectedTotal: shown },
      });
    } catch (error) {
      // The amount that would be charged now is shown before it is asked for again.
      if ((error as { reason?: string }).reason === 'amount_changed') setRound((last) => last + 1);
      throw error;
    }
    await store.refresh('viewer');
  };
  return { ...state, confirm };
}

/** What a customer can do. Each rejects with the error of the server. */
export interface Actions {
  /** Orders a price; returns the address of its payment page. */
  order: (plan: Plan, price: PlanPrice, urls: { receiptUrl: string; returnUrl?: string }) => Promise<string>;
  /** Cancels a subscription at the end of its period. */
  cancel: (subscriptionId: string) => Promise<void>;
  /** Takes a cancellation back. */
  uncancel: (subscriptionId: string) => Promise<void>;
}

/** The actions of the customer. */
export function useActions(): Actions {
  const store = useStore();
  return useMemo(() => {
    const perform = (document: typeof cancelDocument) => async (id: string) => {
      await store.graphql(document, { id });
      await store.refresh('viewer');
    };
    return {
      order: async ({ id: productId }, { id: priceId }, urls) => {
        const viewer = store.read('viewer').data;
        if (!viewer) throw new Error('Nobody is signed in');
        const input = { customerId: viewer.customer.id, productId, priceId, ...urls };
        return (await store.graphql(orderDocument, { input })).createSubscriptionIntent.paymentUrl;
      },
      cancel: perform(cancelDocument),
      uncancel: perform(uncancelDocument),
    };
  }, [store]);
}

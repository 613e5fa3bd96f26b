/** One stream of events for all tabs of a browser: HTTP/1.1 allows six connections to a host, and each stream takes one. */

/** A message from the tab with the stream to the others. */
type Message<Item> =
  | { kind: 'item'; item: Item }
  | { kind: 'connected'; connected: boolean }
  | { kind: 'missed' }
  | { kind: 'question' };

/** Callbacks of a tab for what the stream sends. */
interface Listener<Item> {
  onItem: (item: Item) => void;
  onConnected: (connected: boolean) => void;
  /** Called when items may have been lost; the screen reads its data again. */
  onMissed: () => void;
}

/** Reads the stream until it is aborted, and calls the callbacks. */
type Follow<Item> = (tell: Listener<Item>, signal: AbortSignal) => Promise<void>;

/** A tab keeps the stream for a moment after it is hidden, so that a glance at another tab costs no connection. */
const hiddenMs = 20_000;

/**
 * Follows a stream together with the other tabs that share its name: one that is shown has the connection, the next one takes
 * over when it is closed or hidden, and while all are hidden there is none. Without locks, which browsers have on secure pages
 * alone, each tab that is shown has a connection of its own. Returns a function that ends it.
 */
export function shareStream<Item>(
  name: string,
  follow: Follow<Item>,
  listener: Listener<Item>,
): () => void {
  const channel = new BroadcastChannel(name);
  let attempt: AbortController | undefined;
  let isLeading = false;
  let isConnected = false;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const post = (message: Message<Item>) => {
    if (!navigator.locks) return;
    channel.postMessage(message);
  };
  const tell: Listener<Item> = {
    onItem: (item) => {
      listener.onItem(item);
      post({ kind: 'item', item });
    },
    onConnected: (connected) => {
      isConnected = connected;
      listener.onConnected(connected);
      post({ kind: 'connected', connected });
    },
    onMissed: () => {
      listener.onMissed();
      post({ kind: 'missed' });
    },
  };
  channel.onmessage = ({ data: message }: MessageEvent<Message<Item>>) => {
    if (message.kind === 'item') listener.onItem(message.item);
    else if (message.kind === 'missed') listener.onMissed();
    else if (message.kind === 'connected') listener.onConnected(message.connected);
    else if (isLeading) post({ kind: 'connected', connected: isConnected });
  };
  const lead = async (signal: AbortSignal) => {
    if (signal.aborted) return;
    isLeading = true;
    await follow(tell, signal);
    isLeading = false;
  };
  const stop = () => {
    attempt?.abort();
    attempt = undefined;
  };
  const start = () => {
    if (attempt) return;
    attempt = new AbortController();
    const { signal } = attempt;
    // A request for a lock that is aborted is rejected.
    if (navigator.locks)
      navigator.locks.request(name, { signal }, () => lead(signal)).catch(() => undefined);
    else void lead(signal);
  };
  const watch = () => {
    clearTimeout(hiding);
    if (document.visibilityState === 'visible') start();
    else hiding = setTimeout(stop, hiddenMs);
  };
  document.addEventListener('visibilitychange', watch);
  watch();
  post({ kind: 'question' });
  return () => {
    document.removeEventListener('visibilitychange', watch);
    clearTimeout(hiding);
    stop();
    channel.close();
  };
}

/** How long a client, and what the server does by itself, may take. */
export interface Timing {
  /** To send the headers of a request. */
  headersMs: number;
  /** To send a request whole. */
  requestMs: number;
  /** To take what a subscription has sent. */
  slowReaderMs: number;
  /** To read why its WebSocket is closed, for a client that was too slow. */
  lastWordMs: number;
  /** To show that it is still there. */
  keepAliveMs: number;
  /** How often the key of an open connection is looked at again, and late requests are looked for. */
  lookMs: number;
  /** For scheduled work to end when the server stops: no longer than the requests under way have. */
  stopMs: number;
}

export const usualTiming: Timing = {
  headersMs: 10_000,
  requestMs: 30_000,
  slowReaderMs: 10_000,
  lastWordMs: 5000,
  keepAliveMs: 12_000,
  lookMs: 1000,
  stopMs: 7000,
};

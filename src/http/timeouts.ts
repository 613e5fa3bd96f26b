/** Time limits of clients and of background work. */
export interface Timing {
  /** For receiving the headers of a request. */
  headersMs: number;
  /** For receiving a complete request. */
  requestMs: number;
  /** For a client to read an event of a subscription. */
  slowReaderMs: number;
  /** For a slow WebSocket client to read the close code. */
  closeMs: number;
  /** The interval of pings that detect dead connections. */
  keepAliveMs: number;
  /** The interval of checks for revoked keys on open connections and for requests that have timed out. */
  checkMs: number;
  /** For scheduled work to finish at shutdown; no longer than the limit for requests in progress. */
  stopMs: number;
}

export const defaultTiming: Timing = {
  headersMs: 10_000,
  requestMs: 30_000,
  slowReaderMs: 10_000,
  closeMs: 5000,
  keepAliveMs: 12_000,
  checkMs: 1000,
  stopMs: 7000,
};

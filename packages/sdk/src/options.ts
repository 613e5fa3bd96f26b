import type { Reason } from './generated/reasons.ts';

/** A record of which only the id is selected; read it by its own resource. */
export interface Reference {
  id: string;
}

/** Options of one call. */
export interface RequestOptions {
  /** The GraphQL selection of what is returned, such as `id customer { email }`, instead of the usual one. */
  select?: string;
  /** The key under which the server performs the mutation once. Default: a random one for each call. */
  idempotencyKey?: string;
  /** Cancels the call. */
  signal?: AbortSignal;
  /** The time of each attempt. Default: that of the client. */
  timeoutMs?: number;
  /** How often the call is repeated after a failure that may pass. Default: that of the client. */
  maxRetries?: number;
  /** More headers, such as `x-executor-id` or `traceparent`. */
  headers?: Record<string, string>;
}

/** Options of a list. */
export interface ListOptions extends RequestOptions {
  /** The items of a page, at most 100. Each page is one request. */
  pageSize?: number;
  /** Begins after the cursor of an earlier page. */
  after?: string;
}

/** Options of live events. */
export interface FollowOptions {
  select?: string;
  /** Ends the events. */
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** A page of a list. */
export interface Page<T> {
  data: T[];
  /** The cursor of the next page; null on the last one. */
  nextCursor: string | null;
}

/** A list that is read page by page while it is iterated. */
export interface List<T> extends AsyncIterable<T> {
  /** Returns the first items, in as few requests as possible. */
  first(count: number): Promise<T[]>;
  /** Returns the first page, or the one after the option `after`. */
  page(): Promise<Page<T>>;
}

/** A request before it is sent. */
export interface RequestEvent {
  /** The name of the operation: `createCustomer`, or that of a document. */
  operation: string;
  /** 1 for the first attempt. */
  attempt: number;
  /** Set for mutations. */
  idempotencyKey?: string;
  /** What is sent; a hook may add to it, such as `traceparent`. */
  headers: Record<string, string>;
}

/** The end of an attempt. */
export interface ResponseEvent extends RequestEvent {
  durationMs: number;
  /** The HTTP status; undefined if there was no response. */
  httpStatus?: number;
  /** Why the attempt failed. */
  error?: Error & { reason?: Reason | ClientReason };
  /** In how many milliseconds the call is repeated; undefined if it is not. */
  retryInMs?: number;
}

/** Functions that are called around each attempt, for logs and traces. What they throw, the call throws. */
export interface Hooks {
  onRequest?(event: RequestEvent): void;
  onResponse?(event: ResponseEvent): void;
}

/** Failures that the client finds itself: no connection, no response in time, or one that is not of the server. */
export type ClientReason = 'connection_failed' | 'timed_out' | 'response_invalid';

/** The settings of a client. */
export interface PerennialOptions {
  /** The address of the server, such as `https://billing.example`. */
  url: string;
  /** An API key or the token of a customer session; a function is called for each request. */
  key: string | (() => string | Promise<string>);
  /** How often a call is repeated after a failure that may pass. Default: 2. */
  maxRetries?: number;
  /** The pause before the first repeat, which doubles each time, at most 8 s. Default: 500. */
  retryDelayMs?: number;
  /** The time of each attempt. Default: 60,000. */
  timeoutMs?: number;
  /** Replaces the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch;
  hooks?: Hooks;
  /** Headers of all requests. */
  headers?: Record<string, string>;
}

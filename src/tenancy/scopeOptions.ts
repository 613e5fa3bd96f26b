import type { ReadBudget } from '../lib/readBudget.ts';
import type { ReadPreference } from '../storage/store.ts';
import type { Scope } from './apiKeyCache.ts';
import type { IdempotentRequest } from './idempotency.ts';

/** The API key of a request, and in whose name it acts. */
export interface Caller {
  keyId: string;
  scope: Scope;
  executorId: string;
}

/** What a scope has where it needs more than a tenant. */
export interface ScopeOptions {
  /** The request, where its client has sent an idempotency key. */
  request?: IdempotentRequest;
  caller?: Caller;
  /** How much of large values the request may read. */
  budget?: ReadBudget;
  /** Where reads go before the first write: to a replica unless stated. */
  readFrom?: ReadPreference;
}

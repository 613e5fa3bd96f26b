import type { ReadBudget } from '../lib/readBudget.ts';
import type { ReadPreference } from '../storage/store.ts';
import type { Audience, CustomerSession, KeyLimits, Scope } from './apiKeyCache.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { IdempotentRequest } from './idempotency.ts';
import type { UnitOfWork } from './unitOfWork.ts';

/** The API key of a request, and the executor recorded in its traces. */
export interface Caller {
  keyId: string;
  scope: Scope;
  /** Given for a credential of a browser. */
  audience?: Audience;
  /** Given for the session of a customer. */
  session?: CustomerSession;
  /** Given for a secret key. */
  limits?: KeyLimits;
  executorId: string;
}

/** Runs a rule in its unit of work, or refuses; what it throws rolls the unit back. */
export type Supervise = <T>(unit: UnitOfWork, rule: (unit: UnitOfWork) => MaybePromise<T>) => MaybePromise<T>;

/** Optional properties of a tenant scope. */
export interface ScopeOptions {
  /** Supervises the units in which an operation decides; not the steps before and after, which only prepare and record. */
  supervise?: Supervise;
  /** The request, if its client sent an idempotency key. */
  request?: IdempotentRequest;
  /** The network of the client, for the limits of codes that customers enter. */
  network?: string;
  /** Limits how many bytes of large values the request may read. */
  budget?: ReadBudget;
  /** Where reads go before the first write; a replica by default. */
  readFrom?: ReadPreference;
}

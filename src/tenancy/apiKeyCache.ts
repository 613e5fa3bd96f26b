import type { Row } from '../storage/model/rowTypes.ts';
import type { Permission } from './permissions.ts';

export type Scope = 'read' | 'write';

/**
 * Credentials that may stand in a web page. They reach only the fields that are declared open to them. `publishable`: an API
 * key of this kind, which everybody sees who opens the page. `customer`: the token of a customer's session.
 */
export type Audience = 'publishable' | 'customer';

/** The session of a customer in a page of the tenant. */
export type CustomerSession = Pick<Row<'customerSessions'>, 'id' | 'customerId' | 'allow' | 'expiresAt'>;

/** The limits of a verified key. */
export interface KeyLimits {
  /** Undefined for a key with a scope alone. */
  permissions?: readonly Permission[];
  /** Notes that the key was refused: for want of a permission, or for the address it was used from. */
  noteRefusal: (refused: { permission?: Permission; address?: string }) => void;
}

/** The tenant and the scope of an API key. */
export interface Principal {
  tenant: Row<'tenants'>;
  keyId: string;
  scope: Scope;
  /** Undefined for a secret key, and for an operator. */
  audience?: Audience;
  /** Given for the audience `customer`. */
  session?: CustomerSession;
  /** Given for a secret key. */
  limits?: KeyLimits;
}

/** A verified key and the time of its verification. */
export interface KnownKey {
  principal: Principal;
  /** From `performance.now()`: a wall clock that is set back must not keep a revoked key valid. */
  checkedAtMonotonicMs: number;
  expiresMs: number;
  /** The addresses that it is accepted from; null for all. */
  ipAllowlist: readonly string[] | null;
}

/** The keys that this process verified recently, by their whole text. */
export type ApiKeyCache = Map<string, KnownKey>;

/** What is noted of the use of a key. */
export type KeyUse = Partial<Pick<Row<'apiKeys'>, 'lastUsedAt' | 'lastUsedFrom' | 'lastRefusal'>>;

/**
 * Uses of keys by tenant and id, written by the next round of the scheduler. That a key was used is noted once an hour, that
 * it was refused each time.
 */
export type ApiKeyUses = Map<string, Map<string, KeyUse>>;

import type { Row } from '../storage/model/rowTypes.ts';

export type Scope = 'read' | 'write';

/** The tenant and the rights of a key. */
export interface Principal {
  tenant: Row<'tenants'>;
  keyId: string;
  scope: Scope;
}

/** A key that was found valid, and when. */
export interface KnownKey {
  principal: Principal;
  /** By `performance.now()`: a wall clock that is set back must not keep a revoked key alive. */
  checkedAtMonotonicMs: number;
  expiresMs: number;
}

/** The keys that this process verified a moment ago, by their whole text. */
export type ApiKeyCache = Map<string, KnownKey>;

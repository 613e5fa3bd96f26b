import type { Row } from '../storage/model/rowTypes.ts';

export type Scope = 'read' | 'write';

/** Who a key speaks for. */
export interface Principal {
  tenant: Row<'tenants'>;
  keyId: string;
  scope: Scope;
}

/** A key that was found good, and when. */
export interface KnownKey {
  principal: Principal;
  /** By `performance.now()`: a wall clock that is set back must not keep a revoked key alive. */
  checkedAtMonotonicMs: number;
  expiresMs: number;
}

/** The keys that a process has found good lately, by their whole text. */
export type Keyring = Map<string, KnownKey>;

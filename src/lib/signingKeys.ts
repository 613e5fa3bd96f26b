/**
 * The keys with which the server signs what others check without it. They follow from the key that encrypts secrets, so all servers
 * of a database have the same ones, and each is replaced after 90 days.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { dayMs } from './durations.ts';
import type { SecretBox } from './secretBox.ts';

const spanMs = 90 * dayMs;

/** What precedes the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A private key, and the name by which signatures refer to it. */
export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

/** A public key as a JSON Web Key (RFC 8037). */
interface PublicKey {
  kty: string;
  crv: string;
  x: string;
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

export interface SigningKeys {
  /** Returns the key that signs at a time; undefined on a server without a key that encrypts secrets. */
  find: (nowMs: number) => SigningKey | undefined;
  /** Returns the public keys of a time: the one that signs, the one before it, and the next one, which is known in advance. */
  listPublic: (nowMs: number) => PublicKey[];
}

/** Creates the keys of a server, each when it is first used. */
export function createSigningKeys(box: Pick<SecretBox, 'sign'>): SigningKeys {
  const known = new Map<number, SigningKey>();

  const findOfSpan = (span: number): SigningKey | undefined => {
    const key = known.get(span) ?? buildKey(box, span);
    if (key) known.set(span, key);
    return key;
  };
  return {
    find: (nowMs) => findOfSpan(findSpan(nowMs)),
    listPublic: (nowMs) => {
      const span = findSpan(nowMs);
      return [span, span - 1, span + 1].flatMap((each) => {
        const key = findOfSpan(each);
        return key ? [publish(key)] : [];
      });
    },
  };
}

const findSpan = (nowMs: number): number => Math.floor(nowMs / spanMs);

function buildKey(box: Pick<SecretBox, 'sign'>, span: number): SigningKey | undefined {
  const kid = `entitlements-${span}`;
  // No tenant has an empty alias, so that what is signed for a tenant is never a key.
  const seed = box.sign(`key ${kid}`, '');
  if (seed === undefined) return undefined;
  const der = Buffer.concat([pkcs8Prefix, Buffer.from(seed, 'base64url')]);
  return { kid, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
}

function publish({ kid, privateKey }: SigningKey): PublicKey {
  const { kty, crv, x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { kty: kty!, crv: crv!, x: x!, kid, alg: 'EdDSA', use: 'sig' };
}

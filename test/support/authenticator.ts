/** An authenticator of passkeys in software: ES256, with a counter, which signs for any domain it is asked to. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

interface Passkey {
  id: Buffer;
  key: KeyObject;
  userHandle: string;
  counter: number;
}

/** What a test may get wrong. */
export interface Tricks {
  origin?: string;
  rpId?: string;
  challenge?: string;
  /** The flags of the authenticator data: 1 present, 4 verified, 64 with a credential. */
  flags?: number;
  counter?: number;
  userHandle?: string;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

/** Creates an authenticator that a page of `origin` uses. */
export function createAuthenticator(origin: string) {
  let passkey: Passkey | undefined;

  const buildClientData = (type: string, challenge: string, tricks: Tricks) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: tricks.challenge ?? challenge,
        origin: tricks.origin ?? origin,
        crossOrigin: false,
      }),
    );

  const buildData = (rpId: string, flags: number, counter: number) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
  };

  return {
    /** The result of `navigator.credentials.create`. */
    create: (options: any, tricks: Tricks = {}) => {
      const { publicKey, privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const { x, y } = publicKey.export({ format: 'jwk' });
      passkey = { id: randomBytes(16), key, userHandle: options.user.id, counter: 1 };
      const cose = isoCBOR.encode(
        new Map<number, number | Uint8Array<ArrayBuffer>>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(Buffer.from(x!, 'base64url'))],
          [-3, new Uint8Array(Buffer.from(y!, 'base64url'))],
        ]),
      );
      const length = Buffer.alloc(2);
      length.writeUInt16BE(passkey.id.length);
      const authData = Buffer.concat([
        buildData(tricks.rpId ?? options.rp.id, tricks.flags ?? 0x45, passkey.counter),
        Buffer.alloc(16),
        length,
        passkey.id,
        cose,
      ]);
      const attestation = isoCBOR.encode(
        new Map<string, any>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', new Uint8Array(authData)],
        ]),
      );
      const id = passkey.id.toString('base64url');
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: buildClientData('webauthn.create', options.challenge, tricks).toString('base64url'),
          attestationObject: Buffer.from(attestation).toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    /** The result of `navigator.credentials.get`. */
    get: (options: any, tricks: Tricks = {}) => {
      const { id: rawId, key, userHandle } = passkey!;
      passkey!.counter += 1;
      const counter = tricks.counter ?? passkey!.counter;
      const authData = buildData(tricks.rpId ?? options.rpId, tricks.flags ?? 0x05, counter);
      const clientData = buildClientData('webauthn.get', options.challenge, tricks);
      const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), key);
      const id = rawId.toString('base64url');
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: tricks.userHandle ?? userHandle,
        },
      };
    },
  };
}

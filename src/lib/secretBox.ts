import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { refuse } from './errors.ts';
import type { RandomBytes } from './ids.ts';

/** Encrypts text that the database must not contain in plain form, such as signing secrets. */
export interface SecretBox {
  /** Encrypts text for one tenant. Error: `validation_failed` without a key. */
  seal(text: string, tenantAlias: string): string;
  /** Decrypts sealed text. Throws an Error if the key or the tenant differs, or the text was altered. */
  open(sealed: string, tenantAlias: string): string;
  /**
   * Returns 256 bits in base64url that only the key can compute from the text and its tenant: the same text always gives the
   * same. Undefined without a key.
   */
  sign(text: string, tenantAlias: string): string | undefined;
  /** Whether there is a key. Commands that do not serve may run without one. */
  hasKey(): boolean;
  /** Whether `seal` produced the text. */
  isSealed(text: string): boolean;
}

interface SecretBoxOptions {
  /** The configured key: 32 bytes in base64. */
  key?: string;
  /**
   * The file of the key if none is configured; created on first use. Undefined if several servers share the database.
   */
  keyFile?: string;
  randomBytes: RandomBytes;
}

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const prefix = 'sealed:v1:';

/** Creates a secret box (AES-256-GCM, bound to the tenant) with the configured key or the key in a file. */
export function createSecretBox({ key, keyFile, randomBytes }: SecretBoxOptions): SecretBox {
  let known: Buffer | undefined = key === undefined ? undefined : Buffer.from(key, 'base64');

  const readKey = () => {
    known ??= keyFile === undefined ? undefined : readKeyFile(keyFile);
    return known;
  };
  const findOrMakeKey = () => {
    const found = readKey();
    if (found || keyFile === undefined) return found;
    return (known = makeKeyFile(keyFile, randomBytes));
  };
  let signingKey: Buffer | undefined;
  const requireKey = () => {
    const found = findOrMakeKey();
    if (found) return found;
    return refuse('validation_failed', {
      path: 'input',
      message: 'the server cannot encrypt secrets: its operator must set PERENNIAL_SECRET_KEY',
    });
  };

  return {
    seal: (text, tenantAlias) => {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, requireKey(), nonce, { authTagLength: tagBytes });
      sealing.setAAD(Buffer.from(tenantAlias));
      const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
      return prefix + Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64');
    },
    open: (sealed, tenantAlias) => {
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
      const found = readKey();
      if (!found) throw new Error('There is no key to decrypt the secret.');
      const opening = createDecipheriv(cipher, found, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      opening.setAAD(Buffer.from(tenantAlias));
      opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return opening.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + opening.final('utf8');
    },
    sign: (text, tenantAlias) => {
      const secret = findOrMakeKey();
      if (!secret) return undefined;
      // One key never both encrypts and signs.
      signingKey ??= Buffer.from(hkdfSync('sha256', secret, '', 'perennial signatures', keyBytes));
      return createHmac('sha256', signingKey).update(`${tenantAlias}|${text}`).digest('base64url');
    },
    hasKey: () => readKey() !== undefined,
    isSealed: (text) => text.startsWith(prefix),
  };
}

function readKeyFile(file: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== keyBytes) throw new Error(`${file} does not hold a key of ${keyBytes} bytes in base64.`);
  return key;
}

/**
 * Creates the key file if it does not exist. It is flushed to disk before it gets its name, and only its owner can read
 * it.
 */
function makeKeyFile(file: string, randomBytes: RandomBytes): Buffer {
  const key = Buffer.from(randomBytes(keyBytes));
  const draft = `${file}.${Buffer.from(randomBytes(8)).toString('hex')}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeSync(descriptor, `${key.toString('base64')}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  try {
    linkSync(draft, file);
    return key;
  } catch (error) {
    // Another process has just created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readKeyFile(file)!;
  } finally {
    rmSync(draft);
  }
}

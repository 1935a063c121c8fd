// Secrets: made at random, shown once, kept as a hash or encrypted, never written to a log.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hash,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARS = 30; // 30 · log2(62) = 178 bits
const CHECK_CHARS = 6;

/** `ovs_` starts an account's API key, `ovt_` an operator's token. */
export type SecretPrefix = 'ovs_' | 'ovt_';

function checkChars(text: string): string {
  let rest = crc32(text);
  let out = '';
  for (let index = 0; index < CHECK_CHARS; index++) {
    out = BASE62[rest % 62] + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

/** A new secret: prefix, 178 random bits, and a checksum that reveals typing errors. */
export function newSecret(prefix: SecretPrefix): string {
  let random = '';
  for (let index = 0; index < RANDOM_CHARS; index++) random += BASE62[randomInt(62)];
  return prefix + random + checkChars(prefix + random);
}

/** For a link that works once: 256 random bits, safe in a URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Checks length, prefix and checksum: refuses floods of invented keys without the database. */
export function looksLikeSecret(prefix: SecretPrefix, text: string): boolean {
  if (text.length !== prefix.length + RANDOM_CHARS + CHECK_CHARS) return false;
  if (!text.startsWith(prefix)) return false;
  const body = text.slice(0, -CHECK_CHARS);
  return checkChars(body) === text.slice(-CHECK_CHARS);
}

/** The part of a secret that may be shown again, so that its owner can recognize it. */
export function secretHint(secret: string): string {
  return `${secret.slice(0, 8)}…`;
}

/**
 * The only form in which keys and tokens are stored. They are random, so no slow hash is needed.
 */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Removes our secrets from text that is about to be logged. */
export function withoutSecrets(text: string): string {
  return text.replace(/(ov[st]_|whsec_)[A-Za-z0-9+/=_-]{6,}/g, '$1[hidden]');
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;

/**
 * Reads one key or a comma-separated list, base64 or hex, 32 bytes each; null when it is not that.
 */
export function parseEncryptionKeys(text: string): Buffer[] | null {
  const keys = text.split(',').map((part) => {
    const word = part.trim();
    return /^[0-9a-f]{64}$/i.test(word) ? Buffer.from(word, 'hex') : Buffer.from(word, 'base64');
  });
  return keys.every((key) => key.length === KEY_BYTES) ? keys : null;
}

export function newEncryptionKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('key id').update(key).digest().subarray(0, KEY_ID_BYTES);
}

/** Whether this key encrypted it, judged by the key's id. */
export function isSealedWith(key: Buffer, sealed: Buffer): boolean {
  return sealed.subarray(0, KEY_ID_BYTES).equals(keyId(key));
}

/**
 * AES-256-GCM with the first key: key id, nonce, tag, ciphertext; `context` must be given again.
 */
export function encrypt(keys: readonly Buffer[], plain: Buffer, context: string): Buffer {
  const key = keys[0];
  if (key === undefined) throw new Error('no encryption key');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([keyId(key), nonce, cipher.getAuthTag(), body]);
}

/** The plain bytes, or null when none of the keys encrypted this or it was changed. */
export function decrypt(keys: readonly Buffer[], sealed: Buffer, context: string): Buffer | null {
  if (sealed.length < KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES) return null;
  const id = sealed.subarray(0, KEY_ID_BYTES);
  const key = keys.find((candidate) => timingSafeEqual(keyId(candidate), id));
  if (key === undefined) return null;
  const nonceEnd = KEY_ID_BYTES + NONCE_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(KEY_ID_BYTES, nonceEnd))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(nonceEnd, nonceEnd + TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(sealed.subarray(nonceEnd + TAG_BYTES)),
      decipher.final(),
    ]);
  } catch {
    return null;
  }
}

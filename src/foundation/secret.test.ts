// Secrets: hard to guess, recognized when mistyped, protected against change, absent from logs.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decrypt,
  encrypt,
  looksLikeSecret,
  newEncryptionKey,
  newSecret,
  parseEncryptionKeys,
  type SecretPrefix,
  secretHash,
  secretHint,
  withoutSecrets,
} from './secret.ts';

const prefixes = fc.constantFrom<SecretPrefix>('ovs_', 'ovt_');
/** New secrets; fast-check only chooses the prefix. */
const secrets = prefixes.map((prefix) => ({ prefix, secret: newSecret(prefix) }));

describe('a new secret', () => {
  test('holds at least 160 random bits', () => {
    const many = Array.from({ length: 2_000 }, () => newSecret('ovs_'));
    expect(new Set(many).size).toBe(many.length);
    // A position with all 62 characters is worth log2(62) bits; the checksum adds none.
    const CHECKSUM_CHARS = 6;
    const last = (many[0] as string).length - CHECKSUM_CHARS;
    let bits = 0;
    for (let at = 'ovs_'.length; at < last; at++) {
      bits += Math.log2(new Set(many.map((secret) => secret[at])).size);
    }
    expect(bits).toBeGreaterThanOrEqual(160);
  });

  test('consists of letters and digits, so that a double-click selects it', () => {
    fc.assert(
      fc.property(secrets, ({ prefix, secret }) => {
        expect(secret).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{36}$`));
      }),
    );
  });

  test('has the form of its own prefix only', () => {
    fc.assert(
      fc.property(secrets, ({ prefix, secret }) => {
        expect(looksLikeSecret(prefix, secret)).toBe(true);
        expect(looksLikeSecret(prefix === 'ovs_' ? 'ovt_' : 'ovs_', secret)).toBe(false);
      }),
    );
  });

  test('has a hint with at most four of its random characters', () => {
    const secret = newSecret('ovs_');
    expect(secretHint(secret)).toBe(`${secret.slice(0, 8)}…`);
  });

  test('is stored as its SHA-256', () => {
    // printf %s abc | sha256sum
    expect(secretHash('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('what does not look like a secret', () => {
  const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

  test('one with any single character changed, added or removed', () => {
    fc.assert(
      fc.property(
        secrets,
        fc.nat(39),
        fc.constantFrom(...BASE62),
        ({ prefix, secret }, at, sign) => {
          const changed = secret.slice(0, at) + sign + secret.slice(at + 1);
          expect(looksLikeSecret(prefix, changed)).toBe(changed === secret);
          expect(looksLikeSecret(prefix, secret.slice(0, at) + secret.slice(at + 1))).toBe(false);
          expect(looksLikeSecret(prefix, secret.slice(0, at) + sign + secret.slice(at))).toBe(
            false,
          );
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('one with two adjacent characters swapped', () => {
    fc.assert(
      fc.property(secrets, fc.nat(38), ({ prefix, secret }, at) => {
        const swapped = secret.slice(0, at) + secret[at + 1] + secret[at] + secret.slice(at + 2);
        expect(looksLikeSecret(prefix, swapped)).toBe(swapped === secret);
      }),
      { numRuns: 1_000 },
    );
  });

  test('anything else', () => {
    fc.assert(
      fc.property(prefixes, fc.string({ unit: 'binary', maxLength: 80 }), (prefix, text) => {
        expect(looksLikeSecret(prefix, text)).toBe(false);
        expect(looksLikeSecret(prefix, prefix + text)).toBe(false);
        expect(looksLikeSecret(prefix, `${prefix}${text}`.padEnd(40, 'x'))).toBe(false);
      }),
    );
  });
});

describe('the log', () => {
  test('shows no key, wherever it is in a text', () => {
    const around = fc.oneof(fc.string(), fc.constantFrom('x', '_', '\\n', '%3D', 'key=', '"', '/'));
    fc.assert(
      fc.property(around, secrets, around, (before, { secret }, after) => {
        const shown = withoutSecrets(`${before}${secret}${after}`);
        expect(shown).not.toContain(secret.slice(4, 16));
        expect(shown).not.toContain(secret.slice(-12));
      }),
      { numRuns: 1_000 },
    );
  });

  test('shows no key inside JSON, after a line break', () => {
    const secret = newSecret('ovs_');
    const shown = withoutSecrets(JSON.stringify({ reason: `refused:\n${secret}\n` }));
    expect(shown).not.toContain(secret.slice(4));
    expect(JSON.parse(shown)).toEqual({ reason: 'refused:\novs_[hidden]\n' });
  });

  test('shows none of several keys', () => {
    const line = `${newSecret('ovs_')} and ${newSecret('ovt_')},${newSecret('ovs_')}`;
    expect(withoutSecrets(line)).toBe('ovs_[hidden] and ovt_[hidden],ovs_[hidden]');
  });

  test('shows no webhook secret', () => {
    expect(withoutSecrets('secret whsec_AbCd+/12Zz== given')).toBe('secret whsec_[hidden] given');
  });

  test('leaves everything else as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/ov[st]_|whsec_/.test(text));
        expect(withoutSecrets(text)).toBe(text);
      }),
    );
  });
});

describe('encryption keys', () => {
  const hex = '00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF';
  const base64 = Buffer.from(hex, 'hex').toString('base64');

  test('are 32 bytes in base64 or hex, one or several', () => {
    const key = Buffer.from(hex, 'hex');
    expect(parseEncryptionKeys(hex)).toEqual([key]);
    expect(parseEncryptionKeys(base64)).toEqual([key]);
    expect(parseEncryptionKeys(` ${base64} , ${hex}`)).toEqual([key, key]);
    expect(parseEncryptionKeys(newEncryptionKey())).toHaveLength(1);
  });

  test.each(['', ',', 'short', hex.slice(1), `${hex}00`, `${base64},`, `${base64},short`])(
    '%j is refused',
    (text) => {
      expect(parseEncryptionKeys(text)).toBeNull();
    },
  );
});

describe('what is encrypted', () => {
  const newKey = () => Buffer.from(newEncryptionKey(), 'base64');
  const [key, older, other] = [newKey(), newKey(), newKey()];
  const bytes = fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array));

  test('decrypts with the same context', () => {
    fc.assert(
      fc.property(bytes, fc.string(), (plain, context) => {
        expect(decrypt([key], encrypt([key], plain, context), context)).toEqual(plain);
      }),
    );
  });

  test('is different each time', () => {
    const seal = () => encrypt([key], Buffer.from('same'), 'context').toString('hex');
    expect(seal()).not.toBe(seal());
  });

  test('is encrypted with the first key and decrypts with any, so that keys can be rotated', () => {
    fc.assert(
      fc.property(bytes, (plain) => {
        const old = encrypt([older], plain, 'c');
        expect(decrypt([key, older], old, 'c')).toEqual(plain);
        const fresh = encrypt([key, older], plain, 'c');
        expect(decrypt([key], fresh, 'c')).toEqual(plain);
        expect(decrypt([older], fresh, 'c')).toBeNull();
      }),
    );
  });

  test('does not decrypt with another key, without a key, or in another context', () => {
    const sealed = encrypt([key], Buffer.from('plain'), 'account 1');
    expect(decrypt([other], sealed, 'account 1')).toBeNull();
    expect(decrypt([], sealed, 'account 1')).toBeNull();
    expect(decrypt([key], sealed, 'account 2')).toBeNull();
    expect(() => encrypt([], Buffer.from('plain'), 'account 1')).toThrow('no encryption key');
  });

  test('does not decrypt if any bit was changed', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.nat(7), (plain, where, bit) => {
        const sealed = encrypt([key], plain, 'c');
        const at = where % sealed.length;
        sealed[at] = (sealed[at] as number) ^ (1 << bit);
        expect(decrypt([key], sealed, 'c')).toBeNull();
      }),
    );
  });

  test('does not decrypt if it was truncated', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), (plain, left) => {
        const sealed = encrypt([key], plain, 'c');
        expect(decrypt([key], sealed.subarray(0, left % sealed.length), 'c')).toBeNull();
      }),
    );
  });
});

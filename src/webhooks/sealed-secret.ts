// A webhook's secret as stored: encrypted, and bound to its account and webhook.
import { decrypt, encrypt, isSealedWith } from '../foundation/secret.ts';
import { isWebhookSecret } from './signature.ts';

type Owner = { accountId: string; webhookId: string; encryptionKeys: readonly Buffer[] };

const contextOf = ({ accountId, webhookId }: Owner) => `webhook secret ${accountId} ${webhookId}`;

export function sealSecret(owner: Owner, secret: string): Buffer {
  return encrypt(owner.encryptionKeys, Buffer.from(secret), contextOf(owner));
}

/**
 * Returns null if another key or webhook was used to seal it, or the content is not a valid secret.
 */
export function openSecret(owner: Owner, sealed: Buffer): string | null {
  const secret = decrypt(owner.encryptionKeys, sealed, contextOf(owner))?.toString() ?? null;
  return secret !== null && isWebhookSecret(secret) ? secret : null;
}

/** Whether it is sealed with the first key, which is used for new secrets. */
export function isSealedWithCurrentKey(
  { encryptionKeys }: Pick<Owner, 'encryptionKeys'>,
  sealed: Buffer,
): boolean {
  return encryptionKeys[0] !== undefined && isSealedWith(encryptionKeys[0], sealed);
}

// A registration's secret as it is kept: encrypted, and bound to its account and registration.
import { decrypt, encrypt, isSealedWith } from '../foundation/secret.ts';
import { isWebhookSecret } from './signature.ts';

type Owner = { accountId: string; webhookId: string; encryptionKeys: readonly Buffer[] };

const contextOf = ({ accountId, webhookId }: Owner) => `webhook secret ${accountId} ${webhookId}`;

export function sealSecret(owner: Owner, secret: string): Buffer {
  return encrypt(owner.encryptionKeys, Buffer.from(secret), contextOf(owner));
}

/** null: it was sealed with another key or for another registration, or what is in it signs nothing. */
export function openSecret(owner: Owner, sealed: Buffer): string | null {
  const secret = decrypt(owner.encryptionKeys, sealed, contextOf(owner))?.toString() ?? null;
  return secret !== null && isWebhookSecret(secret) ? secret : null;
}

/** Whether it is sealed with the first key, which seals from now on. */
export function isSealedAnew(
  { encryptionKeys }: Pick<Owner, 'encryptionKeys'>,
  sealed: Buffer,
): boolean {
  return encryptionKeys[0] !== undefined && isSealedWith(encryptionKeys[0], sealed);
}

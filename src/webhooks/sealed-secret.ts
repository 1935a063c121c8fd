// A registration's secret as it is kept: encrypted, and bound to its account and registration.
import { decrypt, encrypt } from '../foundation/secret.ts';

type Owner = { accountId: string; webhookId: string; encryptionKeys: readonly Buffer[] };

const contextOf = ({ accountId, webhookId }: Owner) => `webhook secret ${accountId} ${webhookId}`;

export function sealSecret(owner: Owner, secret: string): Buffer {
  return encrypt(owner.encryptionKeys, Buffer.from(secret), contextOf(owner));
}

/** Fails when it was written with another key, or for another registration. */
export function openSecret(owner: Owner, sealed: Buffer): string {
  const plain = decrypt(owner.encryptionKeys, sealed, contextOf(owner));
  if (plain === null) throw new Error(`the secret of webhook ${owner.webhookId} cannot be read`);
  return plain.toString();
}

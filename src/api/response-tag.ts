// ETags of paid responses. A tag proves that its response was paid: it is made with a secret from
// the account, the UTC day and the content, and is sent only with a paid response. Decision 24.
import { createHmac, hash } from 'node:crypto';
import { DAY_MS } from '../foundation/time.ts';

export type TagInput = {
  accountId: string;
  nowMs: number;
  operation: string;
  /** Format and encoding: each representation has its own tag. */
  representation: string;
  /** The body before compression. */
  content: string | Uint8Array;
};

export type ResponseTags = ReturnType<typeof createResponseTags>;

export function createResponseTags(secret: string) {
  // A key of its own: what signs sessions signs nothing else.
  const key = createHmac('sha256', secret).update('response tags').digest();
  return {
    tagOf(input: TagInput): string {
      const day = Math.floor(input.nowMs / DAY_MS);
      const { accountId, operation, representation } = input;
      const digest = createHmac('sha256', key)
        .update(`${accountId}\n${day}\n${operation}\n${representation}\n`)
        .update(hash('sha256', input.content, 'buffer'))
        .digest('base64url');
      return `"${digest.slice(0, 32)}"`;
    },
  };
}

/** Tags that one header names; more are ignored. */
const TAGS_MAX = 50;

/**
 * Whether If-None-Match names the tag. `*` does not count: it proves no payment. A compressing
 * proxy marks tags as weak.
 */
export function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',', TAGS_MAX).some((one) => one.trim().replace(/^W\//, '') === tag);
}

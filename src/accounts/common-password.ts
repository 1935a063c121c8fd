// Whether a password is among the first that somebody would try: frequent ones, keyboard rows,
// repetitions, dates, and the person's own e-mail.
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** A guesser who tries the likely ones first needs fewer attempts than this. */
const GUESSES_MIN = 1_000_000;

/** Guessing costs up to 0.4 s for 128 characters; the beginning of a long password suffices. */
const CHECKED_CHARS = 24;

let opened: Promise<ZxcvbnFactory> | undefined;

/** Loaded on first use: the word lists take 30 MB, and few processes ever set a password. */
async function openGuesser(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}

export async function isCommonPassword(password: string, email?: string): Promise<boolean> {
  opened ??= openGuesser();
  const guesser = await opened;
  const [local = '', ...others] = email?.split('@') ?? [];
  const words = ['oversight', local, ...others, ...local.split(/[^a-z0-9]+/i)].filter(
    (word) => word.length > 2,
  );
  return guesser.check(password.slice(0, CHECKED_CHARS), words).guesses < GUESSES_MIN;
}

// Runs before each test file that signs people in: hashes passwords with a sixteenth of the usual
// work. One hash takes 91 ms of CPU, and the tests make hundreds; started programs use the full
// work.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const COST = 1_024;

type Scrypt = typeof crypto.scrypt;
type Marked = Scrypt & { isCheap?: true };

const { scrypt }: { scrypt: Marked } = crypto;
// The process is shared by many files: replaced once.
if (scrypt.isCheap !== true) {
  const cheap = (...[password, salt, length, options, callback]: Parameters<Scrypt>) =>
    scrypt(password, salt, length, { ...options, N: COST }, callback);
  crypto.scrypt = Object.assign(cheap as Scrypt, { isCheap: true as const });
  syncBuiltinESMExports();
}

// Error codes of the dashboard: signing in, accounts, API keys.
import type { ErrorCodeEntry } from './error-kind.ts';

export const SIGN_IN_ERROR_CODES = {
  credentials_incorrect: {
    kind: 'unauthenticated',
    title: 'E-mail or password incorrect',
    cause: 'No person has this e-mail and this password.',
    remedy: 'Check both, or reset the password.',
  },
  password_incorrect: {
    kind: 'invalid_request',
    title: 'Password incorrect',
    cause: 'The password of the signed-in person is not this one.',
    remedy: 'Enter your current password.',
  },
  password_length_invalid: {
    kind: 'invalid_request',
    title: 'Password too short or too long',
    cause: 'The new password is shorter or longer than allowed.',
    remedy: 'Choose a password with a length that `message` allows.',
  },
  password_too_common: {
    kind: 'invalid_request',
    title: 'Password too common',
    cause: 'The new password is among the first that somebody would try.',
    remedy: 'Use several unrelated words, or a password manager.',
  },
  email_malformed: {
    kind: 'invalid_request',
    title: 'E-mail address malformed',
    cause: 'The text is not an e-mail address, or it contains characters that cannot sign in.',
    remedy: 'Enter a valid e-mail address.',
  },
  confirmation_mismatch: {
    kind: 'invalid_request',
    title: 'Confirmation does not match',
    cause: '`confirm_email` is not the e-mail address of the account.',
    remedy: 'Enter the e-mail address of the account.',
  },
  link_expired: {
    kind: 'invalid_request',
    title: 'Link expired',
    cause: 'The link was used already, or it has expired.',
    remedy: 'Request a new link.',
  },
  attempt_limit_reached: {
    kind: 'rate_limited',
    title: 'Too many attempts',
    cause: 'Too many failed attempts to sign in or to confirm a password.',
    remedy: 'Wait `retry_after_ms` milliseconds, or sign in with a link by e-mail.',
  },
  mail_limit_reached: {
    kind: 'rate_limited',
    title: 'Too many links requested',
    cause: 'Several links were requested for this e-mail within the hour.',
    remedy: 'Open the newest link in the inbox, or wait `retry_after_ms` milliseconds.',
  },
  account_deletion_pending: {
    kind: 'conflict',
    title: 'Account waits for deletion',
    cause: 'The deletion of the account was requested.',
    remedy: 'Restore the account, or wait until it is deleted.',
  },
  email_of_deleted_account: {
    kind: 'invalid_request',
    title: 'E-mail still in use',
    cause: 'The account with this e-mail is being deleted.',
    remedy: 'Sign up again after the time that `message` names.',
  },
  account_deletion_not_pending: {
    kind: 'conflict',
    title: 'No deletion to cancel',
    cause: 'The account does not wait for its deletion.',
    remedy: 'Nothing to do.',
  },
  account_deletion_started: {
    kind: 'conflict',
    title: 'Deletion started',
    cause: 'The deletion of the account has begun and cannot be stopped.',
    remedy: 'Create a new account when the deletion is complete.',
  },
  other_account_signed_in: {
    kind: 'conflict',
    title: 'Another account is signed in',
    cause: 'The page belongs to an account other than the one now signed in.',
    remedy: 'Reload the page.',
  },
  origin_not_allowed: {
    kind: 'forbidden',
    title: 'Origin not allowed',
    cause: 'A page other than the dashboard sent the request.',
    remedy: 'Use the dashboard, or call the API with a key.',
  },
  host_not_allowed: {
    kind: 'forbidden',
    title: 'Host not allowed',
    cause: 'The request names a host that is not an address of the service.',
    remedy: 'Open the address in `message`, or set `PUBLIC_URL`.',
  },
  export_in_progress: {
    kind: 'rate_limited',
    title: 'Export in progress',
    cause: 'An export of this account, or too many exports of others, are in progress.',
    remedy: 'Wait `retry_after_ms` milliseconds, then send the request again.',
  },
  library_entry_not_found: {
    kind: 'not_found',
    title: 'Not in the library',
    cause: 'The library has no such response: it was evicted, or it was too large to store.',
    remedy: 'List the library, or request the data again.',
  },
  api_key_not_found: {
    kind: 'not_found',
    title: 'API key not found',
    cause: 'The account has no API key with this id.',
    remedy: 'List the keys and check the id.',
  },
  api_key_name_invalid: {
    kind: 'invalid_request',
    title: 'API key name invalid',
    cause: 'The name of the key is empty or too long.',
    remedy: 'Send a name with a length that `message` allows.',
  },
  api_key_limit_reached: {
    kind: 'conflict',
    title: 'API key limit reached',
    cause: 'The account has as many API keys as an account may have.',
    remedy: 'Revoke a key first.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;

// Error codes of the operator's endpoints and commands.
import type { ErrorCodeEntry } from './error-kind.ts';

export const OPERATOR_ERROR_CODES = {
  operator_token_required: {
    kind: 'unauthenticated',
    title: 'Operator token required',
    cause: '`/metrics` or ingest was called without a valid operator token of the right scope.',
    remedy: 'Send `Authorization: Bearer TOKEN`. The command `token create` makes a token.',
  },
  operator_token_not_found: {
    kind: 'not_found',
    title: 'Operator token not found',
    cause: 'No operator token has this id.',
    remedy: 'Check the id.',
  },
  account_not_found: {
    kind: 'not_found',
    title: 'Account not found',
    cause: 'No account has this id or e-mail.',
    remedy: 'Check it with the command `account list`.',
  },
  account_exists: {
    kind: 'conflict',
    title: 'Account exists',
    cause: 'An account with this e-mail exists.',
    remedy: 'Use the existing account.',
  },
  plan_unknown: {
    kind: 'invalid_request',
    title: 'Unknown plan',
    cause: 'No plan has this name.',
    remedy: 'Use one of the plans that `message` lists.',
  },
  grant_amount_invalid: {
    kind: 'invalid_request',
    title: 'Grant amount invalid',
    cause: 'The number of credits to grant is not allowed.',
    remedy: 'Use a whole number within the range in `message`.',
  },
  file_unreadable: {
    kind: 'invalid_request',
    title: 'File cannot be read',
    cause: 'The file does not exist, is not a file, or cannot be read.',
    remedy: 'Check the path and its permissions.',
  },
  file_not_writable: {
    kind: 'conflict',
    title: 'File cannot be written',
    cause: 'The file exists or cannot be created.',
    remedy: 'Choose another path.',
  },
  input_incomplete: {
    kind: 'invalid_request',
    title: 'Input not read to its end',
    cause: 'Reading stopped before the end of the input.',
    remedy: 'Run the command again with the same input; nothing is lost or doubled.',
  },
  sales_truth_invalid: {
    kind: 'invalid_request',
    title: 'Sales file invalid',
    cause: 'The file with the true sales cannot be read or has too few sales.',
    remedy: 'Check the file, or lower `--min-days`.',
  },
  address_not_available: {
    kind: 'conflict',
    title: 'Address not available',
    cause: 'The program cannot listen on this address and port.',
    remedy: 'Stop the program that uses it, or choose another `--port`.',
  },
  encryption_key_mismatch: {
    kind: 'conflict',
    title: 'Encryption key does not match',
    cause: '`ENCRYPTION_KEY` does not decrypt this database.',
    remedy: 'Pass the new key first, then the key in use.',
  },
  loop_not_found: {
    kind: 'not_found',
    title: 'Loop not found',
    cause: 'This release has no loop with this name.',
    remedy: 'Use the release that has it.',
  },
  quarantine_item_not_found: {
    kind: 'not_found',
    title: 'Quarantined item not found',
    cause: 'No quarantined item has this id.',
    remedy: 'List the items again.',
  },
  quarantine_item_changed: {
    kind: 'conflict',
    title: 'Quarantined item changed',
    cause: 'The item changed since it was listed.',
    remedy: 'List the items again.',
  },
  quarantine_drop_refused: {
    kind: 'conflict',
    title: 'Quarantined item cannot be dropped',
    cause: 'Dropping the item would lose data or is not possible.',
    remedy: 'Retry the item, or drop it with `--accept-loss`.',
  },
  database_empty: {
    kind: 'not_found',
    title: 'Database empty',
    cause: 'The database has nothing to back up.',
    remedy: 'Check `DATA_DIR` or `DATABASE_URL`.',
  },
  distribution_impossible: {
    kind: 'conflict',
    title: 'Tables cannot be distributed',
    cause: 'The cluster is not ready for it, or processes of the service are running.',
    remedy: 'Do what the message says, then run the command again.',
  },
  database_not_empty: {
    kind: 'conflict',
    title: 'Database not empty',
    cause: 'A backup can be restored only into an empty database.',
    remedy: 'Restore into a new database.',
  },
  backup_invalid: {
    kind: 'invalid_request',
    title: 'Backup invalid',
    cause: 'The file is not a backup of this service.',
    remedy: 'Choose a file made by the command `backup`.',
  },
  database_too_new: {
    kind: 'conflict',
    title: 'Database of a newer release',
    cause: 'A newer release has migrated the database; this one would leave out what it added.',
    remedy: 'Run the command of the newer release.',
  },
  backup_too_new: {
    kind: 'conflict',
    title: 'Backup of a newer release',
    cause: 'The backup was made by a newer release.',
    remedy: 'Restore it with that release.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;

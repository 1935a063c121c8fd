// migrate, and doctor: looks whether everything is as it should be, and says what to do where not.
import { resolve } from 'node:path';
import { missingProxyAdvice } from '../accounts/proxy-trust.ts';
import { countQuarantined } from '../background/quarantined-items.ts';
import { gtin14 } from '../catalog/gtin.ts';
import { openFeeSchedule } from '../catalog/open-fee-schedule.ts';
import { listProducts } from '../catalog/products.ts';
import { creditCount } from '../credits/credit-count.ts';
import { countBalances, findLedgerFaults } from '../credits/ledger.ts';
import { journalFolder, readJournal, type UnresolvedBatch } from '../credits/unresolved-journal.ts';
import { LANES, TABLES } from '../database/families.ts';
import { listMigrations, schemaVersion } from '../database/migrate.ts';
import { commandClock } from '../database/time-lapse.ts';
import { isoTime, realClock } from '../foundation/clock.ts';
import { createMetrics } from '../foundation/metrics.ts';
import { DAY_MS } from '../foundation/time.ts';
import { canReachRedis } from '../limits/redis-rate-limiter.ts';
import { openSource } from '../sources/open-source.ts';
import type { CodesOutcome, FetchOutcome } from '../sources/source.ts';
import { hasRightKey, isCanaryOlder, migrateStore, openKeys, readDatabaseId } from '../store.ts';
import { surveySecrets } from '../webhooks/reseal-secrets.ts';
import { type DayFault, FAULTS_MAX, findDayFaults, NOT_SETTLED } from './check-days.ts';
import type { Command, Place } from './command.ts';

type Check = { name: string; ok: boolean; detail: string; advice?: string };

const CHECKS: readonly ((place: Place) => Promise<Check>)[] = [
  checkDatabase,
  checkMigrations,
  checkLanes,
  checkLedger,
  checkDays,
  checkUnresolvedCharges,
  checkKey,
  checkSecrets,
  checkClock,
  checkRedis,
  checkMarketplace,
  checkFees,
  checkQuarantine,
  checkProxy,
];

export const doctorCommands: readonly Command[] = [
  {
    name: 'migrate',
    words: [],
    usage: 'migrate',
    on: 'store',
    async run({ store }) {
      const applied = await migrateStore(store);
      const version = await schemaVersion(store.db);
      return {
        json: { applied, version },
        text: `${applied.length === 0 ? 'Nothing to do' : `Applied ${applied.join(', ')}`}; the database is at version ${version}.`,
      };
    },
  },
  {
    name: 'doctor',
    words: [],
    usage: 'doctor',
    on: 'store',
    async run(place) {
      const checks: Check[] = [];
      for (const check of CHECKS) {
        checks.push(await check(place).catch((error) => failed(check.name, error)));
      }
      const ok = checks.every((check) => check.ok);
      return {
        json: { ok, checks },
        text: checks.map(line).join('\n'),
        exitCode: ok ? 0 : 1,
      };
    },
  },
];

const line = (check: Check) =>
  `${check.ok ? 'ok ' : 'BAD'}  ${check.name.padEnd(12)} ${check.detail}${check.advice === undefined ? '' : `\n     → ${check.advice}`}`;

function failed(checkName: string, error: unknown): Check {
  return {
    name: checkName.replace('check', '').toLowerCase(),
    ok: false,
    detail: error instanceof Error ? error.message : String(error),
    advice: 'Mend what the line names, then ask again.',
  };
}

async function checkDatabase({ store, settings }: Place): Promise<Check> {
  const [row] = await store.db.read<{ version: string; bytes: number; fsync: string }>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
            pg_database_size(current_database()) as bytes`,
  );
  const place = settings.DATABASE_URL === null ? 'embedded' : 'given by DATABASE_URL';
  return {
    name: 'database',
    ok: row?.fsync === 'on',
    detail: `PostgreSQL ${row?.version}, ${place}, ${Math.ceil((row?.bytes ?? 0) / 1e6)} MB, fsync ${row?.fsync}`,
    ...(row?.fsync === 'on' ? {} : { advice: 'Switch fsync on: a crash would lose charges.' }),
  };
}

async function checkMigrations({ store }: Place): Promise<Check> {
  const version = await schemaVersion(store.db);
  const known = (await listMigrations()).at(-1)?.version ?? 0;
  return {
    name: 'migrations',
    ok: version === known,
    detail: `at version ${version}, this program knows ${known}`,
    ...(version < known ? { advice: 'Run the command migrate, or start the service.' } : {}),
    ...(version > known ? { advice: 'Run the newer release.' } : {}),
  };
}

/** Rows that lie in another lane than their key says would be found by nobody. */
async function checkLanes({ store }: Place): Promise<Check> {
  const hashOf = (key: string) => `sha256(convert_to(${key}, 'UTF8'))`;
  const ofFamily = {
    account: hashOf('account_id::text'),
    product: hashOf('retailer_product_code'),
  };
  const ofLookUp: Readonly<Record<string, string>> = {
    account_emails: hashOf('email'),
    api_key_hashes: 'key_hash',
    product_gtins: hashOf('gtin'),
    quarantined_items: hashOf('owner'),
  };
  const hashes = Object.entries(TABLES).flatMap(([name, table]): [string, string][] => {
    if (table.kind !== 'lane') return [];
    const hash = table.family === 'look-up' ? ofLookUp[name] : ofFamily[table.family];
    if (hash === undefined) throw new Error(`what the lane of ${name} is made from is not known`);
    return [[name, hash]];
  });
  const wrong: string[] = [];
  for (const [name, hash] of hashes) {
    const rows = await store.db.read<{ n: number }>(
      `select count(*) as n from ${name} where lane <> get_byte(${hash}, 0)`,
    );
    if ((rows[0]?.n ?? 0) > 0) wrong.push(`${name}: ${rows[0]?.n}`);
  }
  return {
    name: 'lanes',
    ok: wrong.length === 0,
    detail:
      wrong.length === 0
        ? `${Object.keys(TABLES).length} tables, ${LANES} lanes, every row in its own`
        : `rows in a wrong lane: ${wrong.join(', ')}`,
    ...(wrong.length === 0
      ? {}
      : { advice: 'Restore a backup: these rows were not written by us.' }),
  };
}

async function checkLedger({ store }: Place): Promise<Check> {
  const faults = await findLedgerFaults(store.db);
  const count = await countBalances(store.db);
  return {
    name: 'ledger',
    ok: faults.length === 0,
    detail:
      faults.length === 0
        ? `${count} balances equal the sum of their entries`
        : faults.map((fault) => `${fault.accountId}: ${fault.fault}`).join('; '),
    ...(faults.length === 0
      ? {}
      : { advice: 'Stop the service and keep a backup: the ledger must be looked into.' }),
  };
}

/** Each charged day of a tracked product was either kept or refunded, in time. */
async function checkDays({ store }: Place): Promise<Check> {
  const clock = await commandClock(store.db);
  const faults = await findDayFaults(store.db, clock.nowMs());
  if (faults.length === 0) {
    return { name: 'days', ok: true, detail: 'every charged day is settled once, or not due yet' };
  }
  const [first] = faults as [DayFault];
  const day = isoTime(first.day * DAY_MS).slice(0, 10);
  const isOverdue = faults.some(({ fault }) => fault === NOT_SETTLED);
  return {
    name: 'days',
    ok: false,
    detail: `${faults.length === FAULTS_MAX ? 'at least ' : ''}${faults.length} charged days, the first: ${first.accountId}, product ${first.code}, ${day}: ${first.fault}`,
    advice: isOverdue
      ? 'Look whether a worker runs and what the loop settle-days logs; days are settled an hour after their end.'
      : 'Keep a backup and compare the ledger entries of this product and day.',
  };
}

/** A restored backup needs the key of the database it came from. */
async function checkKey({ store, settings }: Place): Promise<Check> {
  const right = await hasRightKey(store, settings);
  if (right === null) return { name: 'key', ok: true, detail: 'not checked: none is at hand' };
  return {
    name: 'key',
    ok: right,
    detail: right ? 'opens what this database encrypts' : 'is not this database’s',
    ...(right
      ? {}
      : { advice: 'Give ENCRYPTION_KEY, or copy secrets/encryption-key of the old DATA_DIR.' }),
  };
}

/** Which key each secret needs: an older one may be retired when none does. */
async function checkSecrets({ store, settings }: Place): Promise<Check> {
  const name = 'secrets';
  const isAtHand = settings.DATABASE_URL === null || settings.ENCRYPTION_KEY !== null;
  const encryptionKeys = isAtHand ? await openKeys(store, settings) : null;
  if (encryptionKeys === null) return { name, ok: true, detail: 'not checked: no key opens them' };
  const survey = await surveySecrets(store.db, { encryptionKeys });
  const { webhooks, older, unreadable } = survey;
  if (unreadable.length > 0) {
    const named = unreadable.slice(0, UNREADABLE_NAMED).map(({ webhookId }) => webhookId);
    const more = unreadable.length > named.length ? ' …' : '';
    return {
      ...{ name, ok: false },
      detail: `${unreadable.length} of ${webhooks} webhooks have a secret that no key opens: ${named.join(', ')}${more}`,
      advice:
        'Add the key they were sealed with to ENCRYPTION_KEY, or let their customers rotate the secret.',
    };
  }
  const needsOlder = older > 0 || (await isCanaryOlder(store.db, encryptionKeys));
  const others = encryptionKeys.length - 1;
  const detail = `${webhooks} webhooks; ${needsOlder ? `${older} secrets need an older key` : 'all open with the first key'}`;
  if (needsOlder) {
    return { name, ok: true, detail, advice: 'Run keys reseal before an older key is removed.' };
  }
  return {
    ...{ name, ok: true, detail },
    ...(others > 0 ? { advice: 'ENCRYPTION_KEY may be reduced to its first key.' } : {}),
  };
}

const UNREADABLE_NAMED = 20;

async function checkClock({ store }: Place): Promise<Check> {
  const clock = await commandClock(store.db);
  const lapse = clock.speed > 1 ? `, ${clock.speed} seconds pass in one` : '';
  return { name: 'clock', ok: true, detail: `${isoTime(clock.nowMs())}${lapse}` };
}

async function checkRedis({ settings }: Place): Promise<Check> {
  if (settings.REDIS_URL === null) {
    return { name: 'redis', ok: true, detail: 'not used: each process counts its own requests' };
  }
  const ok = await canReachRedis(settings.REDIS_URL);
  return {
    name: 'redis',
    ok,
    detail: ok ? 'answers' : 'does not answer',
    ...(ok ? {} : { advice: 'Start it: until then each API process counts for itself.' }),
  };
}

/** Really asks: a search where there is one, else for a product. */
async function checkMarketplace({ store, settings, log }: Place): Promise<Check> {
  const { MARKETPLACE, MARKETPLACE_URL } = settings;
  if (MARKETPLACE === 'simulated') return { name: 'marketplace', ok: true, detail: MARKETPLACE };
  const source = openSource(settings, { clock: realClock, log, metrics: createMetrics() });
  try {
    const searched = await source.findByGtin(gtin14('0'));
    const response =
      searched.kind === 'unsupported' && MARKETPLACE === 'pages'
        ? (await source.fetchBatch([await anyCode(store)]))[0]
        : searched;
    const fault = marketplaceFault(response);
    const detail = `${MARKETPLACE} at ${MARKETPLACE_URL} ${fault?.detail ?? 'answers'}`;
    const advice = fault === null ? {} : { advice: fault.advice };
    return { name: 'marketplace', ok: fault === null, detail, ...advice };
  } finally {
    await source.close();
  }
}

async function checkFees({ settings }: Place): Promise<Check> {
  const { editions, promotions } = openFeeSchedule(settings);
  const name = settings.FEE_SCHEDULE ?? 'the schedule that comes with the program';
  const detail = `${name}: editions ${editions.length}, promotions ${promotions.length}`;
  return { name: 'fees', ok: true, detail };
}

async function checkQuarantine({ store }: Place): Promise<Check> {
  const counts = await countQuarantined(store.db);
  const listed = counts.map(
    ({ loop, items, firstAtMs }) => `${loop}: ${items} since ${isoTime(firstAtMs)}`,
  );
  if (counts.length === 0) {
    return { name: 'quarantine', ok: true, detail: 'no item was set aside' };
  }
  return {
    name: 'quarantine',
    ok: false,
    detail: `items set aside: ${listed.join(', ')}`,
    advice: 'Run quarantine list for their reasons, then quarantine retry or drop.',
  };
}

/**
 * What a process owes that was refused with 503 while the database was away, and has not been given
 * back yet.
 */
async function checkUnresolvedCharges({ store, settings }: Place): Promise<Check> {
  const name = 'unresolved';
  const folder = journalFolder(resolve(settings.DATA_DIR));
  const { batches, unreadable } = await readJournal(folder);
  const databaseId = await readDatabaseId(store.db);
  const isOurs = (batch: UnresolvedBatch) => batch.databaseId === databaseId;
  const open = batches.filter(isOurs).flatMap(({ entries }) => entries);
  const foreign = batches.filter((batch) => !isOurs(batch));
  if (open.length + foreign.length + unreadable.length === 0) {
    return { name, ok: true, detail: 'no charge waits to be given back' };
  }
  const listed = open.slice(0, LISTED_MAX).map(({ reference, accountId, credits, atMs }) => {
    return `${reference} of account ${accountId}, ${creditCount(-credits)}, ${isoTime(atMs)}`;
  });
  const more = open.length > LISTED_MAX ? [`and ${open.length - LISTED_MAX} more`] : [];
  const detail = [
    `${open.length} charges wait to be given back`,
    ...listed,
    ...more,
    ...foreign.map((batch) => `${batch.name} belongs to another database`),
    ...unreadable.map((file) => `${file} cannot be read`),
  ].join('; ');
  const advice =
    open.length > 0
      ? 'Start the service with this DATA_DIR: it gives them back by itself.'
      : `Look at the files in ${folder}; start the service on their database, or remove them.`;
  return { name, ok: false, detail, advice };
}

const LISTED_MAX = 20;

/** Without TRUST_PROXY everybody behind a proxy shares the limits of its address. */
async function checkProxy({ settings }: Place): Promise<Check> {
  const missing = missingProxyAdvice(settings);
  if (missing !== null) {
    const detail = 'TRUST_PROXY is not set, and PUBLIC_URL is public';
    return { name: 'proxy', ok: !missing.isCertain, detail, advice: missing.text };
  }
  const trusted =
    settings.TRUST_PROXY === null ? 'none is needed' : 'forwarded headers are trusted';
  return { name: 'proxy', ok: true, detail: trusted };
}

/** One that is known to be there, if any is. */
async function anyCode({ db }: Place['store']): Promise<string> {
  const [known] = await listProducts(db, 1).catch(() => []);
  return known?.code ?? '1';
}

function marketplaceFault(
  response: FetchOutcome | CodesOutcome | undefined,
): { detail: string; advice: string } | null {
  switch (response?.kind) {
    case 'unavailable':
      return {
        detail: `cannot be used: ${response.reason}`,
        advice: response.reason.includes('MARKETPLACE_TOKEN')
          ? 'Give the token that the provider expects as MARKETPLACE_TOKEN.'
          : 'Start it, or mend MARKETPLACE_URL: until then only stored products are answered.',
      };
    case 'bad_answer':
      return {
        detail: `answers what cannot be used: ${response.reason}`,
        advice: 'Look whether MARKETPLACE_URL is the address of a marketplace of this kind.',
      };
    case 'unsupported':
      return {
        detail: 'does not search by GTIN',
        advice: 'Look whether MARKETPLACE_URL is the base address of a feed.',
      };
    default:
      return null;
  }
}

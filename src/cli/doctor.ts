// Commands migrate and doctor. doctor checks database, ledger, keys and connections, and says how
// to fix what is wrong.
import { resolve } from 'node:path';
import { missingProxyAdvice } from '../accounts/proxy-trust.ts';
import { countQuarantined } from '../background/quarantined-items.ts';
import { gtin14 } from '../catalog/gtin.ts';
import { openFeeSchedule } from '../catalog/open-fee-schedule.ts';
import { listProducts } from '../catalog/products.ts';
import { creditCount } from '../credits/credit-count.ts';
import { journalFolder, readJournal, type UnresolvedBatch } from '../credits/unresolved-journal.ts';
import { readLaneGroups } from '../database/lane-groups.ts';
import { listMigrations, schemaVersion } from '../database/migrate.ts';
import { commandClock } from '../database/time-lapse.ts';
import { isoTime, realClock } from '../foundation/clock.ts';
import { createMetrics } from '../foundation/metrics.ts';
import { DAY_MS } from '../foundation/time.ts';
import { canReachRedis } from '../limits/redis-rate-limiter.ts';
import { hasTrigrams, TRIGRAM_ADVICE } from '../search/product-words.ts';
import { openSource } from '../sources/open-source.ts';
import type { CodesOutcome, FetchOutcome } from '../sources/source.ts';
import { hasRightKey, isCanaryOlder, migrateStore, openKeys, readDatabaseId } from '../store.ts';
import { surveySecrets } from '../webhooks/reseal-secrets.ts';
import { type DayFault, FAULTS_MAX, findDayFaults, NOT_SETTLED } from './check-days.ts';
import { checkDistribution } from './check-distribution.ts';
import { checkLanes, unfinished } from './check-lanes.ts';
import { checkLedger } from './check-ledger.ts';
import type { Check, Command, StoreContext } from './command.ts';
import { createParts } from './parts.ts';

const CHECKS: readonly ((context: StoreContext) => Promise<Check>)[] = [
  checkDatabase,
  checkMigrations,
  checkLanes,
  checkDistribution,
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
  checkSearch,
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
        text: `${applied.length === 0 ? 'Nothing to apply' : `Applied ${applied.join(', ')}`}; the database is at version ${version}.`,
      };
    },
  },
  {
    name: 'doctor',
    words: [],
    usage: 'doctor',
    on: 'store',
    async run(context) {
      const checks: Check[] = [];
      const { db } = context.store;
      // Parts of big tables are cut by shard.
      await readLaneGroups(db).then(db.groups.set, () => {});
      for (const check of CHECKS) {
        checks.push(await check(context).catch((error) => failed(check.name, error)));
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
    advice: 'Fix the error above, then run doctor again.',
  };
}

async function checkDatabase({ store, settings }: StoreContext): Promise<Check> {
  const [row] = await store.db.read<{ version: string; bytes: number; fsync: string }>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
            pg_database_size(current_database()) as bytes`,
  );
  const origin = settings.DATABASE_URL === null ? 'embedded' : 'from DATABASE_URL';
  return {
    name: 'database',
    ok: row?.fsync === 'on',
    detail: `PostgreSQL ${row?.version}, ${origin}, ${Math.ceil((row?.bytes ?? 0) / 1e6)} MB, fsync ${row?.fsync}`,
    ...(row?.fsync === 'on' ? {} : { advice: 'Turn fsync on; without it a crash loses charges.' }),
  };
}

async function checkMigrations({ store }: StoreContext): Promise<Check> {
  const version = await schemaVersion(store.db);
  const latestVersion = (await listMigrations()).at(-1)?.version ?? 0;
  return {
    name: 'migrations',
    ok: version === latestVersion,
    detail: `database at version ${version}, this release at ${latestVersion}`,
    ...(version < latestVersion ? { advice: 'Run migrate, or start the service.' } : {}),
    ...(version > latestVersion ? { advice: 'Run the newer release.' } : {}),
  };
}

/** Checks that each charged day of a tracked product was kept or refunded in time. */
async function checkDays({ store }: StoreContext): Promise<Check> {
  const clock = await commandClock(store.db);
  const parts = createParts('accounts');
  const faults = await findDayFaults(store.db, clock.nowMs(), { parts });
  parts.end();
  if (faults.length === 0 && parts.failures.length > 0) return unfinished('days', parts.failures);
  if (faults.length === 0) {
    return { name: 'days', ok: true, detail: 'every charged day is settled once or not due yet' };
  }
  const [first] = faults as [DayFault];
  const day = isoTime(first.day * DAY_MS).slice(0, 10);
  const isOverdue = faults.some(({ fault }) => fault === NOT_SETTLED);
  return {
    name: 'days',
    ok: false,
    detail: `${faults.length === FAULTS_MAX ? 'at least ' : ''}${faults.length} charged days are wrong; the first: account ${first.accountId}, product ${first.code}, ${day}: ${first.fault}`,
    advice: isOverdue
      ? 'Check that a worker runs, and read what the settle-days loop logs. Days are settled an hour after they end.'
      : 'Make a backup and compare the ledger entries of this product and day.',
  };
}

/** A restored backup needs the key of the original database. */
async function checkKey({ store, settings }: StoreContext): Promise<Check> {
  const isRight = await hasRightKey(store, settings);
  if (isRight === null) return { name: 'key', ok: true, detail: 'not checked: no key is set' };
  return {
    name: 'key',
    ok: isRight,
    detail: isRight ? 'matches this database' : 'does not match this database',
    ...(isRight
      ? {}
      : { advice: 'Set ENCRYPTION_KEY, or copy secrets/encryption-key from the old DATA_DIR.' }),
  };
}

/** Checks which keys the secrets need; an older key can be removed when no secret needs it. */
async function checkSecrets({ store, settings }: StoreContext): Promise<Check> {
  const name = 'secrets';
  const hasKey = settings.DATABASE_URL === null || settings.ENCRYPTION_KEY !== null;
  const encryptionKeys = hasKey ? await openKeys(store, settings) : null;
  if (encryptionKeys === null) return { name, ok: true, detail: 'not checked: no key matches' };
  const survey = await surveySecrets(store.db, { encryptionKeys });
  const { webhooks, older, unreadable } = survey;
  if (unreadable.length > 0) {
    const named = unreadable.slice(0, UNREADABLE_NAMED).map(({ webhookId }) => webhookId);
    const more = unreadable.length > named.length ? ' …' : '';
    return {
      name,
      ok: false,
      detail: `${unreadable.length} of ${webhooks} webhooks have a secret that no key decrypts: ${named.join(', ')}${more}`,
      advice:
        'Add the key they were encrypted with to ENCRYPTION_KEY, or let the customers rotate the secrets.',
    };
  }
  const needsOlder = older > 0 || (await isCanaryOlder(store.db, encryptionKeys));
  const others = encryptionKeys.length - 1;
  const detail = `${webhooks} webhooks; ${needsOlder ? `${older} secrets need an older key` : 'the first key decrypts all secrets'}`;
  if (needsOlder) {
    return { name, ok: true, detail, advice: 'Run keys reseal before you remove an older key.' };
  }
  return {
    name,
    ok: true,
    detail,
    ...(others > 0 ? { advice: 'You can reduce ENCRYPTION_KEY to its first key.' } : {}),
  };
}

const UNREADABLE_NAMED = 20;

async function checkClock({ store }: StoreContext): Promise<Check> {
  const clock = await commandClock(store.db);
  const lapse = clock.speed > 1 ? `, time lapse: ${clock.speed} seconds per second` : '';
  return { name: 'clock', ok: true, detail: `${isoTime(clock.nowMs())}${lapse}` };
}

async function checkRedis({ settings }: StoreContext): Promise<Check> {
  if (settings.REDIS_URL === null) {
    return {
      name: 'redis',
      ok: true,
      detail: 'not used; each process enforces rate limits on its own',
    };
  }
  const ok = await canReachRedis(settings.REDIS_URL);
  return {
    name: 'redis',
    ok,
    detail: ok ? 'responds' : 'does not respond',
    ...(ok
      ? {}
      : { advice: 'Start Redis. Until then each API process enforces rate limits on its own.' }),
  };
}

/** Sends a real request: a search by GTIN, or a product where search is not supported. */
async function checkMarketplace({ store, settings, log }: StoreContext): Promise<Check> {
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
    const detail = `${MARKETPLACE} at ${MARKETPLACE_URL} ${fault?.detail ?? 'responds'}`;
    const advice = fault === null ? {} : { advice: fault.advice };
    return { name: 'marketplace', ok: fault === null, detail, ...advice };
  } finally {
    await source.close();
  }
}

async function checkFees({ settings }: StoreContext): Promise<Check> {
  const { editions, promotions } = openFeeSchedule(settings);
  const name = settings.FEE_SCHEDULE ?? 'the default schedule';
  const detail = `${name}: editions ${editions.length}, promotions ${promotions.length}`;
  return { name: 'fees', ok: true, detail };
}

async function checkQuarantine({ store }: StoreContext): Promise<Check> {
  const counts = await countQuarantined(store.db);
  const listed = counts.map(
    ({ loop, items, firstAtMs }) => `${loop}: ${items} since ${isoTime(firstAtMs)}`,
  );
  if (counts.length === 0) {
    return { name: 'quarantine', ok: true, detail: 'no items in quarantine' };
  }
  return {
    name: 'quarantine',
    ok: false,
    detail: `items in quarantine: ${listed.join(', ')}`,
    advice: 'Run quarantine list to see the reasons, then quarantine retry or quarantine drop.',
  };
}

/**
 * Checks for charges that a process must still refund: their requests ended with 503 because the
 * database was away.
 */
async function checkUnresolvedCharges({ store, settings }: StoreContext): Promise<Check> {
  const name = 'unresolved';
  const folder = journalFolder(resolve(settings.DATA_DIR));
  const { batches, unreadable } = await readJournal(folder);
  const databaseId = await readDatabaseId(store.db);
  const isOurs = (batch: UnresolvedBatch) => batch.databaseId === databaseId;
  const open = batches.filter(isOurs).flatMap(({ entries }) => entries);
  const foreign = batches.filter((batch) => !isOurs(batch));
  if (open.length + foreign.length + unreadable.length === 0) {
    return { name, ok: true, detail: 'no charge waits for a refund' };
  }
  const listed = open.slice(0, LISTED_MAX).map(({ reference, accountId, credits, atMs }) => {
    return `${reference} of account ${accountId}, ${creditCount(-credits)}, ${isoTime(atMs)}`;
  });
  const more = open.length > LISTED_MAX ? [`and ${open.length - LISTED_MAX} more`] : [];
  const detail = [
    `${open.length} charges wait for a refund`,
    ...listed,
    ...more,
    ...foreign.map((batch) => `${batch.name} belongs to another database`),
    ...unreadable.map((file) => `${file} cannot be read`),
  ].join('; ');
  const advice =
    open.length > 0
      ? 'Start the service with this DATA_DIR; it refunds them.'
      : `Check the files in ${folder}: start the service on their database, or remove them.`;
  return { name, ok: false, detail, advice };
}

const LISTED_MAX = 20;

/** Without TRUST_PROXY all clients behind a proxy share the limits of its address. */
async function checkProxy({ settings }: StoreContext): Promise<Check> {
  const missing = missingProxyAdvice(settings);
  if (missing !== null) {
    const detail = 'TRUST_PROXY is not set, and PUBLIC_URL is public';
    return { name: 'proxy', ok: !missing.isCertain, detail, advice: missing.text };
  }
  const trusted =
    settings.TRUST_PROXY === null ? 'TRUST_PROXY is not needed' : 'forwarded headers are trusted';
  return { name: 'proxy', ok: true, detail: trusted };
}

/** Search forgives typing errors only with pg_trgm, which a managed server may not allow. */
async function checkSearch({ store }: StoreContext): Promise<Check> {
  if (await hasTrigrams(store.db)) {
    return { name: 'search', ok: true, detail: 'finds words with typing errors' };
  }
  return {
    name: 'search',
    ok: true,
    detail: 'finds words as they are written: the extension pg_trgm is missing',
    advice: TRIGRAM_ADVICE,
  };
}

/** Returns the code of a stored product, or '1' when none is stored. */
async function anyCode({ db }: StoreContext['store']): Promise<string> {
  const [product] = await listProducts(db, 1).catch(() => []);
  return product?.code ?? '1';
}

function marketplaceFault(
  response: FetchOutcome | CodesOutcome | undefined,
): { detail: string; advice: string } | null {
  switch (response?.kind) {
    case 'unavailable':
      return {
        detail: `cannot be used: ${response.reason}`,
        advice: response.reason.includes('MARKETPLACE_TOKEN')
          ? 'Set MARKETPLACE_TOKEN to the token that the provider expects.'
          : 'Start it, or correct MARKETPLACE_URL. Until then only stored products are served.',
      };
    case 'bad_response':
      return {
        detail: `sends an invalid response: ${response.reason}`,
        advice: 'Check that MARKETPLACE_URL is the address of a marketplace of this kind.',
      };
    case 'unsupported':
      return {
        detail: 'does not search by GTIN',
        advice: 'Check that MARKETPLACE_URL is the base address of a feed.',
      };
    default:
      return null;
  }
}

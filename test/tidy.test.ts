// Layout rules as data: allowed imports, code allowed only in certain files, and the properties of
// the migrated database that sharding needs.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FORMER_TABLE_NAMES, SIGN_IN_TABLES, TABLES } from '../src/database/families.ts';
import { listMigrations } from '../src/database/migrate.ts';
import { cloneDatabase } from './support/database.ts';
import { sourceParts } from './support/source-parts.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const ground = ['foundation', 'database', 'background', 'limits'];
const domains = [
  'accounts',
  'catalog',
  'credits',
  'library',
  'history',
  'events',
  'sales',
  'search',
  'tracking',
  'webhooks',
];
const inside = [...ground, 'outbound', ...domains, 'sources', 'collection', 'closing', 'pictures'];

const STARTING = [
  'api',
  'config.ts',
  'store.ts',
  'app.ts',
  'first-start.ts',
  'wait-for-database.ts',
  'announce.ts',
];

/** Allowed imports of each folder and file of src/, besides itself. A new folder needs a row. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  foundation: [],
  database: ['foundation'],
  background: ['foundation', 'database'],
  outbound: ['foundation'],
  limits: ['foundation', 'database'],
  accounts: ground,
  catalog: ground,
  sources: ['foundation', 'outbound', 'catalog'],
  credits: [...ground, 'accounts'],
  library: [...ground],
  history: [...ground, 'catalog'],
  events: [...ground, 'catalog'],
  sales: [...ground, 'catalog', 'history'],
  search: [...ground, 'catalog', 'history', 'sales'],
  tracking: [...ground, 'accounts', 'catalog', 'sources', 'credits', 'history', 'events', 'sales'],
  webhooks: [...ground, 'outbound', 'accounts', 'credits', 'events', 'tracking'],
  closing: [...ground, 'accounts', 'credits', 'events', 'tracking', 'webhooks'],
  collection: [...ground, 'catalog', 'sources', 'history', 'events', 'sales', 'search', 'tracking'],
  pictures: [...ground, 'catalog', 'history', 'events'],
  api: inside,
  'config.ts': ['foundation'],
  'store.ts': ['foundation', 'database', 'config.ts'],
  'app.ts': [...inside, 'api', 'config.ts'],
  'loops.ts': inside,
  'quarantine-loops.ts': inside,
  'demo-account.ts': [...inside, 'app.ts'],
  'first-start.ts': [...inside, 'app.ts', 'demo-account.ts'],
  'parent-link.ts': ['foundation', 'limits'],
  'run-processes.ts': ['foundation', 'limits', 'parent-link.ts'],
  'wait-for-database.ts': ['foundation', 'api', 'config.ts', 'store.ts'],
  'announce.ts': ['foundation', 'config.ts', 'first-start.ts'],
  'start-process.ts': [...inside, ...STARTING, 'loops.ts', 'parent-link.ts'],
  'start-parent.ts': [...inside, ...STARTING, 'run-processes.ts', 'start-process.ts'],
  'main.ts': [
    'foundation',
    'config.ts',
    'parent-link.ts',
    'run-processes.ts',
    'start-parent.ts',
    'start-process.ts',
    'wait-for-database.ts',
  ],
  cli: [...inside, 'config.ts', 'store.ts', 'app.ts', 'quarantine-loops.ts'],
  'cli.ts': ['cli'],
};

/** Code that is allowed only in these files of src/ (a folder ends with a slash). */
const ONLY_IN: readonly { what: string; pattern: RegExp; paths: readonly string[] }[] = [
  { what: 'the environment is read', pattern: /\bprocess\.env\b/, paths: ['config.ts'] },
  {
    what: 'the clock is read',
    pattern:
      /\bDate\.now\b|\bperformance\.now\b|\bhrtime\b|\bnew Date\(\s*\)|(?<!new )\bDate\(\s*\)/,
    paths: ['foundation/clock.ts'],
  },
  {
    what: 'HTTP goes out',
    pattern: /(?<![.\w])fetch\(/,
    paths: ['webhooks/post.ts', 'sources/feed/feed-client.ts', 'sources/pages/page-source.ts'],
  },
];

/** Packages that only these files of src/ may import. */
const PACKAGES_ONLY_IN: readonly { pattern: RegExp; paths: readonly string[] }[] = [
  { pattern: /^(fastify|@fastify\/.*|@scalar\/fastify.*)$/, paths: ['api/'] },
  { pattern: /^(pg|pg-copy-streams)$/, paths: ['database/', 'cli/backup.ts'] },
  { pattern: /^ioredis$/, paths: ['limits/'] },
  { pattern: /^pino$/, paths: ['foundation/log.ts'] },
  { pattern: /^(better-auth|kysely)$/, paths: ['accounts/sign-in-library.ts'] },
  { pattern: /^nodemailer$/, paths: ['accounts/link-mail.ts'] },
  { pattern: /^@resvg\/resvg-js$/, paths: ['pictures/png-worker.ts'] },
  { pattern: /^prom-client$/, paths: ['foundation/metrics.ts'] },
  {
    pattern: /^(undici|node:https?)$/,
    paths: [
      'webhooks/post.ts',
      'sources/feed/feed-client.ts',
      'sources/pages/page-source.ts',
      'api/',
      'sources/simulated/feed-server.ts',
      'cli/listen.ts',
    ],
  },
];

/** Tools for the whole database, which may name tables that another file owns. */
const NAME_ANY_TABLE: Readonly<Record<string, string>> = {
  'cli/backup.ts': 'copies every table of TABLES, and checks two for rows',
  'cli/check-days.ts': 'compares charged days with the ledger and with paid stretches',
  'cli/check-lanes.ts': 'checks the lanes of every table',
  'cli/check-ledger.ts': 'compares balances with the ledger',
  'closing/account-tables.ts': 'exports and deletes the rows of one account in every table',
};

/** Folders of src/ that are documented elsewhere. */
const WITHOUT_README: Readonly<Record<string, string>> = {
  cli: 'one file per group of commands; --help documents the commands',
};

const VAGUE_NAMES = [
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'type',
  'types',
  'manager',
  'service',
];
const FILE_LINES_MAX = 400;
const LINE_COLUMNS_MAX = 140;
const README_LINES_MAX = 40;

function filesUnder(folder: string, end: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name))
    .sort();
}

type SourceFile = ReturnType<typeof readSource>;
function readSource(path: string) {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const parts = sourceParts(source);
  const imports = [
    ...source.matchAll(/^(?:import|export)\b[^;'"]*?\bfrom '([^']+)'|^import '([^']+)'/gm),
  ].map((match) => (match[1] ?? match[2]) as string);
  return { path, name: relative('src', path), source, imports, ...parts };
}

const everything = ['src', 'test', 'scripts', 'bench'].flatMap((folder) =>
  [...filesUnder(folder, '.ts'), ...filesUnder(folder, '.mjs')].map(readSource),
);
const sources = everything.filter(
  ({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'),
);

const roomOf = (name: string) => name.split('/')[0] as string;
const isIn = (name: string, paths: readonly string[]) =>
  paths.some((path) => (path.endsWith('/') ? name.startsWith(path) : name === path));

/** The project files that a file imports, as named under src/. */
const ownImports = (file: SourceFile) =>
  file.imports
    .filter((target) => target.startsWith('.'))
    .map((target) => join(dirname(file.name), target));

describe('directions', () => {
  test('every folder and file of src/ has a row', () => {
    const rooms = new Set(sources.map(({ name }) => roomOf(name)));
    expect([...rooms].filter((room) => MAY_IMPORT[room] === undefined)).toEqual([]);
  });

  test('no folder imports one above it', () => {
    const wrong = sources.flatMap((file) =>
      ownImports(file)
        .map(roomOf)
        .filter((room) => room !== roomOf(file.name))
        .filter((room) => !MAY_IMPORT[roomOf(file.name)]?.includes(room))
        .map((room) => `${file.name} imports ${room}`),
    );
    expect(wrong).toEqual([]);
  });

  test('there are no circular imports', () => {
    const importsOf = new Map(sources.map((file) => [file.name, ownImports(file)]));
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (name: string, path: readonly string[]) => {
      if (path.includes(name)) circles.push([...path.slice(path.indexOf(name)), name].join(' → '));
      if (done.has(name) || path.includes(name)) return;
      for (const next of importsOf.get(name) ?? []) walk(next, [...path, name]);
      done.add(name);
    };
    for (const name of importsOf.keys()) walk(name, []);
    expect(circles).toEqual([]);
  });

  test('imports name a file of src/ with its ending, or a package', () => {
    const names = new Set(sources.map(({ name }) => name));
    const wrong = sources.flatMap((file) =>
      ownImports(file)
        .filter((target) => !names.has(target))
        .map((target) => `${file.name} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('every import is seen by this test', () => {
    const count = (countIn: (file: SourceFile) => number) =>
      sources.reduce((sum, file) => sum + countIn(file), 0);
    const seen = count(({ imports }) => imports.length);
    expect(seen).toBe(count(({ code }) => [...code.matchAll(/\bfrom '|^import '/gm)].length));
    const late = sources.filter(({ code }) => /\bimport\(|\brequire\(/.test(code));
    expect(late.map(({ name }) => name)).toEqual([
      'accounts/common-password.ts',
      'accounts/sign-in.ts',
    ]);
  });

  test.each(ONLY_IN)('$what only in $paths', ({ pattern, paths }) => {
    const wrong = sources.filter(({ name, code }) => pattern.test(code) && !isIn(name, paths));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test.each(PACKAGES_ONLY_IN)('$pattern is imported only in $paths', ({ pattern, paths }) => {
    const wrong = sources.filter(
      ({ name, imports }) => imports.some((target) => pattern.test(target)) && !isIn(name, paths),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

describe('tables', () => {
  const KEYWORDS = "from|join|into|update|table|only|truncate|references|regclass\\('";

  /** Whether a file's SQL names a table. A name with an underscore cannot be another word. */
  const names = (file: SourceFile, table: string) => {
    const inSql = new RegExp(`(?:\\b(?:${KEYWORDS})\\s*|::)"?${table}\\b`, 'i');
    const anywhere = new RegExp(`\\b${table}\\b`);
    return file.texts.some(
      (text) => inSql.test(text) || (table.includes('_') && anywhere.test(text)),
    );
  };

  test.each(Object.keys(TABLES))('%s is named by the SQL of exactly one file', (table) => {
    const files = sources.filter(
      (file) => names(file, table) && NAME_ANY_TABLE[file.name] === undefined,
    );
    expect(files.map(({ name }) => name)).toHaveLength(1);
    expect(files[0]?.name).toMatch(/^(?!api\/|cli\/|foundation\/)\w+\//);
  });

  test('SQL takes time and ids as parameters', () => {
    const made = /\bnow\(\)|\bcurrent_timestamp\b|\bclock_timestamp\(|\bgen_random_uuid\(/i;
    const wrong = sources.filter(({ texts }) => texts.some((text) => made.test(text)));
    // What processes agree on, whose machines may have different clocks.
    expect(wrong.map(({ name }) => name)).toEqual([
      'background/leases.ts',
      'database/clock-skew.ts',
      'limits/shared-rates.ts',
    ]);
  });
});

test('properties use boundedInTime: the library’s time limit leaves a case running during the next test', () => {
  const limit = ['interrupt', 'After', 'TimeLimit'].join('');
  const wrong = everything.filter(({ source }) => source.includes(limit));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('names of loops and batches are slugs', () => {
  const named = /\b(?:startPeriodic|startClaimLoop|createBatch)\b[^;]*?\bname: '([^']+)'/g;
  const names = sources.flatMap(({ source }) =>
    [...source.matchAll(named)].map((match) => match[1] as string),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([]);
});

describe('files', () => {
  test('have specific names', () => {
    const wrong = sources.filter(({ name }) => {
      const words = basename(name, '.ts').split('-');
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(basename(name)) ||
        VAGUE_NAMES.includes(words.at(-1) as string) ||
        words.join('-') === 'index'
      );
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test('export by name', () => {
    const wrong = sources.filter(({ code }) => /\bexport\s+default\b|\bexport\s*\*/.test(code));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test('start with a sentence about their purpose', () => {
    const files = everything.filter(
      (file) => sources.includes(file) || roomOf(file.path) !== 'src',
    );
    const wrong = files.filter(({ source }) => {
      const opening = /^(?:\/\/ .+\n)+/.exec(source)?.[0] ?? '';
      return opening.length < 20 || !/[.:]\n$/.test(opening);
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test(`have at most ${FILE_LINES_MAX} lines`, () => {
    const wrong = sources
      .map(({ name, source }) => ({ name, lines: source.split('\n').length - 1 }))
      .filter(({ lines }) => lines > FILE_LINES_MAX);
    expect(wrong).toEqual([]);
  });

  test(`have at most ${LINE_COLUMNS_MAX} columns, not counting strings`, () => {
    const wrong = sources.flatMap(({ name, withoutTexts }) =>
      withoutTexts
        .split('\n')
        .flatMap((line, index) => (line.length > LINE_COLUMNS_MAX ? [`${name}:${index + 1}`] : [])),
    );
    expect(wrong).toEqual([]);
  });

  test('have no TODO comments and no skipped tests', () => {
    const wrong = everything.filter(
      ({ code, comments }) =>
        /\.(?:only|skip|todo)\b/.test(code) ||
        comments.some((comment) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(comment)),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe('the dashboard', () => {
  const files = [...filesUnder('dashboard/src', '.ts'), ...filesUnder('dashboard/src', '.tsx')].map(
    readSource,
  );

  test('imports nothing of the service, and the service nothing of it', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((target) => target.startsWith('.'))
        .map((target) => join(dirname(file.path), target))
        .filter((target) => !target.startsWith('dashboard/src/'))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
    expect(sources.filter(({ imports }) => imports.some((one) => /dashboard\//.test(one)))).toEqual(
      [],
    );
  });

  test('has files with specific names that start with a sentence about their purpose', () => {
    const productFiles = files.filter(({ path }) => !path.endsWith('.test.ts'));
    const wrong = productFiles.filter(({ path, source }) => {
      const name = basename(path).replace(/\.tsx?$/, '');
      const opening = /^(?:\/\/ .+\n)+/.exec(source)?.[0] ?? '';
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ||
        // api-types.ts contains only types generated from the routes.
        (name !== 'api-types' && VAGUE_NAMES.includes(name.split('-').at(-1) as string)) ||
        name === 'index' ||
        opening.length < 20 ||
        !/[.:]\n$/.test(opening)
      );
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test(`has files of at most ${FILE_LINES_MAX} lines, with named exports and no TODO comments`, () => {
    const wrong = files
      .filter(({ path }) => !path.endsWith('/api-types.ts'))
      .filter(
        ({ source, code, comments }) =>
          source.split('\n').length - 1 > FILE_LINES_MAX ||
          /\bexport\s+default\b|\bexport\s*\*/.test(code) ||
          comments.some((comment) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(comment)),
      );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test('has no inline styles or scripts, which the content security policy forbids', () => {
    const wrong = files.filter(({ code }) =>
      /dangerouslySetInnerHTML|<style|<script|\beval\(/.test(code),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe('languages', () => {
  const DIRECT = /\bIntl\.|\.toLocale\w*String\(|\.localeCompare\(|\bnavigator\.languages?\b/;
  const files = [...filesUnder('dashboard/src', '.ts'), ...filesUnder('dashboard/src', '.tsx')];

  test('are chosen and checked in one file of the dashboard, because formatters throw at unknown ones', () => {
    const wrong = files
      .filter((path) => !/^dashboard\/src\/design\/locale(\.test)?\.ts$/.test(path))
      .filter((path) => DIRECT.test(readSource(path).code));
    expect(wrong).toEqual([]);
  });

  test('are named explicitly in the service', () => {
    const unnamed = /\bIntl\.(?!supportedValuesOf)\w+\(\s*\)|\.toLocale\w*String\(\s*\)/;
    expect(sources.filter(({ code }) => unnamed.test(code)).map(({ name }) => name)).toEqual([]);
  });
});

describe('folders', () => {
  const folders = readdirSync(join(ROOT, 'src')).filter((name) =>
    statSync(join(ROOT, 'src', name)).isDirectory(),
  );

  test.each(folders.filter((name) => WITHOUT_README[name] === undefined))(
    'src/%s has a README',
    (folder) => {
      const text = readFileSync(join(ROOT, 'src', folder, 'README.md'), 'utf8');
      expect(text).toMatch(/^# \S/);
      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
    },
  );
});

describe('packages', () => {
  test('are locked without registry addresses', () => {
    const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
    expect(lock).not.toContain('"resolved"');
    expect(lock).toContain('"integrity"');
  });
});

describe('the migrated database', async () => {
  const { db } = await cloneDatabase();
  const kindOf = (table: string) => TABLES[table];
  const laneTables = Object.entries(TABLES).flatMap(([name, { kind }]) =>
    kind === 'lane' ? [name] : [],
  );

  test('has exactly the tables of TABLES', async () => {
    const rows = await db.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'm', 'v', 'f')
          and not relispartition order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(
      [...Object.keys(TABLES), ...FORMER_TABLE_NAMES].sort(),
    );
  });

  test('has the sign-in tables in a separate schema without foreign keys to others', async () => {
    const rows = await db.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class
        where relnamespace = 'auth'::regnamespace and relkind in ('r', 'p') order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual([...SIGN_IN_TABLES].sort());
    const crossing = await db.query(
      `select conname from pg_constraint c
         join pg_class source on source.oid = c.conrelid
         join pg_class target on target.oid = c.confrelid
        where c.contype = 'f' and source.relnamespace <> target.relnamespace`,
    );
    expect(crossing).toEqual([]);
  });

  test('has a lane column in every lane table and in no other', async () => {
    const rows = await db.query<{ name: string; type: string; required: boolean }>(
      `select c.relname as name, format_type(a.atttypid, null) as type, a.attnotnull as required
         from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and not c.relispartition and a.attname = 'lane' order by 1`,
    );
    expect(rows).toEqual(
      [...laneTables].sort().map((name) => ({ name, type: 'smallint', required: true })),
    );
  });

  type Key = { table: string; name: string; primary: boolean; columns: string[]; loose: string[] };
  /** Primary and unique keys; `loose` are their text columns that are not ordered byte by byte. */
  const keys = await db.query<Key>(
    `select c.relname as table, i.relname as name, x.indisprimary as primary,
            array_agg(a.attname::text order by k.position) as columns,
            coalesce(array_agg(a.attname::text) filter (where o.collname <> 'C'), '{}') as loose
       from pg_index x
       join pg_class c on c.oid = x.indrelid
       join pg_class i on i.oid = x.indexrelid
       cross join lateral unnest(x.indkey, x.indcollation) with ordinality as k(attnum, ordered_by, position)
       join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
       left join pg_collation o on o.oid = k.ordered_by
      where c.relnamespace = 'public'::regnamespace and not c.relispartition
        and (x.indisunique or x.indisprimary)
      group by 1, 2, 3 order by 1, 2`,
  );

  test('has a primary key in every table', () => {
    const keyed = keys.filter(({ primary }) => primary).map(({ table }) => table);
    expect(keyed.sort()).toEqual(Object.keys(TABLES).sort());
  });

  test('has the lane as the first column of every primary and unique key', () => {
    const wrong = keys.filter(
      ({ table, columns }) => laneTables.includes(table) && columns[0] !== 'lane',
    );
    expect(wrong).toEqual([]);
  });

  test('orders key texts byte by byte, the same on every server', () => {
    expect(keys.filter(({ loose }) => loose.length > 0)).toEqual([]);
  });

  test('has no foreign key from one family to another', async () => {
    type Foreign = { from: string; to: string; columns: string[]; targets: string[] };
    const rows = await db.query<Foreign>(
      `select f.conrelid::regclass::text as from, f.confrelid::regclass::text as to,
              array(select attname::text from unnest(f.conkey) with ordinality k(n, o)
                      join pg_attribute on attrelid = f.conrelid and attnum = n order by o) as columns,
              array(select attname::text from unnest(f.confkey) with ordinality k(n, o)
                      join pg_attribute on attrelid = f.confrelid and attnum = n order by o) as targets
         from pg_constraint f
        where f.contype = 'f' and f.conparentid = 0 and f.connamespace = 'public'::regnamespace
        order by 1, 2`,
    );
    expect(rows.length).toBeGreaterThan(0);
    const crossing = rows.filter(({ from, to, columns, targets }) => {
      const [source, target] = [kindOf(from), kindOf(to)];
      // A reference table is the same on every server, so any table may reference it.
      if (target?.kind === 'reference') return false;
      if (source?.kind !== 'lane' || target?.kind !== 'lane') return true;
      return source.family !== target.family || columns[0] !== 'lane' || targets[0] !== 'lane';
    });
    expect(crossing).toEqual([]);
  });

  test('has no default that generates times, ids or numbers', async () => {
    const rows = await db.query<{ column: string; makes: string }>(
      `select format('%s.%s', c.relname, a.attname) as column,
              concat(pg_get_expr(d.adbin, d.adrelid), a.attidentity) as makes
         from pg_attribute a
         join pg_class c on c.oid = a.attrelid
         left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and a.attnum > 0 and (d.oid is not null or a.attidentity <> '')`,
    );
    // A constant is the same on every server; a function call or an identity (a, d) is not.
    const isConstant = (makes: string) =>
      /^(?:'[^']*'::\w+(?:\[\])?|-?\d+|true|false)$/.test(makes);
    expect(rows.filter(({ makes }) => !isConstant(makes))).toEqual([]);
  });

  test('comes from uniquely numbered migrations', async () => {
    const files = filesUnder('migrations', '.sql').map((path) => basename(path, '.sql'));
    expect(files.filter((name) => !/^\d{4}_[a-z]+(?:-[a-z]+)*$/.test(name))).toEqual([]);
    expect((await listMigrations()).map(({ name }) => name)).toEqual(files);
    expect(new Set(files.map((name) => name.slice(0, 4))).size).toBe(files.length);
  });
});

// The project's language: plain words, one per thing; instants say their unit; documents name files
// that exist. The glossary is in docs/architecture.md.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
/** Words of a private sense, with the word to use instead. */
const BANNED: readonly { word: RegExp; instead: string }[] = [
  { word: /\b(?:doors?|entrances?)\b/i, instead: 'endpoint, route' },
  { word: /\b(?:told|untold|tells?|telling)\b/i, instead: 'emit, notify, report' },
  {
    word: /\blook(?:s|ed|ing)?\b(?![- ](?:\w+ ){0,2}ups?\b|-?ups?\b| like)/i,
    instead: 'snapshot, observation',
  },
  { word: /\bsights?\b/i, instead: 'observation' },
  { word: /\bstandings?\b/i, instead: 'endpoint health' },
  { word: /\banswer(?:s|ed|ing)?\b/i, instead: 'response, returns' },
  { word: /\basked\b/i, instead: 'requested' },
  { word: /\banew\b/i, instead: 'again' },
  { word: /\bin vain\b/i, instead: 'miss' },
  { word: /\bdearer\b/i, instead: 'costs more than' },
  { word: /\bwish(?:es|ed)?\b/i, instead: 'options' },
  { word: /\boccasions?\b/i, instead: 'context' },
  { word: /\bcarr(?:y|ies|ied)(?: \w+)? over\b/i, instead: 'fan out, propagate' },
  { word: /\b(?:gives?|given|gave|giving)(?: it| them)? back\b/i, instead: 'refund' },
  { word: /\b(?:takes?|taken|took|taking)(?: it| them)? back\b/i, instead: 'reverse, revoke' },
  { word: /\bleft out\b/i, instead: 'skipped' },
  { word: /\bteach(?:es)?\b/i, instead: 'learn, fit a model' },
  { word: /\blong ago\b/i, instead: 'old, expired' },
];
/** Participles that are no nouns: the thing has a name. */
const NOT_A_NAME =
  /\b(?:const|let)\s+(?:own|known|given|asked|wanted|found)\b|[({,]\s*(?:own|known|given|asked|wanted|found)\??: (?!\()/;
/** Fixed by the outer interface, by applied migrations, or the plain sense of the word. */
const ALLOWED: Readonly<Record<string, readonly RegExp[]>> = {
  // Options and members that programs rely on.
  'src/cli/listen.ts': [/answer/],
  'src/cli/evaluate-sales.ts': [/left_out/],
  'src/cli/evaluate-sales.test.ts': [/left_out/],
  // Members of JSON that earlier releases have stored.
  'src/collection/quarantined-snapshot.ts': [/observedAt|lastUpdatedAt/],
  'src/events/detected-event.ts': [/observedAt/],
  'src/tracking/outbox-row.ts': [/servedAt|seenAt/],
  // What was renamed.
  'test/flows/upgrade.test.ts': [/\blooks\b/],
  'docs/decisions/0018-plain-names.md': [/doors|looks|standings/],
};
const EVERYWHERE: readonly RegExp[] = [
  /HIGH_VOLUME_LOOKS_PER_MINUTE/, // a setting
  /look_tallies|webhook_standings|from webhooks .*place/, // tables before migration 92
];

function filesUnder(folder: string, ends: readonly string[]): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ends.some((end) => name.endsWith(end)) && !/dist\/|node_modules/.test(name))
    .map((name) => join(folder, name))
    .sort();
}

const CODE = ['src', 'dashboard/src', 'test', 'bench', 'scripts'].flatMap((folder) =>
  filesUnder(folder, ['.ts', '.tsx', '.mjs']),
);
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...filesUnder('docs', ['.md']),
  ...['src', 'dashboard'].flatMap((folder) => filesUnder(folder, ['README.md'])),
];
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const isThisFile = (path: string) => path === join('test', 'vocabulary.test.ts');

/** `lookedUpAt` and `looked_up_at` as words: looked up at. */
const asWords = (line: string) =>
  line.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

function linesOf(path: string): { line: string; at: string }[] {
  const allowed = [...EVERYWHERE, ...(ALLOWED[path] ?? [])];
  return read(path)
    .split('\n')
    .map((line, index) => ({ line, at: `${path}:${index + 1}` }))
    .filter(({ line }) => !allowed.some((pattern) => pattern.test(line)));
}

describe('the words', () => {
  test('of a private language are used nowhere', () => {
    const wrong = [...CODE, ...DOCUMENTS, 'openapi.json']
      .filter((path) => !isThisFile(path))
      .flatMap(linesOf)
      .flatMap(({ line, at }) => {
        const words = asWords(line);
        return BANNED.flatMap(({ word, instead }) => {
          const hit = word.exec(words);
          return hit === null ? [] : [`${at} "${hit[0]}", say: ${instead}`];
        });
      });
    expect(wrong).toEqual([]);
  });

  test('of variables are nouns: the thing itself has a name', () => {
    const wrong = CODE.filter((path) => !isThisFile(path))
      .flatMap(linesOf)
      .filter(({ line }) => NOT_A_NAME.test(line) && !/^\s*(?:\/\/|\*)/.test(line));
    expect(wrong.map(({ at }) => at)).toEqual([]);
  });

  test('of instants end in AtMs or AtSeconds', () => {
    const instant = /\b[a-z]\w*At\??: (?:readonly )?number\b/;
    const wrong = filesUnder('src', ['.ts'])
      .flatMap(linesOf)
      .filter(({ line }) => instant.test(line));
    expect(wrong.map(({ at, line }) => `${at} ${line.trim()}`)).toEqual([]);
  });
});

describe('the documents', () => {
  test('link to files that exist', () => {
    const wrong = DOCUMENTS.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('name files of the source that exist', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const named = new RegExp(`\`((?:${folders.join('|')})/[a-z0-9/-]+)(?:\\.ts)?\``, 'g');
    const wrong = DOCUMENTS.flatMap((path) =>
      [...read(path).matchAll(named)]
        .map(([, name = '']) => name.replace(/\/$/, ''))
        .filter((name) => !['', '.ts'].some((end) => existsSync(join(ROOT, 'src', name + end))))
        .map((name) => `${path}: ${name}`),
    );
    expect([...new Set(wrong)]).toEqual([]);
  });
});

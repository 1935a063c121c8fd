// doctor's check that every row is in the lane of its key: a row in another lane is never read. It
// steps from key to key of an index, so that an account or product with many rows is read once.
import { plainArray } from '../database/array-parameter.ts';
import { type Database, inLanes } from '../database/database.ts';
import { LANES, TABLES } from '../database/families.ts';
import type { Check, StoreContext } from './command.ts';
import { createParts, type Parts } from './parts.ts';

const KEYS_PER_PART = 10_000;

/** A table's key column, its type, and the SHA-256 whose first byte is the lane. */
type LaneKey = { table: string; column: string; type: string; first: string; hash: string };

const hashOf = (key: string) => `sha256(convert_to(${key}::text, 'UTF8'))`;
const textKey = (column: string) => ({ column, type: 'text', first: '', hash: hashOf(column) });

const KEY_OF_FAMILY = {
  account: {
    column: 'account_id',
    type: 'uuid',
    first: '00000000-0000-0000-0000-000000000000',
    hash: hashOf('account_id'),
  },
  product: textKey('retailer_product_code'),
};

const KEY_OF_LOOK_UP: Readonly<Record<string, Omit<LaneKey, 'table'>>> = {
  account_emails: textKey('email'),
  api_key_hashes: { column: 'key_hash', type: 'bytea', first: '', hash: 'key_hash' },
  product_gtins: textKey('gtin'),
  quarantined_items: textKey('owner'),
  search_words: textKey('word'),
};

const LANE_KEYS = Object.entries(TABLES).flatMap(([table, kind]): LaneKey[] => {
  if (kind.kind !== 'lane') return [];
  const key = kind.family === 'look-up' ? KEY_OF_LOOK_UP[table] : KEY_OF_FAMILY[kind.family];
  if (key === undefined) throw new Error(`No lane key is defined for ${table}.`);
  return [{ table, ...key }];
});

/** Counts the keys after a position, up to `KEYS_PER_PART`, and those whose lane is wrong. */
function countText({ table, column, type, hash }: LaneKey): string {
  const next = (lane: string, key: string) =>
    `select t.lane, t.${column} from ${table} t
      where (t.lane, t.${column}) > (${lane}, ${key}) and ${inLanes('t.lane', '$1')}
      order by t.lane, t.${column} limit 1`;
  return `with recursive keys as (
       (${next('$2::smallint', `$3::${type}`)})
       union all
       select next.* from keys
        cross join lateral (${next('keys.lane', `keys.${column}`)}) as next)
     select count(*) as keys, count(*) filter (where lane <> get_byte(${hash}, 0)) as wrong,
            (array_agg(lane))[count(*)] as lane, (array_agg(${column}::text))[count(*)] as key
       from (select * from keys limit ${KEYS_PER_PART}) as part`;
}

type Counted = { keys: number; wrong: number; lane: number | null; key: string | null };

/** Returns the number of keys in a wrong lane, by table. */
export async function countWrongLanes(db: Database, parts: Parts): Promise<Map<string, number>> {
  const wrong = new Map<string, number>();
  let keys = 0;
  for (const laneKey of LANE_KEYS) {
    const text = countText(laneKey);
    for (let group = 0; group < db.groups.count(); group++) {
      const lanes = plainArray(db.groups.lanesOf(group));
      let [lane, key]: [number, string] = [-1, laneKey.first];
      for (;;) {
        const part = `${laneKey.table} from lane ${lane}, ${key}`;
        const counted = await parts.run(part, () => db.read<Counted>(text, [lanes, lane, key]));
        const some = counted?.[0];
        if (some === undefined || some.lane === null || some.key === null) break;
        keys += some.keys;
        [lane, key] = [some.lane, some.key];
        parts.show(lane, keys);
        if (some.wrong > 0) {
          wrong.set(laneKey.table, (wrong.get(laneKey.table) ?? 0) + some.wrong);
        }
        if (some.keys < KEYS_PER_PART) break;
      }
    }
  }
  return wrong;
}

export async function checkLanes({ store }: StoreContext): Promise<Check> {
  const parts = createParts('keys');
  const wrong = await countWrongLanes(store.db, parts);
  parts.end();
  const listed = [...wrong].map(([table, keys]) => `${table}: ${keys}`);
  if (listed.length > 0) {
    return {
      name: 'lanes',
      ok: false,
      detail: `keys in a wrong lane: ${listed.join(', ')}`,
      advice: 'Restore a backup; this service did not write these rows.',
    };
  }
  if (parts.failures.length > 0) return unfinished('lanes', parts.failures);
  const detail = `${Object.keys(TABLES).length} tables, ${LANES} lanes, every row in its lane`;
  return { name: 'lanes', ok: true, detail };
}

const FAILURES_NAMED = 5;

/** What doctor says when parts of a check failed and the others found nothing. */
export function unfinished(name: string, failures: readonly string[]): Check {
  const named = failures.slice(0, FAILURES_NAMED).join('; ');
  return {
    name,
    ok: false,
    detail: `${failures.length} parts could not be checked: ${named}`,
    advice: 'Fix the error above, then run doctor again.',
  };
}

// Commands quarantine list, retry and drop, for items that a background loop set aside because they
// failed again and again while the others of their batch succeeded.
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import {
  findQuarantined,
  listQuarantined,
  type QuarantinedItem,
} from '../background/quarantined-items.ts';
import type { Database } from '../database/database.ts';
import { isoTime } from '../foundation/clock.ts';
import { isId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { QUARANTINE_HANDLERS } from '../quarantine-loops.ts';
import { type Command, type Options, type Result, table, WrongUsage } from './command.ts';

/** Most items that `all` handles in one run; run the command again for the rest. */
const AT_ONCE = 10_000;

export const quarantineCommands: readonly Command[] = [
  {
    name: 'quarantine list',
    words: [],
    usage: 'quarantine list [--loop LOOP]',
    options: { loop: { type: 'string' } },
    on: 'app',
    async run({ db }, { options }) {
      const items = await listQuarantined(db, { loop: loopOf(options), limit: AT_ONCE });
      return { json: { items: items.map(toJson) }, text: listText(items) };
    },
  },
  {
    name: 'quarantine retry',
    words: ['ID'],
    usage: 'quarantine retry ID|all [--loop LOOP]',
    options: { loop: { type: 'string' } },
    on: 'app',
    async run(app, { words, options }) {
      return forEach(app.db, { word: words[0] as string, options, done: 'retried' }, (item) =>
        handlerOf(item).retry(app, item),
      );
    },
  },
  {
    name: 'quarantine drop',
    words: ['ID'],
    usage: 'quarantine drop ID|all [--loop LOOP] [--accept-loss]',
    options: { loop: { type: 'string' }, 'accept-loss': { type: 'boolean' } },
    on: 'app',
    async run(app, { words, options }) {
      const acceptsLoss = options['accept-loss'] === true;
      return forEach(app.db, { word: words[0] as string, options, done: 'dropped' }, (item) =>
        dropItem(app, item, acceptsLoss),
      );
    },
  },
];

function loopOf(options: Options): string | null {
  return typeof options.loop === 'string' ? options.loop : null;
}

function handlerOf({ loop }: QuarantinedItem): QuarantineHandler {
  const handler = QUARANTINE_HANDLERS.find((one) => one.loop === loop);
  if (handler === undefined) {
    throw new Problem(
      'loop_not_found',
      `This release has no loop ${loop}. Use the release that created the item.`,
    );
  }
  return handler;
}

async function dropItem(
  app: { db: Database },
  item: QuarantinedItem,
  acceptsLoss: boolean,
): Promise<void> {
  const { drop } = handlerOf(item);
  if ('refusedBecause' in drop) throw new Problem('quarantine_drop_refused', drop.refusedBecause);
  const loss = drop.losesMoney?.(item) ?? null;
  if (loss !== null && !acceptsLoss) {
    throw new Problem(
      'quarantine_drop_refused',
      `${loss} Retry it, or drop it with --accept-loss.`,
    );
  }
  await release(app, item, async (tx) => drop.run?.(tx, item));
}

/** Applies `act` to one item or to all; lists those that fail and continues with the others. */
async function forEach(
  db: Database,
  input: { word: string; options: Options; done: string },
  act: (item: QuarantinedItem) => Promise<void>,
): Promise<Result> {
  const items = await selectItems(db, input);
  const failed: { id: string; reason: string }[] = [];
  for (const item of items) {
    await act(item).catch((error: Error) => {
      failed.push({ id: item.quarantineId, reason: error.message });
    });
  }
  const done = items.length - failed.length;
  const lines = failed.map(({ id, reason }) => `${id}: ${reason}`);
  return {
    json: { done, failed },
    text: [`Items ${input.done}: ${done}.`, ...lines].join('\n'),
    exitCode: failed.length === 0 ? 0 : 1,
  };
}

async function selectItems(
  db: Database,
  { word, options }: { word: string; options: Options },
): Promise<QuarantinedItem[]> {
  const loop = loopOf(options);
  if (word === 'all') return listQuarantined(db, { loop, limit: AT_ONCE });
  if (!isId(word)) throw new WrongUsage('ID must be an id from "quarantine list", or "all".');
  const item = await findQuarantined(db, word);
  if (item === undefined || (loop !== null && item.loop !== loop)) {
    throw new Problem('quarantine_item_not_found', `No item with id ${word} is in quarantine.`);
  }
  return [item];
}

const dropEffect = (item: QuarantinedItem): string => {
  const drop = QUARANTINE_HANDLERS.find(({ loop }) => loop === item.loop)?.drop;
  if (drop === undefined) return 'Unknown to this release.';
  return 'refusedBecause' in drop ? drop.refusedBecause : drop.means;
};

const toJson = (item: QuarantinedItem) => ({
  id: item.quarantineId,
  loop: item.loop,
  owner: item.owner,
  item: item.item,
  reason: item.reason,
  tries: item.tries,
  first_at: isoTime(item.firstAtMs),
  last_at: isoTime(item.lastAtMs),
  drop: dropEffect(item),
  payload: item.payload,
});

function listText(items: readonly QuarantinedItem[]): string {
  if (items.length === 0) return 'The quarantine is empty.';
  const rows = items.map((one) => [
    one.quarantineId,
    one.loop,
    one.item,
    one.tries,
    isoTime(one.lastAtMs),
    one.reason,
  ]);
  const effects = [...new Map(items.map((item) => [item.loop, dropEffect(item)]))];
  return [
    table([['ID', 'LOOP', 'ITEM', 'TRIES', 'LAST', 'REASON'], ...rows]),
    '',
    'Effect of drop:',
    ...effects.map(([loop, text]) => `  ${loop}: ${text}`),
  ].join('\n');
}

// Opens the page maps of the setting PAGE_MAPS: every JSON file of a folder. Those that ship with
// the program are in page-maps/.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BadPageMap, type PageMap, parsePageMap } from './page-map.ts';

const OUR_FOLDER = fileURLToPath(new URL('../../../page-maps', import.meta.url));

/**
 * Throws a BadPageMap whose one-line message names the setting, the file and the member. The
 * parameter has the names of the settings in config.ts, which this folder may not import.
 */
export function openPageMaps({
  MARKETPLACE,
  PAGE_MAPS: folder,
}: {
  MARKETPLACE: string;
  PAGE_MAPS: string | null;
}): PageMap[] {
  if (MARKETPLACE !== 'pages') return [];
  const path = folder ?? OUR_FOLDER;
  let names: string[];
  try {
    names = readdirSync(path).filter((name) => name.endsWith('.json'));
  } catch (cause) {
    const [reason] = (cause as Error).message.split(',', 1);
    const message = `PAGE_MAPS is ${JSON.stringify(path)}, which cannot be read: ${reason}.`;
    throw new BadPageMap(message, { cause });
  }
  return names.sort().map((name) => {
    try {
      return parsePageMap(readFileSync(join(path, name), 'utf8'));
    } catch (cause) {
      const reason = (cause as Error).message;
      throw new BadPageMap(`The page map ${JSON.stringify(name)} cannot be used: ${reason}.`, {
        cause,
      });
    }
  });
}

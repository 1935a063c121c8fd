// Command page-map try FILE URL|HTML: shows what a page map reads from a page, and why not more.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { realClock } from '../foundation/clock.ts';
import { createLog } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import {
  type MappedMember,
  type MappedReading,
  readMappedPage,
} from '../sources/pages/mapped-page.ts';
import { BadPageMap, type PageMap, parsePageMap } from '../sources/pages/page-map.ts';
import { fetchHtml } from '../sources/pages/page-source.ts';
import { readPageData, snapshotOf } from '../sources/pages/product-page.ts';
import { readStructuredData } from '../sources/pages/structured-data.ts';
import type { Command, Result } from './command.ts';

export const pageMapCommands: readonly Command[] = [
  {
    name: 'page-map try',
    words: ['FILE', 'URL|HTML'],
    usage:
      'page-map try FILE URL|HTML [--code CODE]   (what the map reads from a page or a saved page, and why not more)',
    options: { code: { type: 'string' } },
    on: 'nothing',
    async run(_say, { words, options }) {
      const [file, place] = words as [string, string];
      const map = readMap(file);
      const html = /^https?:\/\//i.test(place) ? await fetched(place) : readText(place);
      return report(map, html, typeof options.code === 'string' ? options.code : null);
    },
  },
];

function readMap(file: string): PageMap {
  try {
    return parsePageMap(readText(file));
  } catch (error) {
    if (!(error instanceof BadPageMap)) throw error;
    throw new Problem('file_unreadable', `${file} cannot be used: ${error.message}.`);
  }
}

function readText(file: string): string {
  try {
    const bytes = readFileSync(file);
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  } catch (error) {
    throw new Problem('file_unreadable', `${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Loads the page as the service does: robots.txt is respected. */
async function fetched(url: string): Promise<string> {
  const outcome = await fetchHtml(url, { clock: realClock, log: createLog('silent') });
  if ('html' in outcome) return outcome.html;
  throw new Problem('file_unreadable', `${url} cannot be read: ${outcome.reason}.`);
}

function report(map: PageMap, html: string, requestedCode: string | null): Result {
  const data = readStructuredData(html);
  if (data === null) throw new Problem('file_unreadable', 'The page is too large.');
  const reading = readMappedPage(map, data.scripts, requestedCode);
  const stated = reading.members.find(({ member }) => member === 'retailer_product_code')?.value;
  const code = requestedCode ?? String(stated ?? '0');
  const pattern = `https://${map.hosts[0]?.replace('*', 'www')}/{code}`;
  const facts = readPageData(data, { code, pattern }, reading);
  const read = 'fault' in facts ? { refused: facts.reason } : snapshotOf(facts, realClock.nowMs());
  const refusal = 'refused' in read ? read.refused : null;
  const wire = 'fault' in facts ? null : facts.wire;
  return {
    json: {
      members: reading.members.map(({ member, place, value, fault }) => ({
        member,
        place,
        value: value ?? null,
        fault,
      })),
      map: problemOf(reading),
      snapshot: refusal === null ? wire : null,
      refused: refusal,
    },
    text: [
      ...tableOf(reading.members),
      ...[problemOf(reading)]
        .filter((problem) => problem !== null)
        .map((one) => `The map: ${one}.`),
      '',
      refusal === null
        ? `Read, together with the page's structured data:\n${JSON.stringify(wire, null, 2)}`
        : `Refused: ${refusal}.`,
    ].join('\n'),
    exitCode: refusal === null && problemOf(reading) === null ? 0 : 1,
  };
}

function problemOf(reading: MappedReading): string | null {
  if ('missing' in reading) return reading.missing;
  return 'fault' in reading ? reading.fault.reason : null;
}

function tableOf(members: readonly MappedMember[]): string[] {
  const width = (pick: (one: MappedMember) => string) =>
    Math.max(0, ...members.map((one) => pick(one).length));
  const [first, second] = [width(({ member }) => member), width(({ place }) => place)];
  return members.map((one) => {
    const valueText = one.value === undefined ? '' : JSON.stringify(one.value).slice(0, 80);
    const fault = one.fault === null ? '' : `(${one.fault})`;
    return `${one.member.padEnd(first)}  ${one.place.padEnd(second)}  ${[valueText, fault].join(' ').trim()}`;
  });
}

// Command ingest FILE|-: ingests snapshots, one JSON object per line, also from a gzip file.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Ingested, ingest, type ListedLine } from '../collection/ingest.ts';
import { Problem } from '../foundation/problem.ts';
import { learnMarket } from '../sales/learn-market.ts';
import type { Command, Result } from './command.ts';
import { createProgress } from './progress.ts';

export const ingestCommands: readonly Command[] = [
  {
    name: 'ingest',
    words: ['FILE|-'],
    usage:
      'ingest FILE|-   (JSON snapshots, one per line; .gz is unpacked; - reads standard input)',
    on: 'app',
    async run(app, { words }) {
      const input = await openInput(words[0] as string);
      const progress = createProgress('lines', input.totalBytes);
      let soFar: Ingested | undefined;
      try {
        const show = () => progress.show(input.readBytes(), soFar?.lines ?? 0);
        const done = await interruptible(input.chunks, () =>
          ingest(app, withProgress(input.chunks, show), (result) => {
            soFar = result;
            show();
          }),
        );
        progress.clear();
        // So that units sold reflect the new snapshots when the command returns.
        if (done.accepted > 0) await learnMarket(app);
        return report(done);
      } catch (error) {
        progress.clear();
        throw incompleteInput(error, soFar);
      }
    },
  },
];

type Input = {
  chunks: Readable;
  totalBytes: number | null;
  readBytes(): number;
};

async function openInput(name: string): Promise<Input> {
  if (name === '-') return { chunks: process.stdin, totalBytes: null, readBytes: () => 0 };
  const info = await stat(name).catch((error: Error) => {
    throw new Problem('file_unreadable', `${name} cannot be read: ${error.message}`);
  });
  if (!info.isFile() && !info.isFIFO()) {
    throw new Problem('file_unreadable', `${name} is not a file.`);
  }
  const file = createReadStream(name);
  // The reader of the stream gets the file's errors.
  const chunks = name.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file;
  const totalBytes = info.isFile() ? info.size : null;
  return { chunks, totalBytes, readBytes: () => file.bytesRead };
}

class Interrupted extends Error {}

/**
 * Stops reading at Ctrl-C, even while the input is idle; lines read until then are still recorded.
 * A second signal is ignored: npm forwards the one that the terminal has already sent.
 */
async function interruptible<T>(input: Readable, run: () => Promise<T>): Promise<T> {
  const onSignal = () => input.destroy(new Interrupted());
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    return await run();
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

async function* withProgress(chunks: Readable, onChunk: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    onChunk();
  }
}

function incompleteInput(error: unknown, soFar: Ingested | undefined): Problem {
  const reason = error instanceof Interrupted ? 'Interrupted' : (error as Error).message;
  return new Problem(
    'input_incomplete',
    `${reason}: the input was not read to its end. ${soFar?.lines ?? 0} lines are ingested. Run the command again with the same input; nothing is lost or counted twice.`,
    { cause: error },
  );
}

function report(done: Ingested): Result {
  const { lines, accepted, unchanged, held, heldLines, refused, refusedCount } = done;
  const named = [...nameLines(refused, refusedCount), ...nameLines(heldLines, held, ', held')];
  return {
    json: {
      lines,
      accepted,
      unchanged,
      held,
      held_lines: heldLines,
      refused,
      refused_count: refusedCount,
    },
    text: [
      `${lines} lines: ${accepted} accepted, ${unchanged} unchanged, ${held} held, ${refusedCount} refused.`,
      ...named,
    ].join('\n'),
  };
}

function nameLines(named: readonly ListedLine[], count: number, what = ''): string[] {
  const lines = named.map(({ line, reason }) => `  line ${line}${what}: ${reason}`);
  return count > named.length ? [...lines, `  and ${count - named.length} more${what}`] : lines;
}

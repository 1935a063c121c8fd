// Renders SVG as PNG in one other thread, one picture after the other. A picture that fails or
// takes too long fails alone: the thread is replaced, and the next picture is rendered.
import { Worker } from 'node:worker_threads';
import { createGate } from '../background/slices.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';
import type { PngResult, PngTask } from './png-worker.ts';

export type PngRenderer = ReturnType<typeof createPngRenderer>;

/** The thread is started by the first picture. `close` ends it. */
export function createPngRenderer(log: Log) {
  const gate = createGate(1, bounds.picturesWaitingMax);
  let worker: Worker | null = null;

  const workerNow = (): Worker => {
    if (worker !== null) return worker;
    const started = new Worker(new URL('./png-worker.ts', import.meta.url));
    started.unref();
    started.once('exit', () => {
      if (worker === started) worker = null;
    });
    worker = started;
    return started;
  };

  return {
    render: (svg: string, scale: number): Promise<Buffer> =>
      gate(async () => {
        const used = workerNow();
        const result = await resultOf(used, { svg, scale });
        if ('png' in result) return Buffer.from(result.png.buffer as ArrayBuffer);
        log.error({ reason: result.reason }, 'a picture could not be rendered');
        if (worker === used) worker = null;
        await used.terminate();
        throw new Problem(
          'picture_unavailable',
          'The picture could not be rendered. Nothing was charged; ask for chart.svg instead.',
        );
      }),
    async close(): Promise<void> {
      await worker?.terminate();
    },
  };
}

/** Resolves in any case: with the picture, or with the reason why there is none. */
function resultOf(worker: Worker, task: PngTask): Promise<PngResult> {
  return new Promise((resolve) => {
    const settle = (result: PngResult) => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', fail).off('exit', end);
      resolve(result);
    };
    const fail = (error: unknown) => settle({ reason: String(error) });
    const end = () => settle({ reason: 'the thread has ended' });
    const timer = setTimeout(() => settle({ reason: 'it takes too long' }), bounds.pictureMaxMs);
    worker.on('message', settle).on('error', fail).on('exit', end);
    worker.postMessage(task);
  });
}

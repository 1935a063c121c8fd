// The thread that turns SVG into PNG: fonts, shapes and compression take tens of milliseconds,
// which requests must not wait for. render-png.ts starts it.
import { parentPort } from 'node:worker_threads';
import { Resvg } from '@resvg/resvg-js';
import { encodePng } from './encode-png.ts';
import { outlineTexts } from './outline-texts.ts';

export type PngTask = { svg: string; scale: number };
export type PngResult = { png: Uint8Array } | { reason: string };

function render({ svg, scale }: PngTask): Uint8Array {
  const picture = new Resvg(outlineTexts(svg), {
    font: { loadSystemFonts: false },
    fitTo: { mode: 'zoom', value: scale },
  }).render();
  // A copy of its own, which the other thread can take over.
  return new Uint8Array(encodePng(picture.pixels, picture));
}

parentPort?.on('message', (task: PngTask) => {
  let result: PngResult;
  try {
    result = { png: render(task) };
  } catch (error) {
    result = { reason: String(error) };
  }
  const moved = 'png' in result ? [result.png.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(result, moved);
});

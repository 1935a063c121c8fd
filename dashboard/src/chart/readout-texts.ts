// Writes the values at the crosshair into the page, without rendering it again: they change with
// every movement of the pointer.
import type { Frame } from './frame.ts';
import { colourVariable } from './palette.ts';
import type { Reading } from './readout.ts';

/** Elements with `data-reading` show the line of that id; `time`, `note` and `holder` the rest. */
export function createReadoutTexts(root: HTMLElement) {
  const write = (element: HTMLElement, text: string) => {
    if (element.textContent !== text) element.textContent = text;
  };
  return {
    show(frame: Frame, reading: Reading): void {
      const texts = new Map(
        reading.lines.map(({ id, text, brief }) => [id, id.startsWith('seller:') ? brief : text]),
      );
      texts.set('note', reading.note ?? '');
      texts.set('holder', reading.holder === null ? '' : `Buybox: ${reading.holder}`);
      for (const element of root.querySelectorAll<HTMLElement>('[data-reading]'))
        write(element, texts.get(element.dataset.reading ?? '') ?? '');
      const mark = root.querySelector<HTMLElement>('[data-holder]');
      if (mark === null) return;
      const colour = reading.holder && frame.scene.colourOfSeller.get(reading.holder);
      const isKnown = colour !== undefined && colour !== null && colour !== '';
      mark.style.background = isKnown ? colourVariable(colour) : 'transparent';
    },
  };
}

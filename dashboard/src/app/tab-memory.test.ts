// What the end of a session leaves in the browser's storage.
import { afterEach, expect, test, vi } from 'vitest';
import { forgetTab, onForget } from './tab-memory.ts';

afterEach(() => vi.unstubAllGlobals());

test.each(['cleared', 'blocked'])('nothing of the tab, also when storage is %s', (state) => {
  const clear = vi.fn(() => {
    if (state === 'blocked') throw new Error('blocked');
  });
  vi.stubGlobal('sessionStorage', { clear });
  const heard = vi.fn();
  onForget(heard);
  forgetTab();
  expect(clear).toHaveBeenCalledTimes(1);
  expect(heard).toHaveBeenCalledTimes(1);
});

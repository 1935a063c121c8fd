// Draws a progress bar for a terminal.

const WIDTH = 28;

/** `share` from 0 to 1. */
export function progressBar(share: number): string {
  const filled = Math.round(share * WIDTH);
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}`;
}

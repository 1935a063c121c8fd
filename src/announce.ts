// What a start prints to the terminal: the progress of the demo, the addresses, the credentials.
import { settingsSummary } from './config.ts';
import type { Demo } from './first-start.ts';
import { progressBar } from './foundation/progress-bar.ts';

/**
 * Progress of the demo catalogue: redrawn on a terminal, else a line per quarter. Takes seconds.
 */
export function showFilling(): (done: number, total: number) => void {
  const isTerminal = process.stdout.isTTY === true;
  return (done, total) => {
    const line = `  ${progressBar(done / total)}  ${done} of ${total} demo products with three years of history`;
    if (isTerminal) process.stdout.write(`\r\x1b[K${line}${done === total ? '\n' : ''}`);
    else if ((done * 4) % total === 0) process.stdout.write(`${line}\n`);
  };
}

export type Announcement = {
  address: string;
  publicUrl: string;
  clockSpeed: number;
  demo: Demo | null;
  clusterElsewhere: string | null;
  /** The processes under one parent; none if there is only one. */
  processes?: readonly string[];
};

/** Prints the addresses and the demo credentials to the terminal, at every log level. */
export function announce(facts: Announcement): void {
  const lines = [''];
  const summary = settingsSummary();
  if (summary !== '') lines.push(`  settings   ${summary}`);
  if (facts.clusterElsewhere !== null) lines.push(`  database   ${facts.clusterElsewhere}`);
  if (facts.clockSpeed > 1) lines.push(`  time lapse ${facts.clockSpeed} seconds per second`);
  if (facts.processes !== undefined) lines.push(`  processes  ${facts.processes.join(' ')}`);
  lines.push(`  Oversight  ${facts.publicUrl}`);
  lines.push(`  API page   ${facts.publicUrl}/docs`);
  if (facts.demo !== null) {
    lines.push(
      '',
      '  Demo account created. Its password and key are shown only once:',
      `  e-mail     ${facts.demo.email}`,
      `  password   ${facts.demo.password}`,
      `  API key    ${facts.demo.apiKey}`,
      '',
      `  curl -H "x-api-key: ${facts.demo.apiKey}" "${facts.address}/retailer/product/details?retailer_product_code=${facts.demo.productCode}"`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

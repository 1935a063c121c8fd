// Thousands of hostile requests: no response is a 5xx, and other customers are served. The command
// `npm run hostile -- --requests 1000000 --seed 7` sends more, with another seed.
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createRandom } from '../support/random.ts';
import { startService } from '../support/service.ts';
import { type Finding, prepareAttack, whyWrong } from './attack.ts';
import { rawRequest } from './raw-requests.ts';

const setting = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const REQUESTS = setting('HOSTILE_REQUESTS', 20_000);
const SEED = setting('HOSTILE_SEED', 1);
const FROM = setting('HOSTILE_FROM', 0);
const RAW = setting('HOSTILE_RAW', 300);
const STEP = 10_000;
const isCommand = process.env.HOSTILE_REQUESTS !== undefined;

const service = await startService();
const attack = await prepareAttack(service);
const report = (text: string) => isCommand && process.stderr.write(`${text}\n`);
const describeFinding = ({ seed, index, why, request }: Finding) =>
  `--seed ${seed} --from ${index} --requests 1: ${why}\n    ${request}`;

test(`${REQUESTS} hostile requests`, { timeout: 24 * 3_600_000 }, async () => {
  const findings: Finding[] = [];
  for (let from = FROM; from < FROM + REQUESTS; from += STEP) {
    const to = Math.min(from + STEP, FROM + REQUESTS);
    const batchFindings = await attack.send({ seed: SEED, from, to });
    for (const one of batchFindings) report(describeFinding(one));
    findings.push(...batchFindings);
    const counts = [...attack.statuses].sort().map(([status, count]) => `${status}: ${count}`);
    report(`${to - FROM} of ${REQUESTS}, ${findings.length} findings; ${counts.join(', ')}`);
  }
  expect(findings.slice(0, 20).map(describeFinding)).toEqual([]);
  if (REQUESTS < 1_000) return;
  // They also reach the code behind the checks.
  for (const status of [200, 400, 401, 403, 404, 405]) {
    expect([status, attack.statuses.get(status) ?? 0]).toEqual([
      status,
      expect.toSatisfy((n) => n > 9),
    ]);
  }
});

test(`${RAW} malformed requests over real sockets`, { timeout: 600_000 }, async () => {
  const address = await attack.server.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(address).port);
  const random = createRandom(SEED);
  for (let n = 0; n < RAW; n += 20) {
    const texts = Array.from({ length: 20 }, () => rawRequest(random));
    const replies = await Promise.all(texts.map((text) => exchange(port, text)));
    for (const [at, reply] of replies.entries()) {
      const why = whyRawWrong(reply);
      expect(why, JSON.stringify(texts[at]?.slice(0, 300))).toBeNull();
    }
  }
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  await attack.server.close();
});

/** Returns the reply within 2 s; many of these wait for a body that never comes. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let reply = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(text, 'latin1'));
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1');
    });
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => resolve(reply));
  });
}

function whyRawWrong(reply: string): string | null {
  const head = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n([\s\S]*?)\r\n\r\n/.exec(reply);
  if (head === null) return reply === '' ? null : `not HTTP: ${reply.slice(0, 100)}`;
  const status = Number(head[1]);
  if (status < 400) return null;
  const length = /content-length: (\d+)/i.exec(String(head[2]))?.[1];
  const body = reply.slice(head[0].length);
  const bodyText = length === undefined ? body : body.slice(0, Number(length));
  return whyWrong(status, /content-type: (.*)/i.exec(String(head[2]))?.[1] ?? '', bodyText);
}

// The customers' webhook endpoints: good, flaky, hanging, slow and gone ones, and a record of what
// they were sent.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Random } from '../support/random.ts';

export const ENDPOINT_KINDS = ['good', 'flaky', 'hanging', 'slow', 'gone'] as const;
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

const SLOW_MS = 3_000;

export type Endpoints = {
  urlOf(account: number, kind: EndpointKind): string;
  /** Event ids that arrived and were accepted, by account and kind. */
  accepted(account: number, kind: EndpointKind): ReadonlySet<string>;
  /** Bodies that came for an event id with other content than before: must stay 0. */
  contradictions(): number;
  requests(): number;
  close(): void;
};

export async function openEndpoints(random: Random): Promise<Endpoints> {
  const acceptedBy = new Map<string, Set<string>>();
  const bodies = new Map<string, string>();
  let contradictions = 0;
  let requests = 0;
  const setOf = (path: string) => {
    const accepted = acceptedBy.get(path) ?? new Set<string>();
    acceptedBy.set(path, accepted);
    return accepted;
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const path = request.url ?? '';
    const kind = path.split('/')[2] as EndpointKind;
    const body = await text(request).catch(() => null);
    requests += 1;
    if (body === null || kind === 'hanging') return;
    if (kind === 'gone') return void response.writeHead(410).end();
    if (kind === 'flaky' && random.chance(0.4)) {
      if (random.chance(0.3)) return void response.socket?.destroy();
      return void response.writeHead(500).end();
    }
    const { data } = JSON.parse(body) as { data: { event_id: string } };
    const key = `${path} ${data.event_id}`;
    const before = bodies.get(key);
    if (before !== undefined && before !== body) contradictions += 1;
    bodies.set(key, body);
    setOf(path).add(data.event_id);
    if (kind === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    response.writeHead(200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pathOf = (account: number, kind: EndpointKind) => `/${account}/${kind}`;
  return {
    urlOf: (account, kind) => `http://127.0.0.1:${port}${pathOf(account, kind)}`,
    accepted: (account, kind) => setOf(pathOf(account, kind)),
    contradictions: () => contradictions,
    requests: () => requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

// Load of many customers over keep-alive connections, with a record of each request's outcome.
import { type Agent, get } from 'node:http';

export type Responded = {
  status: number;
  requestId: string;
  link: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped JSON
  body: any;
};

/** Sends one request; null when the connection broke before the response was complete. */
export function sendRequest(agent: Agent, url: string, apiKey: string): Promise<Responded | null> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { 'x-api-key': apiKey } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', () => resolve(null));
      response.on('end', () => {
        if (!response.complete) return resolve(null);
        const { link, 'x-request-id': requestId } = response.headers;
        resolve({
          status: response.statusCode ?? 0,
          requestId: String(requestId),
          link: typeof link === 'string' ? link : null,
          body: JSON.parse(Buffer.concat(chunks).toString()),
        });
      });
    });
    request.on('error', () => resolve(null));
  });
}

export type LedgerLine = { kind: string; credits: number; reference: string };

/** Reads an account's whole ledger, page by page. */
export async function readLedger(
  agent: Agent,
  address: string,
  apiKey: string,
): Promise<LedgerLine[]> {
  const entries: LedgerLine[] = [];
  let path: string | undefined = '/user/credits/ledger?limit=1000';
  while (path !== undefined) {
    const page = await sendRequest(agent, address + path, apiKey);
    if (page?.status !== 200) throw new Error(`the ledger responds with ${page?.status}`);
    entries.push(...((page.body ?? []) as LedgerLine[]));
    path = /^<(.*)>; rel="next"$/.exec(page.link ?? '')?.[1];
  }
  return entries;
}

/** The requests of one account: ids by response status, and the number without a response. */
export class Notes {
  /** Request ids by response status. */
  readonly responded = new Map<number, Set<string>>();
  unanswered = 0;

  note(response: Responded | null): void {
    if (response === null) this.unanswered += 1;
    else this.idsOf(response.status).add(response.requestId);
  }

  idsOf(status: number): Set<string> {
    const ids = this.responded.get(status) ?? new Set();
    this.responded.set(status, ids);
    return ids;
  }

  statuses(): number[] {
    return [...this.responded.keys()].sort();
  }
}

// Load as customers make it: many connections kept open, and a note of what became of each request.
import { type Agent, get } from 'node:http';

export type Responded = {
  status: number;
  requestId: string;
  link: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  body: any;
};

/** One request over a connection of the agent; null when the connection broke before its end. */
export function ask(agent: Agent, url: string, apiKey: string): Promise<Responded | null> {
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

/** The requests of one account: which were answered, how, and how many were not. */
export class Notes {
  /** Request ids by the status they were answered with. */
  readonly responded = new Map<number, Set<string>>();
  unanswered = 0;

  note(answer: Responded | null): void {
    if (answer === null) this.unanswered += 1;
    else this.idsOf(answer.status).add(answer.requestId);
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
